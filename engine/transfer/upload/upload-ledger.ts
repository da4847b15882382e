import type { UploadFacts, UploadJournal } from '#client/upload.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { Store } from '../../state/store.ts';
import type { ChunkRecord, FileRecord } from '../record.ts';

/** Progress of one file's upload: read from the store once, then kept in sync with it. */
export interface UploadLedger {
  facts(): UploadFacts;
  /** Bytes of the chunks that are complete. */
  bytes(): number;
  readonly journal: UploadJournal;
}

interface Begun {
  readonly fileId: string;
  readonly createBlueprint: Blueprint | null;
  readonly chunkChecksum: ChunkChecksum;
  readonly chunkSize: number;
}

/** Once an upload has its id, the create blueprint is never sent again, so it is not stored. */
const spent: Blueprint = { url: '', method: 'POST', headers: {}, body: '' };

export function openUploadLedger({ files, writer }: Pick<Store, 'files' | 'writer'>, file: FileRecord): UploadLedger {
  let begun: Begun | null =
    file.uploadId === ''
      ? null
      : {
          fileId: file.remoteId,
          createBlueprint: spent,
          chunkChecksum: file.chunkChecksum as ChunkChecksum,
          chunkSize: file.chunkSize,
        };
  let uploadId = file.uploadId;
  let finalized = false;
  const chunks: Map<number, ChunkRecord> = begun ? files.chunks(file.id) : new Map();

  return {
    facts: () => ({ ...begun, ...(uploadId === '' ? {} : { uploadId }), chunks, finalized }),
    bytes() {
      if (!begun) return 0;
      let sum = 0;
      for (const index of chunks.keys()) sum += Math.min(begun.chunkSize, file.size - index * begun.chunkSize);
      return sum;
    },
    journal: {
      // No chunk is sent before the upload has its id: if a file's creation is lost, it is created again at no cost.
      fileCreated(facts) {
        begun = facts;
        uploadId = '';
      },
      uploadCreated(id) {
        uploadId = id;
        const { fileId, chunkSize, chunkChecksum } = begun ?? { fileId: '', chunkSize: 0, chunkChecksum: 'none' };
        writer.write(() => files.begun(file.id, { remoteId: fileId, uploadId: id, chunkSize, chunkChecksum }));
        return writer.committed();
      },
      // If a crash loses the note of a confirmed chunk, the service's list for this upload id still has it.
      chunkSent(index, { etag, blake3 }) {
        chunks.set(index, { etag, blake3 });
        writer.write(() => files.chunkDone(file.id, index, { etag, blake3 }));
      },
      chunksForgotten(indexes) {
        if (indexes === 'all') {
          chunks.clear();
          begun = null;
          uploadId = '';
        } else for (const index of indexes) chunks.delete(index);
        writer.write(() => files.chunksForgotten(file.id, indexes));
      },
      finalized(digest) {
        finalized = true;
        writer.write(() => files.completed(file.id, digest));
      },
    },
  };
}
