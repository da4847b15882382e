/** A duration in its largest unit; below a day in two units: `1 hour 20 minutes`, `45 seconds`, `3 days`. */
export function formatDuration(seconds: number, locale?: string): string {
  const unit = (value: number, name: string): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long', maximumFractionDigits: 0 }).format(value);
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return unit(whole, 'second');
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return unit(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return unit(Math.round(hours / 24), 'day');
  return minutes % 60 === 0 ? unit(hours, 'hour') : `${unit(hours, 'hour')} ${unit(minutes % 60, 'minute')}`;
}
