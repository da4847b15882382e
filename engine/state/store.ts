import type { Clock } from '../ports.ts';
import type { Sealer } from '../secrets/seal.ts';
import type { OpenedDatabase } from './database.ts';
import { type Files, filesTable } from './files.ts';
import { filePages, type Pages } from './pages.ts';
import { type Settings, settingsTable } from './settings.ts';
import { type TransferLogTable, transferLogTable } from './transfer-log.ts';
import { type Transfers, transfersTable } from './transfers.ts';
import { openWriter, type Writer } from './writer.ts';

/** All that the agent remembers. Every change goes through `writer.write`. */
export interface Store {
  readonly transfers: Transfers;
  readonly files: Files;
  readonly log: TransferLogTable;
  readonly settings: Settings;
  readonly pages: Pages;
  readonly writer: Writer;
  /** Commits what is open and lets the data folder go. */
  close(): void;
}

export function openStore({ db }: OpenedDatabase, sealer: Sealer, clock: Clock): Store {
  const writer = openWriter(db, clock);
  return {
    transfers: transfersTable(db, sealer),
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
