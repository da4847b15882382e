import type { ChunkFact, UploadFacts, UploadJournal } from '#client/upload.ts';

/** An upload's facts in memory, as the engine keeps them on disk. `facts()` is what a new process would read. */
export function createMemoryJournal(
  start: UploadFacts = { chunks: new Map(), finalized: false },
): UploadJournal & { facts(): UploadFacts } {
  let facts: UploadFacts = start;
  return {
    facts: () => facts,
    fileCreated(created) {
      facts = { ...created, chunks: new Map(), finalized: false };
    },
    uploadCreated(uploadId) {
      facts = { ...facts, uploadId };
    },
    chunkSent(index, chunk: ChunkFact) {
      facts = { ...facts, chunks: new Map([...facts.chunks, [index, chunk]]) };
    },
    chunksForgotten(indexes) {
      if (indexes === 'all') facts = { chunks: new Map(), finalized: false };
      else facts = { ...facts, chunks: new Map([...facts.chunks].filter(([index]) => !indexes.includes(index))) };
    },
    finalized() {
      facts = { ...facts, finalized: true };
    },
  };
}
