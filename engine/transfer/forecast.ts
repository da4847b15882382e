import type { FileSystem } from '#filesystem/port.ts';
import { type PathGuard, pathGuardFor } from '../folders/path-guard.ts';
import { rootsOf, walk } from '../folders/scan.ts';
import type { Lists } from '../state/lists.ts';
import type { UploadRecord } from './record.ts';
import { isOver } from './state-machine.ts';
import type { TransferRegistry } from './transfer-registry.ts';

/**
 * Counts the files of queued uploads, so that the remaining total covers all of them and not only the scanned ones. One
 * upload at a time and in memory only; the later scan replaces the count.
 */
export interface Forecast {
  /** An upload was added, or may be queued now. */
  look(id: string): void;
  /** Adds the uploads that are queued already. */
  recover(): void;
  /** Resolves when nothing is being counted. */
  settled(): Promise<void>;
}

interface ForecastPorts {
  readonly registry: Pick<TransferRegistry, 'find' | 'expect'>;
  readonly lists: Pick<Lists, 'queued'>;
  readonly pathGuard: PathGuard;
  readonly fileSystem: FileSystem;
  readonly closing: AbortSignal;
}

/** Maximum number of uploads of an earlier run to count: the others will start much later. */
const mostRecovered = 64;

/** Whether it has not been scanned, and no scan runs now. */
function isUnknown(record: ReturnType<TransferRegistry['find']>): record is UploadRecord {
  if (record?.kind !== 'upload' || isOver(record.phase)) return false;
  return record.phase.state !== 'transferring' && record.facts.rootsScanned === undefined && !record.facts.scanned;
}

export function createForecast({ registry, lists, pathGuard, fileSystem, closing }: ForecastPorts): Forecast {
  let counting: Promise<void> = Promise.resolve();

  const count = async (id: string): Promise<void> => {
    const record = closing.aborted ? null : registry.find(id);
    if (!isUnknown(record)) return;
    let bytes = 0;
    for (const root of rootsOf(record.request.paths, fileSystem)) {
      for await (const { size, state } of walk({
        ...root,
        folder: '',
        signal: closing,
        guard: pathGuardFor({ pathGuard }, record),
        fileSystem,
      })) {
        if (state !== 'skipped') bytes += size;
      }
    }
    if (!closing.aborted) registry.expect(id, bytes);
  };

  const look = (id: string): void => {
    // Files that cannot be counted are reported when they are sent.
    counting = counting.then(() => count(id)).catch(() => undefined);
  };

  return {
    look,
    recover() {
      const waiting: string[] = [];
      for (const id of lists.queued()) {
        if (waiting.length === mostRecovered) break;
        waiting.push(id);
      }
      waiting.forEach(look);
    },
    settled: () => counting,
  };
}
