import type Database from 'better-sqlite3';
import { type TransferState, transferStates } from '#protocol/agent/transfer-states.ts';
import type { TransferFilter, TransferQuery } from '#protocol/agent/transfers.ts';
import type { Priority } from '../transfer/record.ts';
import { priorities, ranks } from './priorities.ts';
import { foundBy } from './search.ts';

/** A filter with a condition that no column answers. */
export interface ListFilter extends TransferFilter {
  /** Running transfers that wait for a person. `needs_person` matches these and the failed ones. */
  readonly waitingForPerson?: readonly string[];
  /** In its name, its recipients, its Portal or the names of its files. */
  readonly search?: string | undefined;
}

/**
 * Lists of transfers, as ids. No list is in memory: each order has its own index, and each filter needs one index only
 * (docs/decisions/0031).
 */
export interface Lists {
  /** One page in the requested order; by default the newest first. */
  page(query: TransferQuery & ListFilter): string[];
  /** All that match, in any order. */
  all(filter: ListFilter): string[];
  /** Of these, those that match. */
  among(ids: readonly string[], filter: ListFilter): string[];
  /** Matching transfers in each state. */
  states(filter: ListFilter): Record<TransferState, number>;
  /** Bytes left of matching transfers that are neither finished nor failed, as last saved. */
  bytesLeft(filter: ListFilter): number;
  /** Matching uploads that wait, and whose size is unknown because their scan has not begun; as last saved. */
  unmeasured(filter: ListFilter): number;
  /** Queued and running transfers of this service, counted among the first 5,000. */
  withService(serviceUrl: string): number;
  /** Queued transfers by priority and position. Write nothing until the iteration has ended. */
  queued(): IterableIterator<string>;
  /** Those of them without a deadline, in the same order. As above. */
  queuedUndue(): IterableIterator<{ readonly id: string; readonly priority: Priority }>;
  /** Queued transfers with a deadline: the first 256 by priority and deadline. */
  queuedDue(): DueRow[];
  /** Whether any transfer with a deadline is queued or running. */
  hasDue(): boolean;
  /** Bytes left of queued transfers that have a higher priority and no deadline; of the first 1,000, as last saved. */
  bytesAhead(priority: Priority): number;
  /** Transfers with a queue position. Failed ones keep theirs, because they may be retried. */
  line(): { readonly id: string; readonly position: number }[];
  /** Paused until a set time. */
  pausedForATime(): string[];
  /** Cancelled uploads whose files the service still stores. */
  dueForCleanup(): string[];
  /** Completed or cancelled before this time, without pending cleanup; the oldest first. */
  overBefore(time: number): string[];
  /** Whether an upload that is not over has a path with this id of a drop in it. */
  isDropUsed(id: string): boolean;
  /** The most recently changed. */
  lastChanged(states: readonly TransferState[], limit: number): string[];
}

/** A queued transfer with a deadline. */
interface DueRow {
  readonly id: string;
  readonly kind: 'upload' | 'download';
  readonly priority: Priority;
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  readonly bytes: number;
  readonly totalBytes: number;
  /** Whether the total is final: downloads, and uploads that are scanned. */
  readonly scanned: boolean;
  /** Bytes a second; 0 = no limit of its own. */
  readonly rateLimit: number;
}

/** Registers the SQL functions of the state file. `folded` is JavaScript's lower case, since SQLite's knows ASCII only. */
export function addFunctions(db: Database.Database): void {
  db.function('folded', { deterministic: true }, (text: unknown) => fold(String(text)));
}

export const fold = (text: string): string => text.toLowerCase();

type Field = 'queue' | 'position' | 'created_at' | 'finished_at' | 'name' | 'state' | 'total_bytes';

const isDone = "state IN ('complete', 'cancelled')";
const byTurn = [isDone, `CASE WHEN ${isDone} THEN -finished_at ELSE -priority END`, `CASE WHEN ${isDone} THEN -position ELSE position END`];

/** By the requested field, then by queue position, so that the order is stable. */
const orders: Readonly<Record<Field, { readonly index: string; readonly by: readonly string[] }>> = {
  queue: { index: 'transfers_by_turn', by: byTurn },
  position: { index: 'transfers_by_position', by: ['position'] },
  created_at: { index: 'transfers_by_created_at', by: ['created_at', 'position'] },
  finished_at: { index: 'transfers_by_finished_at', by: ['finished_at', 'position'] },
  name: { index: 'transfers_by_name', by: ['name', 'position'] },
  state: { index: 'transfers_by_state', by: ['state', 'position'] },
  total_bytes: { index: 'transfers_by_total_bytes', by: ['total_bytes', 'position'] },
};

interface Condition {
  /** Begins with `AND`, or is empty. */
  readonly sql: string;
  readonly values: readonly string[];
}

const live = "'queued', 'transferring', 'paused', 'idle'";

export function transferLists(db: Database.Database): Lists {
  const ids = (sql: string, ...values: readonly (string | number)[]): string[] =>
    db
      .prepare<(string | number)[], string>(sql)
      .pluck()
      .all(...values);
  const queued = db
    .prepare<[], string>("SELECT id FROM transfers WHERE state = 'queued' AND removed = 0 ORDER BY priority DESC, position")
    .pluck();
  const queuedUndue = db.prepare<[], { id: string; priority: number }>(
    "SELECT id, priority FROM transfers WHERE state = 'queued' AND removed = 0 AND due_at IS NULL ORDER BY priority DESC, position",
  );
  const queuedDue = db.prepare<[], Omit<DueRow, 'priority' | 'scanned'> & { priority: number; scanned: number }>(`
    SELECT id, kind, priority, position, due_at AS dueAt, bytes, total_bytes AS totalBytes, rate_limit AS rateLimit,
      kind = 'download' OR (json_valid(facts) AND facts ->> '$.scanned' IS 1) AS scanned
    FROM transfers INDEXED BY transfers_due WHERE due_at IS NOT NULL AND removed = 0 AND state = 'queued'
    ORDER BY priority DESC, due_at LIMIT 256`);
  const oneDue = db
    .prepare<[], number>(
      "SELECT 1 FROM transfers INDEXED BY transfers_due WHERE due_at IS NOT NULL AND removed = 0 AND state IN ('queued', 'transferring') LIMIT 1",
    )
    .pluck();
  const bytesAhead = db
    .prepare<[number], number>(`
      SELECT coalesce(sum(left), 0) FROM (
        SELECT max(0, total_bytes - bytes) AS left FROM transfers
        WHERE state = 'queued' AND priority > ? AND removed = 0 AND due_at IS NULL LIMIT 1000)`)
    .pluck();
  const line = db.prepare<[], { id: string; position: number }>(
    `SELECT id, position FROM transfers INDEXED BY transfers_by_turn WHERE removed = 0 AND (${isDone}) = 0`,
  );

  const withService = db
    .prepare<[string], number>(`
      SELECT count(*) FROM (SELECT request FROM transfers WHERE state IN ('queued', 'transferring') AND removed = 0 LIMIT 5000)
      WHERE json_extract(request, '$.serviceUrl') = ?`)
    .pluck();

  const unended = "t.kind = 'upload' AND t.state NOT IN ('complete', 'cancelled') AND t.removed = 0";
  const dropUse = db
    .prepare<[string, string], number>(`
      SELECT EXISTS (SELECT 1 FROM transfers t WHERE ${unended} AND instr(t.request, ?) > 0)
        OR EXISTS (SELECT 1 FROM added_paths a JOIN transfers t ON t.id = a.transfer_id WHERE instr(a.path, ?) > 0 AND ${unended})`)
    .pluck();

  return {
    page({ page, limit, sort = '-created_at', after, ...filter }) {
      const { index, by } = orders[sort.replace(/^-/, '') as Field];
      const order = by.map((column) => (sort.startsWith('-') ? `${column} DESC` : column)).join(', ');
      const [quick, found] = [byState(filter), byText(filter)];
      const among = found.sql && `AND +rowid IN (SELECT rowid FROM transfers INDEXED BY transfers_found WHERE removed = 0 ${found.sql})`;
      const searched = bySearch(filter);
      const cursor = afterCursor(after);
      // What was found is few: it is sorted, in place of looking through the whole order for it.
      const place = searched.sql === '' ? `INDEXED BY ${index}` : '';
      return ids(
        `SELECT id FROM transfers ${place} WHERE removed = 0 ${searched.sql} ${cursor.sql} ${quick.sql} ${among}
         ORDER BY ${order} LIMIT ? OFFSET ?`,
        ...searched.values,
        ...cursor.values,
        ...quick.values,
        ...found.values,
        limit,
        cursor.sql === '' ? (page - 1) * limit : 0,
      );
    },
    all(filter) {
      const { sql, values } = matching(filter);
      return ids(`SELECT id FROM transfers INDEXED BY transfers_found WHERE removed = 0 ${sql}`, ...values);
    },
    among(some, filter) {
      const { sql, values } = matching(filter);
      const named = 'id IN (SELECT value FROM json_each(?))';
      return ids(`SELECT id FROM transfers WHERE ${named} AND removed = 0 ${sql}`, JSON.stringify(some), ...values);
    },
    states(filter) {
      const [{ sql, values }, searched] = [matching(filter), bySearch(filter)];
      const place = searched.sql === '' ? 'INDEXED BY transfers_found' : '';
      const counted = db
        .prepare<string[], { state: string; count: number }>(
          `SELECT state, count(*) AS count FROM transfers ${place} WHERE removed = 0 ${searched.sql} ${sql} GROUP BY state`,
        )
        .all(...searched.values, ...values);
      const byName = new Map(counted.map(({ state, count }) => [state, count]));
      return Object.fromEntries(transferStates.map((state) => [state, byName.get(state) ?? 0])) as Record<TransferState, number>;
    },
    bytesLeft(filter) {
      const { sql, values } = matching(filter);
      const index = byText(filter).sql === '' ? 'transfers_left' : 'transfers_found';
      const left = db
        .prepare<string[], number>(`
          SELECT coalesce(sum(max(0, total_bytes - bytes)), 0) FROM transfers INDEXED BY ${index}
          WHERE removed = 0 AND state IN (${live}) ${sql}`)
        .pluck();
      return left.get(...values) ?? 0;
    },
    unmeasured(filter) {
      const { sql, values } = matching(filter);
      const index = byText(filter).sql === '' ? 'transfers_left' : 'transfers_found';
      const count = db
        .prepare<string[], number>(`
          SELECT count(*) FROM transfers INDEXED BY ${index}
          WHERE removed = 0 AND state IN (${live}) AND state IN ('queued', 'paused') AND kind = 'upload' AND total_bytes = 0 ${sql}`)
        .pluck();
      return count.get(...values) ?? 0;
    },
    withService: (serviceUrl) => withService.get(serviceUrl) ?? 0,
    queued: () => queued.iterate(),
    *queuedUndue() {
      for (const { id, priority } of queuedUndue.iterate()) yield { id, priority: priorities[priority] ?? 'normal' };
    },
    queuedDue: () =>
      queuedDue
        .all()
        .map(({ priority, scanned, ...row }) => ({ ...row, priority: priorities[priority] ?? 'normal', scanned: scanned === 1 })),
    hasDue: () => oneDue.get() !== undefined,
    bytesAhead: (priority) => bytesAhead.get(ranks[priority]) ?? 0,
    line: () => line.all(),
    pausedForATime: () => ids("SELECT id FROM transfers WHERE paused_until IS NOT NULL AND state = 'paused' AND removed = 0"),
    dueForCleanup: () => ids('SELECT id FROM transfers WHERE clean_up_due = 1 AND removed = 0'),
    overBefore: (time) =>
      ids(
        `SELECT id FROM transfers INDEXED BY transfers_by_finished_at
         WHERE removed = 0 AND finished_at < ? AND ${isDone} AND clean_up_due = 0 ORDER BY finished_at, rowid`,
        time,
      ),
    isDropUsed: (id) => dropUse.get(id, id) === 1,
    lastChanged: (states, limit) =>
      ids(
        `SELECT id FROM transfers WHERE removed = 0 AND state IN (${placeholders(states)}) ORDER BY updated_at DESC LIMIT ?`,
        ...states,
        limit,
      ),
  };
}

const placeholders = (values: readonly string[]): string => values.map(() => '?').join(', ');

/** Conditions on columns that every order's index contains. The `+` stops SQLite from searching by them, as it would then have to sort. */
function byState({ state = [], kind, needs_person: needs, waitingForPerson = [], over_since: since }: ListFilter): Condition {
  return allOf([
    since === undefined
      ? null
      : {
          sql: `+rowid IN (
            SELECT rowid FROM transfers INDEXED BY transfers_by_turn WHERE removed = 0 AND (${isDone}) = 0
            UNION ALL
            SELECT rowid FROM transfers INDEXED BY transfers_by_finished_at WHERE removed = 0 AND finished_at >= CAST(? AS INTEGER))`,
          values: [String(Date.parse(since))],
        },
    state.length > 0 ? { sql: `+state IN (${placeholders(state)})`, values: state } : null,
    kind === undefined ? null : { sql: '+kind = ?', values: [kind] },
    needs === undefined
      ? null
      : {
          sql: `${needs ? '' : 'NOT '}(+state = 'error' OR +id IN (SELECT value FROM json_each(?)))`,
          values: [JSON.stringify(waitingForPerson)],
        },
  ]);
}

function byText({ team_id: team, portal_id: portal, name = '' }: TransferFilter): Condition {
  return allOf([
    team === undefined ? null : { sql: 'team_id = ?', values: [team] },
    portal === undefined ? null : { sql: 'portal_id = ?', values: [portal] },
    name === '' ? null : { sql: 'instr(folded_name, ?) > 0', values: [fold(name)] },
  ]);
}

function bySearch({ search = '' }: ListFilter): Condition {
  if (search === '') return { sql: '', values: [] };
  const { sql, values } = foundBy(fold(search));
  return { sql: `AND id IN (${sql})`, values };
}

/** Where the next page of the newest begins (`cursorOf`). */
function afterCursor(after: string | undefined): Condition {
  if (after === undefined) return { sql: '', values: [] };
  return { sql: 'AND (created_at, position) < (CAST(? AS INTEGER), CAST(? AS INTEGER))', values: after.split('_') };
}

function matching(filter: ListFilter): Condition {
  const [quick, found] = [byState(filter), byText(filter)];
  return { sql: `${quick.sql} ${found.sql}`, values: [...quick.values, ...found.values] };
}

function allOf(conditions: readonly (Condition | null)[]): Condition {
  const there = conditions.filter((one) => one !== null);
  return { sql: there.map(({ sql }) => `AND ${sql}`).join(' '), values: there.flatMap(({ values }) => values) };
}
