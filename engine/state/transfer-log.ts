import type Database from 'better-sqlite3';
import type { LogEvent } from '#protocol/agent/transfer-actions.ts';

interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: LogEvent;
  readonly detail: string;
}

/** The last events of each transfer. They are deleted together with it. */
export interface TransferLogTable {
  note(transferId: string, entry: LogEntry): void;
  /** Oldest first. */
  of(transferId: string): LogEntry[];
}

/** Entries of one transfer. */
const maxEntries = 200;
/** Characters. */
const maxDetailLength = 1_000;

export function transferLogTable(db: Database.Database): TransferLogTable {
  const insert = db.prepare(`
    INSERT INTO transfer_log (transfer_id, number, at, event, detail)
    VALUES (@id, (SELECT coalesce(max(number), 0) + 1 FROM transfer_log WHERE transfer_id = @id), @at, @event, @detail)`);
  const trim = db.prepare(`
    DELETE FROM transfer_log WHERE transfer_id = @id
      AND number <= (SELECT max(number) FROM transfer_log WHERE transfer_id = @id) - ${maxEntries}`);
  const all = db.prepare<[string], LogEntry>('SELECT at, event, detail FROM transfer_log WHERE transfer_id = ? ORDER BY number');
  return {
    note(id, { at, event, detail }) {
      insert.run({ id, at, event, detail: detail.slice(0, maxDetailLength) });
      trim.run({ id });
    },
    of: (id) => all.all(id),
  };
}
