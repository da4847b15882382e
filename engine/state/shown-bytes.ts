import type Database from 'better-sqlite3';

/**
 * Bytes that were shown of running transfers since their records were saved. A row of its own is small, where a record has
 * its paths and secrets with it, so it can be written before each progress event.
 */
export interface ShownBytesTable {
  set(transferId: string, bytes: number): void;
  /** The transfer's record has its bytes. */
  remove(transferId: string): void;
  /** Moves what a killed agent has left into the records, which are older. */
  settle(): void;
}

export function shownBytesTable(db: Database.Database): ShownBytesTable {
  const set = db.prepare('INSERT INTO shown_bytes (transfer_id, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes');
  const remove = db.prepare('DELETE FROM shown_bytes WHERE transfer_id = ?');
  const settle = db.prepare('UPDATE transfers SET bytes = shown.bytes FROM shown_bytes AS shown WHERE shown.transfer_id = transfers.id');
  const clear = db.prepare('DELETE FROM shown_bytes');
  return {
    set: (transferId, bytes) => void set.run(transferId, bytes),
    remove: (transferId) => void remove.run(transferId),
    settle() {
      settle.run();
      clear.run();
    },
  };
}
