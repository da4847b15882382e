import type { UploadFacts, UploadJournal } from '#client/upload.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { Store } from '../state/store.ts';
import type { ChunkRecord, FileRecord } from './record.ts';

/** What is known of one file's upload: read from the store once, then kept in step with it. */
export interface UploadLedger {
  facts(): UploadFacts;
  /** Bytes of the chunks that are through. */
  bytes(): number;
  readonly journal: UploadJournal;
}

interface Begun {
  readonly fileId: string;
  readonly createBlueprint: Blueprint | null;
  readonly chunkChecksum: ChunkChecksum;
  readonly chunkSize: number;
}

/** Of an upload that has its id nobody sends the create blueprint again, so it is not kept. */
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
      // Until the upload has its id no chunk goes out: a file whose creation was forgotten is created anew, at no cost.
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
      // A confirmed chunk whose note a crash swallows is found again in the service's list of this upload id.
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
