/** The averaging window in milliseconds: long enough for a steady value, short enough to show a change. */
const looksBack = 12_000;

/**
 * The minimum time and bytes for an estimate. Without it, a first small file would give an estimate of days for 30 MB.
 */
const telling = { milliseconds: 3_000, bytes: 16 * 1024 };

export interface Speed {
  /** Records the total of sent bytes at a time in milliseconds. */
  note(bytes: number, now: number): void;
  /** Bytes per second; 0 before there is an estimate, and while nothing moves. */
  perSecond(): number;
  /** Seconds until this number of bytes is sent; `null` before there is an estimate, and while nothing moves. */
  secondsLeft(remaining: number): number | null;
  /** Forgets earlier samples, so that a pause does not count as a slow connection. */
  reset(): void;
}

/** Milliseconds without a byte after which what is counted as it moves stands still. */
export const standsStillAfter = 3_000;

/**
 * `stillAfter`: milliseconds without a byte after which there is neither a speed nor an estimate; by default the window's. More than
 * lies between two counts, where bytes are counted in large steps.
 */
export function createSpeed({ stillAfter = looksBack } = {}): Speed {
  const spread = (): number => (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
  const perSecond = (): number => {
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last || spread() < 500 || last.at - movedAt >= stillAfter) return 0;
    return Math.max(0, ((last.bytes - first.bytes) * 1_000) / spread());
  };
  let samples: { readonly bytes: number; readonly at: number }[] = [];
  let movedAt = 0;
  return {
    note(bytes, now) {
      if (bytes !== samples.at(-1)?.bytes) movedAt = now;
      samples.push({ bytes, at: now });
      const from = samples.findIndex((one) => now - one.at <= looksBack);
      if (from > 0) samples = samples.slice(from);
    },
    perSecond,
    secondsLeft(remaining) {
      if (remaining <= 0) return 0;
      const moved = (samples.at(-1)?.bytes ?? 0) - (samples[0]?.bytes ?? 0);
      const speed = perSecond();
      return speed > 0 && spread() >= telling.milliseconds && moved >= Math.min(telling.bytes, remaining) ? remaining / speed : null;
    },
    reset() {
      samples = [];
    },
  };
}
