import { type RateLimit, weekdays } from '#protocol/agent/settings.ts';
import type { Limit } from '../io/rate-limit.ts';

/** A day and time as a clock on the wall shows it. */
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
 * The wall clock's time, by default in this machine's time zone. The zone is read at each call, because a laptop may
 * travel.
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
 * Whether a weekly schedule is active at a wall clock time. A day's period excludes its end; an end that is not after
 * the start is on the next day, so 00:00 to 00:00 is a whole day. Only the wall clock counts, so days with a change to or
 * from summer time need no special rule: a skipped hour is skipped, a repeated one counts twice.
 */
export function isActiveAt(schedule: RateLimit['schedule'], { day, minute }: WallTime): boolean {
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

/** The limit that a setting gives at a time. With a schedule it is valid for a minute, so that changes of the clock are noticed. */
export function limitAt(setting: RateLimit, now: number, timeZone?: string): Limit {
  const { enabled, rate_limit_bps, schedule_enabled, schedule } = setting;
  const bytesPerSecond = enabled ? rate_limit_bps : 0;
  if (bytesPerSecond === 0 || !schedule_enabled) return { bytesPerSecond, until: Number.POSITIVE_INFINITY };
  const until = (Math.floor(now / minuteMs) + 1) * minuteMs;
  return { bytesPerSecond: isActiveAt(schedule, wallTime(now, timeZone)) ? bytesPerSecond : 0, until };
}
