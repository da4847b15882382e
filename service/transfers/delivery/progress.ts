import type { DeliveryCount, DeliveryProgress } from './ports.ts';

const interval = 250;

/** Counts what has arrived, and tells it four times a second at most. */
export interface ProgressCounter {
  add(files: number, bytes: number): void;
  /** Tells the last state. */
  end(): void;
}

export function countProgress(
  start: DeliveryCount,
  tell: (progress: DeliveryProgress) => void,
  now: () => number = () => performance.now(),
): ProgressCounter {
  let { files, bytes } = start;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tellNow = (): void => {
    toldAt = now();
    tell({ files, bytes });
  };
  return {
    add(moreFiles, moreBytes) {
      files += moreFiles;
      bytes += moreBytes;
      if (now() - toldAt >= interval) tellNow();
    },
    end: tellNow,
  };
}
