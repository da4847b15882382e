import type Database from 'better-sqlite3';
import { transferStates } from '#protocol/agent/transfer-states.ts';
import { causes, type TimeSpent } from '../io/time-split.ts';
import type { Sealer } from '../secrets/seal.ts';
import { type DownloadRecord, recipientsOf, type TransferRecord, type UploadRecord } from '../transfer/record.ts';
import type { Failure, Phase } from '../transfer/state-machine.ts';
import { fold } from './lists.ts';
import { priorities, ranks } from './priorities.ts';
import { factsIn, savedFacts, shownShareIn } from './saved-facts.ts';

/** The transfers table. Secrets are sealed when written and opened when read. */
export interface Transfers {
  insert(record: TransferRecord): void;
  /** Everything of a record but its request. */
  update(record: TransferRecord): void;
  /** Updates only its queue position. */
  setPosition(id: string, position: number): void;
  /** Removes it from the list permanently and at once. Its data is deleted later in small steps. */
  hide(id: string): void;
  /** Transfers removed from the list and not deleted yet. */
  hidden(): string[];
  /** Deletes it together with all its remaining data. */
  remove(id: string): void;
  /** `null` if it is not in the list. An unreadable transfer is reported and treated as missing. */
  get(id: string): TransferRecord | null;
  nextPosition(): number;
  /** Appends paths to those of an upload. */
  addPaths(id: string, paths: readonly string[]): void;
}

/** A row of the table. */
export interface Row {
  id: string;
  kind: string;
  state: Phase['state'];
  name: string;
  priority: number;
  position: number;
  request: string;
  facts: string;
  secrets: string;
  error: string | null;
  bytes: number;
  total_bytes: number;
  files: number;
  total_files: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  paused_since: number | null;
  paused_until: number | null;
  rate_limit: number;
  time_spent: string | null;
  folded_name: string;
  team_id: string | null;
  portal_id: string | null;
  clean_up_due: number;
  due_at: number | null;
  searched: string;
}

/** @param unreadable called for a transfer that cannot be read (engine/state/salvage.ts) */
export function transfersTable(db: Database.Database, sealer: Sealer, unreadable: () => void = () => {}): Transfers {
  const insert = db.prepare(`
    INSERT INTO transfers (id, kind, state, name, priority, position, request, facts, secrets, error, bytes, total_bytes, files, total_files,
                           created_at, updated_at, finished_at, paused_since, paused_until, rate_limit, time_spent,
                           folded_name, team_id, portal_id, clean_up_due, due_at, searched)
    VALUES (@id, @kind, @state, @name, @priority, @position, @request, @facts, @secrets, @error, @bytes, @total_bytes, @files, @total_files,
            @created_at, @updated_at, @finished_at, @paused_since, @paused_until, @rate_limit, @time_spent,
            @folded_name, @team_id, @portal_id, @clean_up_due, @due_at, @searched)`);
  const update = db.prepare(`
    UPDATE transfers SET state = @state, name = @name, priority = @priority, position = @position, facts = @facts, secrets = @secrets,
      error = @error, bytes = @bytes, total_bytes = @total_bytes, files = @files, total_files = @total_files, updated_at = @updated_at,
      finished_at = @finished_at, paused_since = @paused_since, paused_until = @paused_until, rate_limit = @rate_limit,
      time_spent = @time_spent, folded_name = @folded_name, clean_up_due = @clean_up_due, due_at = @due_at,
      searched = @searched
    WHERE id = @id`);
  const hide = db.prepare('UPDATE transfers SET removed = 1 WHERE id = ?');
  const hidden = db.prepare<[], { id: string }>('SELECT id FROM transfers WHERE removed = 1');
  const setPosition = db.prepare('UPDATE transfers SET position = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM transfers WHERE id = ?');
  const one = db.prepare<[string], Row>('SELECT * FROM transfers WHERE id = ? AND removed = 0');
  const lastPosition = db.prepare<[], { last: number }>('SELECT coalesce(max(position), 0) AS last FROM transfers WHERE removed = 0');

  const addedPaths = db.prepare<[string], string>('SELECT path FROM added_paths WHERE transfer_id = ? ORDER BY number').pluck();
  const addPath = db.prepare(`
    INSERT INTO added_paths (transfer_id, number, path)
    VALUES (@id, (SELECT coalesce(max(number), 0) + 1 FROM added_paths WHERE transfer_id = @id), @path)`);

  const toRow = (record: TransferRecord): Row => ({
    id: record.id,
    kind: record.kind,
    state: record.phase.state,
    name: record.name,
    priority: ranks[record.priority],
    position: record.position,
    request: JSON.stringify(record.request),
    facts: JSON.stringify(savedFacts(record)),
    secrets: sealer.seal(JSON.stringify(record.secrets)),
    error: record.phase.state === 'error' ? JSON.stringify(record.phase.failure) : null,
    bytes: record.bytes,
    total_bytes: record.totalBytes,
    files: record.files,
    total_files: record.totalFiles,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    finished_at: 'finishedAt' in record.phase ? record.phase.finishedAt : null,
    paused_since: record.phase.state === 'paused' ? record.phase.since : null,
    paused_until: record.phase.state === 'paused' ? record.phase.until : null,
    rate_limit: record.rateLimit,
    time_spent: record.timeSpent ? JSON.stringify(record.timeSpent) : null,
    folded_name: fold(record.name),
    team_id: record.kind === 'upload' ? record.request.teamId : null,
    portal_id: record.kind === 'upload' ? (record.request.portal?.id ?? null) : null,
    clean_up_due: record.kind === 'upload' && record.facts.package.state === 'to_delete' ? 1 : 0,
    due_at: record.dueAt ?? null,
    searched: fold(searchedIn(record).join('\n')),
  });

  return {
    insert: (record) => void insert.run(toRow(record)),
    update: (record) => {
      const { kind: _kind, request: _request, created_at: _created, team_id: _team, portal_id: _portal, ...changing } = toRow(record);
      update.run(changing);
    },
    hide: (id) => void hide.run(id),
    hidden: () => hidden.all().map(({ id }) => id),
    setPosition: (id, position) => void setPosition.run(position, id),
    remove: (id) => void remove.run(id),
    get(id) {
      const row = one.get(id);
      if (!row) return null;
      const record = recordIn(row, sealer);
      if (!record) unreadable();
      return record?.kind === 'upload' ? { ...record, added: addedPaths.all(id) } : record;
    },
    nextPosition: () => (lastPosition.get()?.last ?? 0) + 1,
    addPaths(id, paths) {
      for (const path of paths) addPath.run({ id, path });
    },
  };
}

/** Texts by which a person would look for it. */
function searchedIn(record: TransferRecord): readonly string[] {
  if (record.kind === 'download') return [record.name];
  return [record.name, ...recipientsOf(record), record.request.portal?.name ?? ''];
}

/** A corrupted value is ignored, so that the other fields of the transfer are not lost. */
function timeSpentOf(text: string | null): { readonly timeSpent?: TimeSpent } {
  try {
    const spent = JSON.parse(text ?? 'null') as TimeSpent | null;
    return spent && causes.every((cause) => Number.isFinite(spent[cause])) ? { timeSpent: spent } : {};
  } catch {
    return {};
  }
}

function phaseOf(row: Row): Phase {
  switch (row.state) {
    case 'complete':
    case 'cancelled':
      return { state: row.state, finishedAt: row.finished_at ?? row.updated_at };
    case 'paused':
      return { state: 'paused', since: row.paused_since ?? row.updated_at, until: row.paused_until };
    case 'error':
      return { state: 'error', failure: objectIn(row.error ?? '{}') as unknown as Failure };
    default:
      return { state: row.state };
  }
}

/** `null` if it is corrupted, or its secrets were sealed with another key. Added paths are not included. */
export function recordIn(row: Row, sealer: Sealer): TransferRecord | null {
  try {
    return fromRow(row, sealer);
  } catch {
    return null;
  }
}

function objectIn(text: string): object {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('This is not an object.');
  return value;
}

const states: readonly string[] = transferStates;

function fromRow(row: Row, sealer: Sealer): TransferRecord {
  if (!states.includes(row.state)) throw new TypeError(`There is no state "${row.state}".`);
  const common = {
    id: row.id,
    phase: phaseOf(row),
    name: row.name,
    priority: priorities[row.priority] ?? 'normal',
    position: row.position,
    rateLimit: row.rate_limit,
    bytes: row.bytes,
    totalBytes: row.total_bytes,
    files: row.files,
    totalFiles: row.total_files,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.due_at === null ? {} : { dueAt: row.due_at }),
    ...timeSpentOf(row.time_spent),
  };
  const request = objectIn(row.request);
  const saved = objectIn(row.facts);
  const facts = factsIn(row.kind, saved);
  const secrets = objectIn(sealer.open(row.secrets));
  return { ...common, ...shownShareIn(saved), kind: row.kind, request, facts, secrets } as UploadRecord | DownloadRecord;
}
