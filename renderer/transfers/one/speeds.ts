/** How fast a transfer was, second by second, as far as this page has seen it. */
export interface Speeds {
  /** Seconds since 1970, ascending. */
  readonly at: readonly number[];
  /** Bytes a second; `null` where it stood still or was not seen. */
  readonly bps: readonly (number | null)[];
}

export const noSpeeds: Speeds = { at: [], bps: [] };
/** Ten minutes at the pace at which the agent tells. */
const most = 1_500;
/** Seconds without news, after which the line is broken. */
const gap = 3;

/** With what it does now. News within the same tenth of a second counts as one. */
export function withSpeed({ at, bps }: Speeds, now: number, speed: number): Speeds {
  const last = at.at(-1);
  if (last !== undefined && now <= last) return { at, bps };
  if (last !== undefined && now - last < 0.1) return { at, bps: [...bps.slice(0, -1), speed] };
  const broken = last !== undefined && now - last > gap;
  const nextAt = broken ? [...at, last + 0.1, now] : [...at, now];
  const nextBps = broken ? [...bps, null, speed] : [...bps, speed];
  return { at: nextAt.slice(-most), bps: nextBps.slice(-most) };
}
