import { stripVTControlCharacters } from 'node:util';
import { printable as withoutControls } from '#protocol/printable.ts';

/** Numbers and names formatted for a terminal. */

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `1.23 GB`: decimal units, three digits. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // Without this, 999.5 would be shown as 1000.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

export function speedText(bytesPerSecond: number): string {
  return `${bytesText(bytesPerSecond)}/s`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `2027-01-31 18:00 UTC`, of a moment in ISO 8601. */
export const momentText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** Names are untrusted: control characters are removed, so a name cannot control the terminal or fake a line. */
export function printable(text: string): string {
  return withoutControls(stripVTControlCharacters(text));
}
