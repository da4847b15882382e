import type { Clock } from '../ports.ts';
import type { Sealer } from '../secrets/seal.ts';
import type { OpenedDatabase } from './database.ts';
import { type Files, filesTable } from './files.ts';
import { type Lists, transferLists } from './lists.ts';
import { filePages, type Pages } from './pages.ts';
import { type Settings, settingsTable } from './settings.ts';
import { type TransferLogTable, transferLogTable } from './transfer-log.ts';
import { type Transfers, transfersTable } from './transfers.ts';
import { openWriter, type Writer } from './writer.ts';

/** All persistent state of the agent. Every change uses `writer.write`. */
export interface Store {
  readonly transfers: Transfers;
  readonly lists: Lists;
  readonly files: Files;
  readonly log: TransferLogTable;
  readonly settings: Settings;
  readonly pages: Pages;
  readonly writer: Writer;
  /** Commits the open batch and releases the data folder. */
  close(): void;
}

/** @param unreadable called for a transfer that cannot be read */
export function openStore({ db }: OpenedDatabase, sealer: Sealer, clock: Clock, unreadable?: () => void): Store {
  const writer = openWriter(db, clock);
  return {
    transfers: transfersTable(db, sealer, unreadable),
    lists: transferLists(db),
    files: filesTable(db),
    log: transferLogTable(db),
    settings: settingsTable(db),
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
