import { type Clock, systemClock } from '#engine/ports.ts';

/** The real time, but what is to be waited for comes so many times as soon: pauses between attempts cost no time. */
export function fastClock(times: number): Clock {
  return { now: systemClock.now, after: (milliseconds, callback) => systemClock.after(milliseconds / times, callback) };
}
