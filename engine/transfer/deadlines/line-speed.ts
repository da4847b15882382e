import type { Contender, LineSpeeds } from './contender.ts';

/** Measures how fast transfers move, each and all of a direction together. */
interface LineSpeed {
  /**
   * Takes a sample. Nothing is learned of a direction in which nothing moves: its last speed stays.
   *
   * @param elapsed milliseconds of a clock that only goes forward
   */
  sample(running: readonly Sampled[], elapsed: number): void;
  /** Bytes a second of one transfer; `null` before two samples of it. */
  of(id: string): number | null;
  all(): LineSpeeds;
}

interface Sampled {
  readonly id: string;
  readonly kind: Contender['kind'];
  /** Bytes that are done. */
  readonly bytes: number;
}

/** Milliseconds: a shorter sample shows bursts. */
const shortestMs = 1_000;
/** Weight of the newest sample: the last ten seconds count most. */
const weight = 0.3;

export function createLineSpeed(): LineSpeed {
  const own = new Map<string, { readonly bytes: number; readonly speed: number | null }>();
  const line: Record<Contender['kind'], number | null> = { upload: null, download: null };
  let sampledAt: number | null = null;

  return {
    sample(running, elapsed) {
      const seconds = sampledAt === null ? 0 : (elapsed - sampledAt) / 1_000;
      if (sampledAt !== null && seconds * 1_000 < shortestMs) return;
      sampledAt = elapsed;
      const sums = { upload: 0, download: 0 };
      const before = new Map(own);
      own.clear();
      for (const { id, kind, bytes } of running) {
        const last = before.get(id);
        // Fewer than before: its files were counted anew.
        const moved = last ? Math.max(0, bytes - last.bytes) / seconds : null;
        own.set(id, { bytes, speed: moved === null ? null : smoothed(last?.speed ?? null, moved) });
        sums[kind] += moved ?? 0;
      }
      for (const kind of ['upload', 'download'] as const) if (sums[kind] > 0) line[kind] = smoothed(line[kind], sums[kind]);
    },
    of: (id) => own.get(id)?.speed ?? null,
    all: () => ({ ...line }),
  };
}

const smoothed = (before: number | null, now: number): number => (before === null ? now : before * (1 - weight) + now * weight);
