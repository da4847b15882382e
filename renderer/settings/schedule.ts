import { type RateLimit, weekdays } from '#protocol/agent/settings.ts';

export type Schedule = RateLimit['schedule'];
export type Weekday = (typeof weekdays)[number];

const wholeDay = 24 * 60;
/** The resolution of a drag in minutes. */
const step = 15;

/** Minutes since midnight of `HH:MM`. */
export function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

/** `HH:MM` of minutes since midnight; midnight at the day's end is `00:00`. */
export function timeOf(minutes: number): string {
  const within = ((minutes % wholeDay) + wholeDay) % wholeDay;
  return `${String(Math.floor(within / 60)).padStart(2, '0')}:${String(within % 60).padStart(2, '0')}`;
}

/** A time span within one day, in minutes. `over`: it began on the previous day. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly over: boolean;
}

/** When the limit applies on each day, including spans that continue from the previous day. */
export function spansOf(schedule: Schedule): Record<Weekday, Span[]> {
  const spans: Record<Weekday, Span[]> = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
  weekdays.forEach((day, index) => {
    const { enabled, start, end } = schedule[day];
    if (!enabled) return;
    const [from, to] = [minutesOf(start), minutesOf(end)];
    if (to > from) {
      spans[day].push({ from, to, over: false });
      return;
    }
    spans[day].push({ from, to: wholeDay, over: false });
    if (to > 0) spans[weekdays[(index + 1) % 7]!].push({ from: 0, to, over: true });
  });
  return spans;
}

/**
 * The schedule of a day after a drag from one share of its 24 hours to another. A click without movement means one
 * hour.
 */
export function draggedDay(from: number, to: number): Schedule[Weekday] {
  const snap = (share: number): number => Math.round((Math.min(1, Math.max(0, share)) * wholeDay) / step) * step;
  const [first, last] = [snap(Math.min(from, to)), snap(Math.max(from, to))];
  const begin = Math.min(first, wholeDay - step);
  const end = last - begin < step ? Math.min(wholeDay, begin + 60) : last;
  return { enabled: true, start: timeOf(begin), end: timeOf(end) };
}

/** Copies Monday to the other working days. */
export function asMonday(schedule: Schedule): Schedule {
  const { mon } = schedule;
  return { ...schedule, tue: mon, wed: mon, thu: mon, fri: mon };
}
