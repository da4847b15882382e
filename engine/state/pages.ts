import type Database from 'better-sqlite3';

/** The room that the state file takes on the disk. */
export interface Pages {
  /** Whether it has more free pages than these, and than this share of all. */
  worthGivingBack(pages: number, share: number): boolean;
  /** Gives some free pages back; false when there is none any more. */
  giveBack(pages: number): boolean;
  /** Outside of a batch: brings the file into step with the log of changes beside it, which shortens both. */
  settle(): void;
}

export function filePages(db: Database.Database): Pages {
  const count = (what: 'page_count' | 'freelist_count'): number => Number(db.pragma(what, { simple: true }));
  return {
    worthGivingBack(pages, share) {
      const free = count('freelist_count');
      return free > pages && free > share * count('page_count');
    },
    giveBack(pages) {
      const before = count('freelist_count');
      db.pragma(`incremental_vacuum(${Math.max(1, Math.floor(pages))})`);
      const after = count('freelist_count');
      return after > 0 && after < before;
    },
    settle: () => void db.pragma('wal_checkpoint(TRUNCATE)'),
  };
}
