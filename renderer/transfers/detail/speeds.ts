/** A transfer's speed over time, since this page was opened. */
export interface Speeds {
  /** Seconds since 1970, ascending. */
  readonly at: readonly number[];
  /** Bytes per second; `null` marks a gap in the line. */
  readonly bps: readonly (number | null)[];
}

export const noSpeeds: Speeds = { at: [], bps: [] };
/** Maximum number of points: ten minutes of the agent's events. */
const most = 1_500;
/** Seconds without an event, after which the line has a gap. */
const gap = 3;

/** Adds a point. Events within the same tenth of a second become one. */
export function withSpeed({ at, bps }: Speeds, now: number, speed: number): Speeds {
  const last = at.at(-1);
  if (last !== undefined && now <= last) return { at, bps };
  if (last !== undefined && now - last < 0.1) return { at, bps: [...bps.slice(0, -1), speed] };
  const broken = last !== undefined && now - last > gap;
  const nextAt = broken ? [...at, last + 0.1, now] : [...at, now];
  const nextBps = broken ? [...bps, null, speed] : [...bps, speed];
  return { at: nextAt.slice(-most), bps: nextBps.slice(-most) };
}
