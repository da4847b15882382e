import type { SeenFile } from './scan-folder.ts';

/** Since when files are as they are. In memory only: after a restart each has to be still once more. */
export interface Stability {
  /** Notes how these files are now; those that are not among them are forgotten. */
  observe(files: Iterable<SeenFile>, now: number): void;
  /** Milliseconds for which the file has had this size, time and identity. */
  stillFor(file: SeenFile, now: number): number;
  /** Whether it was seen to become larger. */
  hasGrown(file: SeenFile): boolean;
}

interface Observation {
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly since: number;
  readonly hasGrown: boolean;
}

/** Times are those of a clock that only goes forward, so that setting the machine's clock makes no file still. */
export function createStability(): Stability {
  let known = new Map<string, Observation>();
  const same = (before: Observation | undefined, file: SeenFile): before is Observation =>
    before !== undefined && before.size === file.size && before.mtimeMs === file.mtimeMs && before.inode === file.inode;
  return {
    observe(files, now) {
      const next = new Map<string, Observation>();
      for (const file of files) {
        const before = known.get(file.path);
        const { size, mtimeMs, inode } = file;
        const hasGrown = before?.inode === inode && (before.hasGrown || size > before.size);
        next.set(file.path, same(before, file) ? before : { size, mtimeMs, inode, since: now, hasGrown });
      }
      known = next;
    },
    stillFor(file, now) {
      const before = known.get(file.path);
      return same(before, file) ? Math.max(0, now - before.since) : 0;
    },
    hasGrown: (file) => known.get(file.path)?.hasGrown ?? false,
  };
}
