import type Database from 'better-sqlite3';
import type { LedgerRow, LedgerState, NewLedgerRow } from '../record.ts';

/**
 * What each automation sent or received. One row for each key; a file that is sent again takes the place of its former
 * row. Every change goes through the state's writer.
 */
export interface Ledger {
  /** Adds rows, or replaces those with the same key. */
  put(automationId: string, rows: Iterable<NewLedgerRow>): void;
  byKey(automationId: string, key: string): LedgerRow | null;
  byIdentity(automationId: string, identity: string): LedgerRow[];
  byContent(automationId: string, blake3: string): LedgerRow[];
  /** Its rows in a state, by id. */
  inState(automationId: string, state: LedgerState, afterId: number, limit: number): LedgerRow[];
  /** The rows of a transfer, by id. */
  ofTransfer(transferId: string, afterId: number, limit: number): LedgerRow[];
  /** The transfers whose end the ledger does not know yet, and those that failed. */
  openTransfers(automationId: string): string[];
  change(id: number, change: Partial<Omit<LedgerRow, 'id' | 'key'>>): void;
  remove(automationId: string, key: string): void;
  /** The state of all rows of a transfer that are in one of `from`. Returns how many changed. */
  moveTransfer(transferId: string, from: readonly LedgerState[], to: Pick<LedgerRow, 'state' | 'message' | 'at'>): number;
  counts(automationId: string): Readonly<Record<LedgerState, number>>;
  /** The newest first. */
  page(automationId: string, query: { afterId: number | null; limit: number; search: string }): { total: number; records: LedgerRow[] };
  /** Takes rows out that are not under way; `null`: all such rows. Returns how many. */
  forget(automationId: string, ids: readonly number[] | null): number;
}

interface Row {
  readonly id: number;
  readonly key: string;
  readonly path: string;
  readonly size: number;
  readonly modified_at: number;
  readonly identity: string;
  readonly blake3: string;
  readonly package_id: string;
  readonly transfer_id: string;
  readonly state: LedgerState;
  readonly message: string;
  readonly target: string;
  readonly at: number;
}

const noCounts: Readonly<Record<LedgerState, number>> = {
  existing: 0,
  sending: 0,
  sent: 0,
  moved: 0,
  deleted: 0,
  receiving: 0,
  received: 0,
  failed: 0,
  left_out: 0,
};

export function ledgerTable(db: Database.Database): Ledger {
  const put = db.prepare(`
    INSERT INTO ledger (automation_id, key, path, size, modified_at, identity, blake3, package_id, transfer_id, state, message, target, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (automation_id, key) DO UPDATE SET path = excluded.path, size = excluded.size, modified_at = excluded.modified_at,
      identity = excluded.identity, blake3 = excluded.blake3, package_id = excluded.package_id, transfer_id = excluded.transfer_id,
      state = excluded.state, message = excluded.message, target = excluded.target, at = excluded.at`);
  const byKey = db.prepare<[string, string], Row>('SELECT * FROM ledger WHERE automation_id = ? AND key = ?');
  const byIdentity = db.prepare<[string, string], Row>("SELECT * FROM ledger WHERE automation_id = ? AND identity = ? AND identity <> ''");
  const byContent = db.prepare<[string, string], Row>("SELECT * FROM ledger WHERE automation_id = ? AND blake3 = ? AND blake3 <> ''");
  const inState = db.prepare<[string, string, number, number], Row>(
    'SELECT * FROM ledger WHERE automation_id = ? AND state = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const ofTransfer = db.prepare<[string, number, number], Row>(
    "SELECT * FROM ledger WHERE transfer_id = ? AND transfer_id <> '' AND id > ? ORDER BY id LIMIT ?",
  );
  const openTransfers = db
    .prepare<[string], string>(
      `SELECT DISTINCT transfer_id FROM ledger
       WHERE automation_id = ? AND state IN ('sending', 'receiving', 'failed') AND transfer_id <> ''`,
    )
    .pluck();
  const byId = db.prepare<[number], Row>('SELECT * FROM ledger WHERE id = ?');
  const change = db.prepare(`
    UPDATE ledger SET path = @path, size = @size, modified_at = @modified_at, identity = @identity, blake3 = @blake3,
      package_id = @package_id, transfer_id = @transfer_id, state = @state, message = @message, target = @target, at = @at
    WHERE id = @id`);
  const moveTransfer = db.prepare<[string, string, number, string, string]>(`
    UPDATE ledger SET state = ?, message = ?, at = ?
    WHERE transfer_id = ? AND transfer_id <> '' AND state IN (SELECT value FROM json_each(?))`);
  const counts = db.prepare<[string], { state: LedgerState; count: number }>(
    'SELECT state, count(*) AS count FROM ledger WHERE automation_id = ? GROUP BY state',
  );
  const total = db
    .prepare<[string, string], number>("SELECT count(*) FROM ledger WHERE automation_id = ? AND path LIKE ? ESCAPE '\\'")
    .pluck();
  const page = db.prepare<[string, string, number, number], Row>(
    "SELECT * FROM ledger WHERE automation_id = ? AND path LIKE ? ESCAPE '\\' AND id < ? ORDER BY id DESC LIMIT ?",
  );
  const remove = db.prepare('DELETE FROM ledger WHERE automation_id = ? AND key = ?');
  const forgetOne = db.prepare("DELETE FROM ledger WHERE automation_id = ? AND id = ? AND state NOT IN ('sending', 'receiving')");
  const forgetAll = db.prepare("DELETE FROM ledger WHERE automation_id = ? AND state NOT IN ('sending', 'receiving')");

  return {
    put(automationId, rows) {
      for (const row of rows) {
        put.run(
          automationId,
          row.key,
          row.path,
          row.size,
          row.modifiedAt,
          row.identity ?? '',
          row.blake3 ?? '',
          row.packageId ?? '',
          row.transferId ?? '',
          row.state,
          row.message ?? '',
          row.target ?? '',
          row.at,
        );
      }
    },
    byKey(automationId, key) {
      const row = byKey.get(automationId, key);
      return row ? entryOf(row) : null;
    },
    byIdentity: (automationId, identity) => byIdentity.all(automationId, identity).map(entryOf),
    byContent: (automationId, blake3) => byContent.all(automationId, blake3).map(entryOf),
    inState: (automationId, state, afterId, limit) => inState.all(automationId, state, afterId, limit).map(entryOf),
    ofTransfer: (transferId, afterId, limit) => ofTransfer.all(transferId, afterId, limit).map(entryOf),
    openTransfers: (automationId) => openTransfers.all(automationId),
    change(id, changes) {
      const row = byId.get(id);
      if (row) change.run(rowOf({ ...entryOf(row), ...changes }));
    },
    remove: (automationId, key) => void remove.run(automationId, key),
    moveTransfer: (transferId, from, { state, message, at }) =>
      moveTransfer.run(state, message, at, transferId, JSON.stringify(from)).changes,
    counts: (automationId) => ({ ...noCounts, ...Object.fromEntries(counts.all(automationId).map(({ state, count }) => [state, count])) }),
    page(automationId, { afterId, limit, search }) {
      const like = `%${search.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
      return {
        total: total.get(automationId, like) ?? 0,
        records: page.all(automationId, like, afterId ?? Number.MAX_SAFE_INTEGER, limit).map(entryOf),
      };
    },
    forget(automationId, ids) {
      if (ids === null) return forgetAll.run(automationId).changes;
      return ids.reduce((sum, id) => sum + forgetOne.run(automationId, id).changes, 0);
    },
  };
}

const entryOf = ({ modified_at, package_id, transfer_id, ...row }: Row): LedgerRow => {
  // The automation's id is in the row too, and no part of an entry.
  const { automation_id: _, ...rest } = row as typeof row & { automation_id?: string };
  return { ...rest, modifiedAt: modified_at, packageId: package_id, transferId: transfer_id };
};

const rowOf = ({ modifiedAt, packageId, transferId, ...entry }: LedgerRow): Row => ({
  ...entry,
  modified_at: modifiedAt,
  package_id: packageId,
  transfer_id: transferId,
});
