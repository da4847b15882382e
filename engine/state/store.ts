import type Database from 'better-sqlite3';
import { type AutomationStore, automationStore } from '../automations/store/store.ts';
import type { Clock } from '../ports.ts';
import type { Sealer } from '../secrets/seal.ts';
import type { OpenedDatabase } from './database.ts';
import { type Files, filesTable } from './files.ts';
import { type Lists, transferLists } from './lists.ts';
import { type Search, searchTable } from './search.ts';
import { type Settings, settingsTable } from './settings.ts';
import { type ShownBytesTable, shownBytesTable } from './shown-bytes.ts';
import { type TransferLogTable, transferLogTable } from './transfer-log.ts';
import { type Transfers, transfersTable } from './transfers.ts';
import { type UploadRootsTable, uploadRootsTable } from './upload-roots.ts';
import { openWriter, type Writer } from './writer.ts';

/** All persistent state of the agent. Every change uses `writer.write`. */
export interface Store {
  readonly transfers: Transfers;
  readonly shownBytes: ShownBytesTable;
  readonly lists: Lists;
  readonly files: Files;
  readonly uploadRoots: UploadRootsTable;
  readonly search: Search;
  readonly log: TransferLogTable;
  readonly settings: Settings;
  readonly automations: AutomationStore;
  readonly pages: Pages;
  readonly writer: Writer;
  /** Commits the open batch and releases the data folder. */
  close(): void;
}

/**
 * @param unreadable called for a transfer that cannot be read
 * @param unreadableAutomation called with the name of an automation that cannot be read
 */
export function openStore(
  { db }: OpenedDatabase,
  sealer: Sealer,
  clock: Clock,
  unreadable?: () => void,
  unreadableAutomation?: (name: string) => void,
): Store {
  const writer = openWriter(db, clock);
  return {
    transfers: transfersTable(db, sealer, unreadable),
    shownBytes: shownBytesTable(db),
    lists: transferLists(db),
    files: filesTable(db),
    uploadRoots: uploadRootsTable(db),
    search: searchTable(db),
    log: transferLogTable(db),
    settings: settingsTable(db),
    automations: automationStore(db, sealer, unreadableAutomation),
    pages: filePages(db),
    writer,
    close() {
      try {
        writer.flush();
      } finally {
        db.close();
      }
    },
  };
}

/** The disk space of the state file. */
interface Pages {
  /** Whether it has more free pages than these, and than this share of all. */
  worthGivingBack(pages: number, share: number): boolean;
  /** Returns some free pages to the disk; false when there are none left. */
  giveBack(pages: number): boolean;
  /** Moves the write-ahead log into the file and shortens both. Only outside of a batch. */
  settle(): void;
}

function filePages(db: Database.Database): Pages {
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
