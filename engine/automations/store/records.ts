import type Database from 'better-sqlite3';
import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import type { Sealer } from '../../secrets/seal.ts';
import type { AutomationRecord } from '../record.ts';

/** The table of automations. Every change goes through the state's writer. */
export interface AutomationRows {
  /** By their making. One that cannot be read is not among them, and is reported. */
  all(): AutomationRecord[];
  insert(record: AutomationRecord): void;
  /** Everything but its kind and the time of its making. */
  update(record: AutomationRecord): void;
  ran(id: string, at: number): void;
  /** Takes it from the list for good. Its data is deleted later, in steps. */
  hide(id: string): void;
  /** Deletes about this many rows of hidden ones; false once there is nothing left. */
  removeSome(rows: number): boolean;
}

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly active: number;
  readonly fields: string;
  readonly facts: string;
  readonly secrets: string;
  readonly restricted: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_run_at: number | null;
}

/** @param unreadable called with the name of one that is damaged, or whose secrets are sealed with another key */
export function automationRows(db: Database.Database, sealer: Sealer, unreadable: (name: string) => void = () => {}): AutomationRows {
  const all = db.prepare<[], Row>('SELECT * FROM automations WHERE removed = 0 ORDER BY created_at, id');
  const insert = db.prepare(`
    INSERT INTO automations (id, kind, name, active, fields, facts, secrets, restricted, created_at, updated_at, last_run_at)
    VALUES (@id, @kind, @name, @active, @fields, @facts, @secrets, @restricted, @created_at, @updated_at, @last_run_at)`);
  const update = db.prepare(`
    UPDATE automations SET name = @name, active = @active, fields = @fields, facts = @facts, secrets = @secrets, restricted = @restricted,
      updated_at = @updated_at, last_run_at = @last_run_at
    WHERE id = @id`);
  const ran = db.prepare('UPDATE automations SET last_run_at = ? WHERE id = ?');
  const hide = db.prepare('UPDATE automations SET removed = 1 WHERE id = ?');
  const hidden = db.prepare<[], string>('SELECT id FROM automations WHERE removed = 1').pluck();
  const removeLedger = db.prepare('DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE automation_id = ? LIMIT ?)');
  const remove = db.prepare('DELETE FROM automations WHERE id = ?');

  const rowOf = ({ id, kind, fields, facts, secrets, restricted, createdAt, updatedAt, lastRunAt }: AutomationRecord): Row => ({
    id,
    kind,
    name: fields.name,
    active: Number(fields.active),
    fields: JSON.stringify(fields),
    facts: JSON.stringify(facts),
    secrets: sealer.seal(JSON.stringify(secrets)),
    restricted: Number(restricted),
    created_at: createdAt,
    updated_at: updatedAt,
    last_run_at: lastRunAt,
  });

  return {
    all: () =>
      all.all().flatMap((row) => {
        try {
          return [recordOf(row, sealer)];
        } catch {
          unreadable(row.name);
          return [];
        }
      }),
    insert: (record) => void insert.run(rowOf(record)),
    update(record) {
      const { kind: _kind, created_at: _created, ...changing } = rowOf(record);
      update.run(changing);
    },
    ran: (id, at) => void ran.run(at, id),
    hide: (id) => void hide.run(id),
    removeSome(rows) {
      const id = hidden.get();
      if (id === undefined) return false;
      if (removeLedger.run(id, rows).changes === 0) remove.run(id);
      return true;
    },
  };
}

function recordOf(row: Row, sealer: Sealer): AutomationRecord {
  return {
    id: row.id,
    kind: row.kind as AutomationKind,
    fields: JSON.parse(row.fields),
    facts: JSON.parse(row.facts),
    secrets: JSON.parse(sealer.open(row.secrets)),
    restricted: row.restricted === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastRunAt: row.last_run_at,
  } as AutomationRecord;
}
