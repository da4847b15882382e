import { chunkSlice } from '#client/chunks.ts';
import { TransferError } from '#client/errors.ts';
import { mayEndTransfer } from '#client/faults.ts';
import { sendClosedChunks } from '#client/upload-closed-chunks.ts';
import { checkSource, pathGuardFor } from '../../../folders/path-guard.ts';
import { createDiskSource } from '../../../io/disk-source.ts';
import type { FileStamp } from '../../../io/file-stamp.ts';
import { isoOf } from '../../../io/file-time.ts';
import { chunksPerTransfer } from '../../concurrency/limits.ts';
import { bodyOf } from '../../failures.ts';
import type { JobContext, JobPorts } from '../../job.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../../record.ts';
import { retryWithActivity } from '../../retry-with-activity.ts';
import { isPermanent, type Receiver } from '../send-file.ts';
import { openUploadLedger } from '../upload-ledger.ts';

/** What is done with one growing file. Throws only what ends the transfer, and the signal's reason. */
export interface GrowingSender {
  /** Sends all chunks before the size in `stamp`, at which a chunk ends. Failures of the file are met at the next look. */
  send(file: FileRecord, stamp: FileStamp, chunkSize: number): Promise<void>;
  /** The file is still: drops the chunks that are not as they were sent, and makes it an ordinary file. */
  settle(file: FileRecord, stamp: FileStamp): Promise<void>;
  /** The same for a file of which nothing was sent. */
  accept(file: FileRecord, stamp: FileStamp): void;
}

export function createGrowingSender(
  ports: JobPorts,
  record: () => UploadRecord,
  { api }: Pick<Receiver, 'api'>,
  context: JobContext,
): GrowingSender {
  const { store, registry, transport, fileSystem, gates } = ports;
  const { activity, retries, signal } = context;
  /** Files whose upload this run has asked the storage about. */
  const asked = new Set<number>();

  const check = (file: FileRecord): void => {
    const guard = pathGuardFor(ports, record());
    if (guard) checkSource(guard, file, fileSystem);
  };

  const accept = (file: FileRecord, stamp: FileStamp): void => {
    store.writer.write(() => {
      store.files.stillAs(file.id, stamp);
      registry.addTotals(record().id, { bytes: stamp.size - file.size, files: 0 });
    });
  };

  /** Whether the file's own state is the reason: the next look finds out what has become of it. */
  const isOfFile = (error: unknown): boolean =>
    error instanceof TransferError && (error.code === 'file_changed' || error.code === 'source_gone');

  const attempt = async (file: FileRecord, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      if (isOfFile(error)) return;
      if (mayEndTransfer(error)) throw error;
      ports.log.warn({ transfer: record().id, file: file.id, error: String(error) }, 'a file could not be sent while it was written');
      store.writer.write(() => store.files.failed(file.id, bodyOf(error)));
    }
  };

  return {
    accept,
    send: (row, stamp, chunkSize) =>
      attempt(row, async () => {
        const file = { ...row, size: stamp.size };
        const ledger = openUploadLedger(store, file);
        const progress = activity.beginFile(file, ledger.bytes());
        const source = createDiskSource(file.local, stamp, { fileSystem, grows: true });
        const uploadPorts = {
          ...retries,
          api,
          gate: gates.large,
          send: transport.send,
          storage: transport.fetcher,
          hashSlice: transport.hashSource,
          digest: transport.digest,
        };
        const { name, path, modifiedAt } = file;
        try {
          await retryWithActivity(
            context,
            async () => {
              progress.begin();
              check(file);
              await sendClosedChunks(
                uploadPorts,
                {
                  packageId: packageIdOf(record()),
                  file: { kind: 'file', name, path, lastModified: isoOf(modifiedAt), chunkSize },
                  source,
                  facts: ledger.facts(),
                  journal: ledger.journal,
                  signal,
                  onBytes: progress.add,
                  concurrency: chunksPerTransfer.max,
                },
                { asksStorage: !asked.has(file.id) },
              );
              asked.add(file.id);
            },
            { moved: progress.moved, isPermanent: isPermanent(ports, record(), file) },
          );
        } finally {
          progress.stop(ledger.bytes());
          await source.close();
        }
      }),
    settle: (file, stamp) =>
      attempt(file, async () => {
        const { remote } = file;
        if (remote.state !== 'open') return accept(file, stamp);
        const end = activity.begin();
        const source = createDiskSource(file.local, stamp, { fileSystem });
        const changed: number[] = [];
        try {
          check(file);
          await source.check();
          for (const [index, { blake3 }] of store.files.chunks(file.id)) {
            const slice = chunkSlice(index, stamp.size, remote.chunkSize);
            const now = slice.length < 0 ? null : await transport.hashSource(source, slice, { md5: false, signal });
            if (now?.blake3 !== blake3) changed.push(index);
            await source.check();
          }
        } finally {
          await source.close();
          end();
        }
        const sent = openUploadLedger(store, file).bytes();
        store.writer.write(() => {
          store.files.chunksForgotten(file.id, changed);
          accept(file, stamp);
        });
        const left = openUploadLedger(store, { ...file, size: stamp.size }).bytes();
        activity.beginFile(file, sent).stop(left);
      }),
  };
}
