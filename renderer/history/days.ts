import type { AgentTransfer } from '#protocol/agent/transfers.ts';

interface HistoryDay {
  /** When its first transfer was begun. */
  readonly at: string;
  readonly label: string;
  readonly transfers: readonly AgentTransfer[];
}

/** Transfers, newest first, grouped by the day that they were begun on in the person's own time zone. */
export function byDay(transfers: readonly AgentTransfer[], now: Date, locale: string): HistoryDay[] {
  const days: { at: string; label: string; transfers: AgentTransfer[] }[] = [];
  for (const transfer of transfers) {
    const label = dayLabel(new Date(transfer.created_at), now, locale);
    const last = days.at(-1);
    if (last?.label === label) last.transfers.push(transfer);
    else days.push({ at: transfer.created_at, label, transfers: [transfer] });
  }
  return days;
}

/** `Today`, `Yesterday`, or the day; with the year if it is not the current one. */
function dayLabel(at: Date, now: Date, locale: string): string {
  const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const ago = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  const text =
    ago === 0 || ago === 1
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-ago, 'day')
      : new Intl.DateTimeFormat(locale, {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          ...(at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
        }).format(at);
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}
