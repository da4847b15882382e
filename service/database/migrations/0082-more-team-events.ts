import { type Kysely, sql } from 'kysely';

/** The audit log, a Team's settings and API keys are told of, too, as migration 0081 tells of the rest. */

interface Told {
  readonly table: string;
  readonly what: string;
  /** Rows of `changed` with the Team of each, and the id by which it is decided who hears of it; null for none. */
  readonly of: string;
  readonly on: readonly ('insert' | 'update' | 'delete')[];
  /** What of a row `r` nobody sees. */
  readonly hidden?: readonly string[];
}

const told: readonly Told[] = [
  // Entries never change. What retention removes is told nobody: it is the oldest, and much at once.
  { table: 'audit_entries', what: 'audit_log', of: 'select team_id, null::uuid as id from changed', on: ['insert'] },
  { table: 'teams', what: 'team', of: 'select changed.id as team_id, null::uuid as id from changed', on: ['update'] },
  {
    table: 'api_keys',
    what: 'api_keys',
    of: 'select team_id, created_by as id from changed',
    on: ['insert', 'update', 'delete'],
    hidden: ['last_request_at', 'updated_at'],
  },
];

const parts = {
  insert: { name: 'tell_added', referencing: 'new table as added' },
  update: { name: 'tell_changed', referencing: 'old table as removed new table as added' },
  delete: { name: 'tell_removed', referencing: 'old table as removed' },
} as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const { table, what, of, on, hidden = [] } of told) {
    const facts = `to_jsonb(r) - array[${hidden.map((name) => `'${name}'`).join(', ')}]::text[]`;
    const args = sql.join([what, of, 'id', facts].map((arg) => sql.lit(arg)));
    for (const event of on) {
      const { name, referencing } = parts[event];
      await sql`
        create trigger ${sql.raw(name)} after ${sql.raw(event)} on ${sql.table(table)} referencing ${sql.raw(referencing)}
        for each statement execute function tell_watchers(${args})`.execute(db);
    }
  }
}
