import type Database from 'better-sqlite3';

/** The disk space of the state file. */
export interface Pages {
  /** Whether it has more free pages than these, and than this share of all. */
  worthGivingBack(pages: number, share: number): boolean;
  /** Returns some free pages to the disk; false when there are none left. */
  giveBack(pages: number): boolean;
  /** Moves the write-ahead log into the file and shortens both. Only outside of a batch. */
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
