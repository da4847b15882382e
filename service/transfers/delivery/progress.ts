import type { DeliveryCount, DeliveryProgress } from './ports.ts';

/** Counts what has arrived, and tells it. */
export interface ProgressCounter {
  add(files: number, bytes: number): void;
  /** Tells the last state, also where nothing was added. */
  end(): void;
}

/** Tells every step: a step that was left out would stay unknown for as long as no other follows it. */
export function countProgress(start: DeliveryCount, tell: (progress: DeliveryProgress) => void): ProgressCounter {
  let { files, bytes } = start;
  return {
    add(moreFiles, moreBytes) {
      files += moreFiles;
      bytes += moreBytes;
      tell({ files, bytes });
    },
    end: () => tell({ files, bytes }),
  };
}
