import { type WeekSchedule, weekdays } from '#protocol/agent/settings.ts';
import { isActiveAt, wallTime } from '../../limits/schedule.ts';

export interface TimeWindow {
  readonly open: boolean;
  /** When that changes, in milliseconds since 1970; null where it never does. */
  readonly changesAt: number | null;
}

const minuteMs = 60_000;
const minutesOfDay = 24 * 60;
const minutesOfWeek = 7 * minutesOfDay;
/** More than clocks are ever turned at once, in minutes. */
const largestClockChange = 180;

/**
 * Whether an automation may send at a time, and until when that holds. A day and its end are read as
 * `limits/schedule.ts` reads them. Days on which clocks are turned are looked at minute by minute.
 *
 * @param at milliseconds since 1970
 * @param timeZone by default this machine's
 */
export function windowAt(schedule: WeekSchedule, at: number, timeZone?: string): TimeWindow {
  const now = wallTime(at, timeZone);
  const open = isActiveAt(schedule, now);
  const weekMinute = now.day * minutesOfDay + now.minute;
  const wait = boundaries(schedule)
    .map((boundary) => (boundary - weekMinute + minutesOfWeek) % minutesOfWeek)
    .filter((minutes) => minutes > 0)
    .sort((a, b) => a - b)
    .find((minutes) => isActiveAt(schedule, atWeekMinute(weekMinute + minutes)) !== open);
  if (wait === undefined) return { open, changesAt: null };
  const thisMinute = Math.floor(at / minuteMs) * minuteMs;
  const expected = atWeekMinute(weekMinute + wait);
  const found = wallTime(thisMinute + wait * minuteMs, timeZone);
  if (found.day === expected.day && found.minute === expected.minute) return { open, changesAt: thisMinute + wait * minuteMs };
  for (let minutes = Math.max(1, wait - largestClockChange); minutes <= wait + largestClockChange; minutes += 1) {
    const time = thisMinute + minutes * minuteMs;
    if (isActiveAt(schedule, wallTime(time, timeZone)) !== open) return { open, changesAt: time };
  }
  return { open, changesAt: thisMinute + wait * minuteMs };
}

const atWeekMinute = (minute: number) => {
  const inWeek = minute % minutesOfWeek;
  return { day: Math.floor(inWeek / minutesOfDay), minute: inWeek % minutesOfDay };
};

/** The minutes of a week at which a period begins or ends. */
function boundaries(schedule: WeekSchedule): number[] {
  return weekdays.flatMap((name, day) => {
    const { enabled, start, end } = schedule[name];
    if (!enabled) return [];
    const [from, to] = [minuteOf(start), minuteOf(end)];
    const length = to > from ? to - from : to - from + minutesOfDay;
    const begin = day * minutesOfDay + from;
    return [begin, (begin + length) % minutesOfWeek];
  });
}

/** @param time HH:MM */
function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
