import type { FileStore } from '../backup/ports.ts';
import type { Pace } from './pace.ts';

/** The same store, read at this pace. */
export const pacedStore = (store: FileStore, pace: Pace): FileStore => ({
  ...store,
  async *read(path, size) {
    for await (const piece of store.read(path, size)) {
      await pace(piece.length);
      yield piece;
    }
  },
});
