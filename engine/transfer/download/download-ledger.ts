import type { Doubts } from '#client/damage.ts';
import type { DownloadJournal } from '#client/download.ts';
import type { Store } from '../../state/store.ts';
import { type FileRecord, storedFileOf } from '../record.ts';

/** Progress of one file's download, kept in sync with the store. */
export interface DownloadLedger {
  readonly ranges: ReadonlyMap<number, { readonly blake3: string }>;
  readonly journal: DownloadJournal;
  readonly doubts: Doubts;
  /** Bytes of the ranges that are complete. */
  bytes(): number;
  /** Whether every range is complete. */
  whole(): boolean;
  /** Its target path below the root. */
  local(): string;
  movedTo(local: string): void;
  received(digest: string): void;
  /** Of the received bytes; until they are all here, the sender's. */
  digest(): string | undefined;
}

/** `hasRanges`: whether the store may contain ranges of it; if not, the store is not asked. */
export function openDownloadLedger(
  { files, writer }: Pick<Store, 'files' | 'writer'>,
  file: FileRecord,
  hasRanges: boolean,
): DownloadLedger {
  const ranges = new Map<number, { blake3: string }>(hasRanges ? files.chunks(file.id) : []);
  const { chunkSize: rangeSize, digest: expected } = storedFileOf(file);
  let local = file.local;
  let digest = expected;
  return {
    ranges,
    doubts: new Map(),
    journal: {
      rangeWritten(index, { blake3 }) {
        ranges.set(index, { blake3 });
        writer.write(() => files.chunkDone(file.id, index, { etag: '', blake3 }));
      },
      rangesForgotten(indexes) {
        if (indexes === 'all') ranges.clear();
        else for (const index of indexes) ranges.delete(index);
        writer.write(() => files.chunksForgotten(file.id, indexes));
      },
    },
    bytes() {
      let sum = 0;
      for (const index of ranges.keys()) sum += Math.max(0, Math.min(rangeSize, file.size - index * rangeSize));
      return sum;
    },
    whole: () => ranges.size >= Math.max(1, Math.ceil(file.size / rangeSize)),
    local: () => local,
    movedTo(next) {
      local = next;
      writer.write(() => files.movedTo(file.id, next));
    },
    received(whole) {
      digest = whole;
    },
    digest: () => digest,
  };
}
