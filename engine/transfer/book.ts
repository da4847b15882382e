import type { TransferSummary } from '#protocol/agent/many-transfers.ts';
import { type AgentTransfer, type TransferFilter, type TransferQuery, transferStates } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import type { PageOf } from '../engine.ts';
import type { Happening } from '../events.ts';
import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { type Activity, createActivity } from './activity.ts';
import { createChronicle } from './chronicle.ts';
import type { DownloadRecord, TransferRecord, UploadRecord } from './record.ts';
import { isOver, nextPhase, type PhaseEvent } from './states.ts';
import { transferView } from './view.ts';

/**
 * Every transfer of this agent, as it stands in the store, and told to the world. In memory are those that run, and whose
 * last change is not safe yet (docs/decisions/0031).
 */
export interface Book {
  /** `null` for an unknown id. */
  find(id: string): TransferRecord | null;
  /** `not_found` for an unknown id. */
  get(id: string): TransferRecord;
  add(record: TransferRecord): void;
  /** Applies an event to a transfer's phase; false where it means nothing there. */
  apply(id: string, event: PhaseEvent): boolean;
  /** Adds to what has come to pass, whatever else has meanwhile. */
  noteUpload(id: string, facts: Partial<UploadRecord['facts']>): UploadRecord;
  noteSecrets(id: string, secrets: Partial<UploadRecord['secrets']>): void;
  /** So many more bytes and files of an upload have been found (less where a file has shrunk), and what else that means. */
  grow(id: string, by: { readonly bytes: number; readonly files: number }, facts?: Partial<UploadRecord['facts']>): void;
  changeDownload(id: string, change: Partial<Pick<DownloadRecord, 'facts' | 'secrets'>>): DownloadRecord;
  /** What a person sets of a transfer. */
  change(id: string, change: Partial<Pick<TransferRecord, 'priority' | 'position' | 'rateLimit'>>): void;
  /** New places in the queue, by id. Where thousands move, whoever listens is told to read the lists anew. */
  place(positions: ReadonlyMap<string, number>): void;
  /** More paths for an upload, to be scanned. */
  addPaths(id: string, paths: readonly string[]): UploadRecord;
  /** It leaves the list at once; what is kept of it is deleted by the agent's housekeeping. */
  remove(id: string): void;
  /** Begins to follow a running transfer, from what the files table says. */
  follow(id: string): Activity;
  /** Stops following; where it came to is written down. */
  unfollow(id: string): void;
  /** Takes the totals from the files table again, after files were added. */
  recount(id: string): void;
  activity(id: string): Activity | null;
  view(id: string): AgentTransfer;
  list(query: TransferQuery): PageOf<AgentTransfer>;
  summary(filter: TransferFilter): TransferSummary;
  /** How many there are in each state. */
  states(): TransferSummary['states'];
  /** Some were taken out of the store that could not be read: whoever listens is told to read the lists anew. */
  forgot(): void;
}

export interface BookPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly emit: (happening: Happening) => void;
}

/** How a job comes to its end. */
const ends: ReadonlySet<PhaseEvent['type']> = new Set(['all_sent', 'finish', 'fail']);

/** Places that change at once, each told of by itself. */
const mostToldOneByOne = 200;
/** How often a moving transfer is told of. */
const tellMilliseconds = 400;
/** Every so many tellings it is written down too; a crash recounts from the files anyway. */
const tellingsPerWrite = 5;

export function createBook({ store, clock, emit }: BookPorts): Book {
  const chronicle = createChronicle(store, clock);
  const activities = new Map<string, Activity>();
  /** Of those that run; what earlier runs have come to stands in the record. */
  const splits = new Map<string, TimeSplit>();
  /** As they are: those that run, and those that have changed in the batch that is open or in one that was lost. */
  const held = new Map<string, TransferRecord>();
  const unsafe = new Set<string>();
  /** What was counted last: a page of a list asks for it again and again. */
  let counted: { readonly key: string; readonly states: TransferSummary['states'] } | null = null;
  const moving = new Set<string>();
  let tellings = 0;
  let ticking = false;

  store.onBatchEnd((saved) => {
    const changed = [...unsafe];
    unsafe.clear();
    if (!saved) {
      counted = null;
      // What a full disk has lost stays as it came about, but for what was new: whoever asked for it is told.
      for (const id of changed.filter((one) => !store.transfers.get(one))) {
        held.delete(id);
        emit({ type: 'transfer.removed', transfer_id: id });
      }
      return;
    }
    for (const id of changed) if (!activities.has(id)) held.delete(id);
    // Those were lost with an earlier batch; of those that run, the next change is written.
    for (const record of held.values()) {
      if (activities.has(record.id)) continue;
      counted = null;
      write(record);
    }
  });

  const find = (id: string): TransferRecord | null => held.get(id) ?? store.transfers.get(id);

  const get = (id: string): TransferRecord => {
    const record = find(id);
    if (!record) throw new ApiError('not_found', { resource: 'transfer' });
    return record;
  };

  const upload = (id: string): UploadRecord => {
    const record = get(id);
    if (record.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return record;
  };

  const shown = (record: TransferRecord): AgentTransfer =>
    transferView(record, activities.get(record.id) ?? null, clock.now(), splits.get(record.id)?.spent());

  const view = (id: string): AgentTransfer => shown(get(id));

  const hold = (record: TransferRecord): void => {
    held.set(record.id, record);
    unsafe.add(record.id);
  };

  const write = (record: TransferRecord): void => {
    store.writer.write(() => store.transfers.update(record));
    hold(record);
  };

  const put = (changed: TransferRecord, tell = true): void => {
    const record = { ...changed, updatedAt: clock.now() };
    write(record);
    if (tell) emit({ type: 'transfer.changed', transfer: view(record.id) });
  };

  /** What a job came to has to hold after a crash once it is told. (Who asks for something else waits for its commit.) */
  const commitNow = (): void => {
    try {
      store.writer.flush();
    } catch {
      // The writer has told those that wait; a state that is lost comes about again.
    }
  };

  /** The record with what its activity has counted. */
  const withProgress = (record: TransferRecord): TransferRecord => {
    const activity = activities.get(record.id);
    return activity ? { ...record, bytes: activity.bytes, files: activity.files, timeSpent: activity.times.spent() } : record;
  };

  const tick = (): void => {
    ticking = false;
    const writes = ++tellings % tellingsPerWrite === 0;
    for (const id of moving) {
      const record = held.get(id);
      if (!record) continue;
      chronicle.waiting(id, activities.get(id)?.waiting() ?? null);
      if (writes) put(withProgress(record));
      else emit({ type: 'transfer.changed', transfer: shown(record) });
    }
    moving.clear();
    // One more round after the last byte, so that a speed does not stand still on the screen.
    for (const [id, activity] of activities) if (activity.speed(clock.now()) > 0) touch(id);
  };

  const touch = (id: string): void => {
    moving.add(id);
    if (ticking) return;
    ticking = true;
    clock.after(tellMilliseconds, tick);
  };

  const statesOf = ({ state: _, ...filter }: TransferFilter): TransferSummary['states'] => {
    const { kind, name, team_id, portal_id } = filter;
    const key = JSON.stringify([kind, name, team_id, portal_id]);
    if (counted?.key !== key) counted = { key, states: store.lists.states(filter) };
    return counted.states;
  };

  return {
    find,
    get,
    view,
    add(record) {
      store.writer.write(() => store.transfers.insert(record));
      counted = null;
      hold(record);
      chronicle.note(record.id, 'added');
      emit({ type: 'transfer.added', transfer: view(record.id) });
    },
    apply(id, event) {
      const record = find(id);
      const phase = record ? nextPhase(record.phase, event) : null;
      if (!record || !phase) return false;
      put({ ...withProgress(record), phase }, false);
      if (phase.state !== record.phase.state) {
        counted = null;
        chronicle.phase(id, event);
      }
      if (ends.has(event.type)) commitNow();
      emit({ type: 'transfer.changed', transfer: view(id) });
      return true;
    },
    noteUpload(id, facts) {
      const record = upload(id);
      const next = { ...record, facts: { ...record.facts, ...facts } };
      put(next);
      return next;
    },
    noteSecrets(id, secrets) {
      const record = upload(id);
      put({ ...record, secrets: { ...record.secrets, ...secrets } });
    },
    grow(id, { bytes, files }, facts = {}) {
      const record = upload(id);
      const grown = { totalBytes: record.totalBytes + bytes, totalFiles: record.totalFiles + files };
      put({ ...record, ...grown, facts: { ...record.facts, ...facts } }, false);
      touch(id);
    },
    changeDownload(id, change) {
      const record = get(id);
      if (record.kind !== 'download') throw new Error(`The transfer ${id} is no download.`);
      const next = { ...record, ...change };
      put(next);
      return next;
    },
    change(id, change) {
      put({ ...get(id), ...change });
      if (change.priority !== undefined) chronicle.note(id, 'priority', change.priority);
      if (change.rateLimit !== undefined) chronicle.note(id, 'rate_limit', String(change.rateLimit));
    },
    place(positions) {
      store.writer.write(() => {
        for (const [id, position] of positions) {
          store.transfers.place(id, position);
          const record = held.get(id);
          if (record) hold({ ...record, position });
        }
      });
      if (positions.size > mostToldOneByOne) emit({ type: 'events.lost' });
      else for (const id of positions.keys()) emit({ type: 'transfer.changed', transfer: view(id) });
    },
    addPaths(id, paths) {
      const record = upload(id);
      const all = record.request.paths.length + record.added.length;
      const { rootsScanned = record.facts.scanned ? all : undefined, ...facts } = record.facts;
      const next = {
        ...record,
        added: [...record.added, ...paths],
        facts: { ...facts, scanned: false, ...(rootsScanned === undefined ? {} : { rootsScanned }) },
      };
      store.writer.write(() => {
        store.transfers.addPaths(id, paths);
        put(next);
      });
      return next;
    },
    remove(id) {
      store.writer.write(() => store.transfers.hide(id));
      counted = null;
      held.delete(id);
      moving.delete(id);
      splits.delete(id);
      emit({ type: 'transfer.removed', transfer_id: id });
    },
    follow(id) {
      const counts = store.files.counts(id);
      const record = get(id);
      held.set(id, record);
      const times = createTimeSplit(undefined, record.timeSpent);
      splits.set(id, times);
      times.begin();
      const activity = createActivity({
        bytes: counts.bytes,
        files: counts.files,
        now: () => clock.now(),
        changed: () => touch(id),
        times,
      });
      activities.set(id, activity);
      return activity;
    },
    unfollow(id) {
      splits.get(id)?.end();
      const record = held.get(id);
      if (record) put(withProgress(record), false);
      activities.delete(id);
      splits.delete(id);
      chronicle.ended(id);
      moving.delete(id);
    },
    recount(id) {
      const counts = store.files.counts(id);
      put({ ...get(id), totalBytes: counts.totalBytes, totalFiles: counts.totalFiles });
    },
    activity: (id) => activities.get(id) ?? null,
    list(query) {
      const states = inStates(statesOf(query), query.state);
      const records = store.lists.page(query).flatMap((id) => find(id) ?? []);
      return { total: Object.values(states).reduce((sum, count) => sum + count, 0), records: records.map(shown) };
    },
    summary(filter) {
      const now = clock.now();
      const speed = { upload: 0, download: 0 };
      let left = store.lists.bytesLeft(filter);
      for (const id of store.lists.among([...activities.keys()], filter)) {
        const [record, activity] = [get(id), activities.get(id)!];
        speed[record.kind] += Math.round(activity.speed(now));
        if (isOver(record.phase)) continue;
        // In the place of what was last written down.
        left += Math.max(0, record.totalBytes - activity.bytes) - Math.max(0, record.totalBytes - record.bytes);
      }
      return { states: inStates(statesOf(filter), filter.state), bytes_left: left, upload_bps: speed.upload, download_bps: speed.download };
    },
    states: () => ({ ...statesOf({}) }),
    forgot() {
      counted = null;
      emit({ type: 'events.lost' });
    },
  };
}

/** Those states alone that a filter names; all, where it names none. */
function inStates(states: TransferSummary['states'], named: TransferFilter['state'] = []): TransferSummary['states'] {
  if (named.length === 0) return { ...states };
  return Object.fromEntries(transferStates.map((state) => [state, named.includes(state) ? states[state] : 0])) as TransferSummary['states'];
}
