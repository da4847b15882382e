import type { UploadFacts, UploadJournal } from '#client/upload.ts';
import type { Store } from '../../state/store.ts';
import type { ChunkRecord, FileRecord } from '../record.ts';

/** Progress of one file's upload: read from the store once, then kept in sync with it. */
interface UploadLedger {
  facts(): UploadFacts;
  /** Bytes of the chunks that are complete. */
  bytes(): number;
  readonly journal: UploadJournal;
}

export function openUploadLedger({ files, writer }: Pick<Store, 'files' | 'writer'>, file: FileRecord): UploadLedger {
  const chunks = new Map<number, ChunkRecord>(file.remote.state === 'open' ? files.chunks(file.id) : []);
  let facts: UploadFacts = file.remote.state === 'open' ? { state: 'open', upload: file.remote, chunks } : { state: 'none' };

  return {
    facts: () => facts,
    bytes() {
      if (facts.state !== 'open') return 0;
      const { chunkSize } = facts.upload;
      let sum = 0;
      for (const index of chunks.keys()) sum += Math.min(chunkSize, file.size - index * chunkSize);
      return sum;
    },
    journal: {
      // Kept in memory alone: no chunk is sent before the upload is open, so a file that is created again costs nothing.
      fileCreated(upload, createBlueprint) {
        facts = { state: 'created', upload, createBlueprint };
      },
      async uploadCreated(upload) {
        writer.write(() => files.started(file.id, upload));
        await writer.committed();
        facts = { state: 'open', upload, chunks };
      },
      // If a crash loses the note of a confirmed chunk, the service's list for this upload still has it.
      chunkSent(index, { etag, blake3 }) {
        chunks.set(index, { etag, blake3 });
        writer.write(() => files.chunkDone(file.id, index, { etag, blake3 }));
      },
      chunksForgotten(indexes) {
        if (indexes === 'all') {
          chunks.clear();
          facts = { state: 'none' };
        } else for (const index of indexes) chunks.delete(index);
        writer.write(() => files.chunksForgotten(file.id, indexes));
      },
      finalized: ({ digest }) => writer.write(() => files.completed(file.id, digest)),
    },
  };
}
