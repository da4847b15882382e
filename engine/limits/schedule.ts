import { type RateLimit, weekdays } from '#protocol/agent/settings.ts';
import type { Limit } from '../io/rate-limit.ts';

/** A moment on a clock on the wall. */
interface WallTime {
  /** 0 is Monday. */
  readonly day: number;
  /** From 0 up to 1439. */
  readonly minute: number;
}

const minuteMs = 60_000;
const minutesOfDay = 24 * 60;
const nameOfDay = new Map([...weekdays].map((name, day) => [name as string, day]));

/**
 * What the wall clock shows at a time, in this machine's zone unless another is named. Asked anew each time, so that it
 * follows a machine that travels.
 */
export function wallTime(now: number, timeZone?: string): WallTime {
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type as string, value]));
  return {
    day: nameOfDay.get((parts.get('weekday') ?? '').toLowerCase()) ?? 0,
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}

/**
 * Whether a weekly schedule holds at a moment. A day's times are the wall clock's, from its start up to, not including,
 * its end; an end not after the start lies on the next day, so that 00:00 to 00:00 is a whole day. Going by the wall
 * clock alone, a day on which the clock is put forward or back needs no rule of its own: what it does not show does not
 * happen, what it shows twice happens twice.
 */
export function holdsAt(schedule: RateLimit['schedule'], { day, minute }: WallTime): boolean {
  const today = timesOf(schedule, day);
  const yesterday = timesOf(schedule, (day + 6) % 7);
  return (today !== null && minute >= today.start && minute < today.end) || (yesterday !== null && minute + minutesOfDay < yesterday.end);
}

function timesOf(schedule: RateLimit['schedule'], day: number): { readonly start: number; readonly end: number } | null {
  const { enabled, start, end } = schedule[weekdays[day]!];
  if (!enabled) return null;
  const [from, to] = [minuteOf(start), minuteOf(end)];
  return { start: from, end: to > from ? to : to + minutesOfDay };
}

/** @param time HH:MM */
function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** What a setting means at a time. With a schedule it is looked at anew every minute, which no clock change escapes. */
export function limitAt(setting: RateLimit, now: number, timeZone?: string): Limit {
  const { enabled, rate_limit_bps, schedule_enabled, schedule } = setting;
  const bytesPerSecond = enabled ? rate_limit_bps : 0;
  if (bytesPerSecond === 0 || !schedule_enabled) return { bytesPerSecond, until: Number.POSITIVE_INFINITY };
  const until = (Math.floor(now / minuteMs) + 1) * minuteMs;
  return { bytesPerSecond: holdsAt(schedule, wallTime(now, timeZone)) ? bytesPerSecond : 0, until };
}
