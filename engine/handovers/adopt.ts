import { passesByItself, remedyFor } from '#client/faults.ts';
import { identifyRoots } from '../folders/root-identity.ts';
import { pathIn } from '../folders/scan.ts';
import type { Store } from '../state/store.ts';
import type { JobPorts } from '../transfer/job.ts';
import type { Queue } from '../transfer/queue.ts';
import type { ChunkRecord, NewFile, TransferRecord } from '../transfer/record.ts';
import { takeOver } from './take-over.ts';

interface AdoptPorts {
  readonly jobs: JobPorts;
  readonly queue: Pick<Queue, 'pump' | 'stop'>;
  /** A transfer was removed from the list: its data can be deleted. */
  readonly removed: () => void;
  /** The record as it is written down now. */
  readonly arrived: (record: TransferRecord) => TransferRecord;
  /** Fires when the engine closes. */
  readonly closing: AbortSignal;
}

/** What a browser has begun, as it stands in the tables. */
export interface AdoptedTransfer {
  readonly record: TransferRecord;
  /** Of an upload. */
  readonly files: readonly NewFile[];
  /** Confirmed chunks, by a file's path in the package. */
  readonly chunks: ReadonlyMap<string, ReadonlyMap<number, ChunkRecord>>;
}

/**
 * Writes the transfer down, then exchanges its code. Where the service refuses that, there is no transfer, and its error
 * is thrown; where it cannot be reached, the transfer goes on trying.
 */
export async function adoptTransfer({ jobs, queue, removed, arrived, closing }: AdoptPorts, made: AdoptedTransfer): Promise<void> {
  const { record, files, chunks } = made;
  const { registry, store } = jobs;
  const { id } = record;
  const roots = record.kind === 'upload' ? await identifyRoots(record.request.paths, jobs.fileSystem) : [];
  store.writer.write(() => {
    registry.add(arrived(record));
    store.files.insert(id, files);
    store.uploadRoots.insert(id, 0, roots);
    noteChunks(store, id, chunks);
    if (record.kind === 'upload') registry.recount(id);
  });
  await store.writer.committed();
  try {
    await takeOver(jobs, registry.get(id), closing);
  } catch (cause) {
    if (closing.aborted || passesByItself(remedyFor(cause)))
      jobs.log.warn({ transfer: id }, 'the service did not answer; the code is exchanged later');
    else {
      await queue.stop(id);
      registry.remove(id);
      await store.writer.committed();
      removed();
      throw cause;
    }
  }
  queue.pump();
}

const rowsPerPage = 1_000;

/** What the storage has confirmed, of files that are in the table. In a write. */
function noteChunks({ files }: Pick<Store, 'files'>, id: string, chunks: AdoptedTransfer['chunks']): void {
  if (chunks.size === 0) return;
  for (let afterId = 0; ; ) {
    const rows = files.paths(id, afterId, rowsPerPage);
    if (rows.length === 0) return;
    afterId = rows.at(-1)!.id;
    for (const { id: fileId, path, name } of rows) {
      for (const [index, chunk] of chunks.get(pathIn(path, name)) ?? []) files.chunkDone(fileId, index, chunk);
    }
  }
}
