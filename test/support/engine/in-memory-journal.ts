import type { UploadFacts, UploadJournal } from '#client/upload.ts';

/** An upload's facts in memory, as the engine keeps them on disk. `facts()` is what a new process would read. */
export function createMemoryJournal(
  start: UploadFacts = { state: 'none' },
): UploadJournal & { facts(): UploadFacts; chunks(): number[]; isFinalized(): boolean } {
  let facts = start;
  let finalized = false;
  const open = () => {
    if (facts.state !== 'open') throw new Error(`The upload is ${facts.state}, so it has no chunks.`);
    return facts;
  };
  return {
    facts: () => facts,
    chunks: () => [...open().chunks.keys()],
    isFinalized: () => finalized,
    fileCreated(upload, createBlueprint) {
      facts = { state: 'created', upload, createBlueprint };
    },
    uploadCreated(upload) {
      facts = { state: 'open', upload, chunks: new Map() };
    },
    chunkSent(index, chunk) {
      facts = { ...open(), chunks: new Map([...open().chunks, [index, chunk]]) };
    },
    chunksForgotten(indexes) {
      if (indexes === 'all') facts = { state: 'none' };
      else facts = { ...open(), chunks: new Map([...open().chunks].filter(([index]) => !indexes.includes(index))) };
    },
    finalized() {
      finalized = true;
    },
  };
}
