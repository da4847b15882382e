import type { LogEvent, TransferSummary } from '#protocol/agent/many-transfers.ts';
import { type AgentTransfer, type TransferFilter, type TransferQuery, transferStates } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import type { PageOf } from '../engine.ts';
import type { Happening } from '../events.ts';
import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import type { Clock } from '../ports.ts';
import type { ListFilter } from '../state/lists.ts';
import type { Store } from '../state/store.ts';
import { type Activity, createActivity } from './activity.ts';
import { createEventLog } from './event-log.ts';
import type { DownloadRecord, TransferRecord, UploadRecord } from './record.ts';
import { isOver, nextPhase, type PhaseEvent } from './states.ts';
import { transferView } from './view.ts';

/**
 * Registry of all transfers of this agent; it reads and writes the store, and publishes changes. Only running
 * transfers, and those whose last change is not committed yet, are in memory (docs/decisions/0031).
 */
export interface TransferRegistry {
  /** `null` for an unknown id. */
  find(id: string): TransferRecord | null;
  /** `not_found` for an unknown id. */
  get(id: string): TransferRecord;
  add(record: TransferRecord): void;
  /**
   * Applies an event to a transfer's phase; returns false if the event has no effect in this phase. An event that ends
   * a job is committed.
   */
  apply(id: string, event: PhaseEvent): boolean;
  /** Sets the expected size of an upload that is not scanned yet; the scan replaces it. In memory only. */
  expect(id: string, bytes: number): void;
  /** Merges these facts into the upload, whatever other facts changed meanwhile. */
  patchUpload(id: string, facts: Partial<UploadRecord['facts']>): UploadRecord;
  patchUploadSecrets(id: string, secrets: Partial<UploadRecord['secrets']>): void;
  /** Adds the bytes and files that were found to an upload's totals (negative where a file has shrunk), and merges `facts`. */
  addTotals(id: string, by: { readonly bytes: number; readonly files: number }, facts?: Partial<UploadRecord['facts']>): void;
  changeDownload(id: string, change: Partial<Pick<DownloadRecord, 'facts' | 'secrets' | 'bytes' | 'files'>>): DownloadRecord;
  /** Writes an entry to the transfer's log that its phase does not show. */
  log(id: string, event: LogEvent, detail: string): void;
  /** Changes the settings of a transfer that a person can edit. */
  change(id: string, change: Partial<Pick<TransferRecord, 'priority' | 'position' | 'rateLimit'>>): void;
  /** Sets new queue positions, by id. If many transfers move, listeners are told to reload the lists. */
  setPositions(positions: ReadonlyMap<string, number>): void;
  /** Adds paths to an upload; they are scanned later. */
  addPaths(id: string, paths: readonly string[]): UploadRecord;
  /** Removes it from the list at once; housekeeping deletes its data later. */
  remove(id: string): void;
  /** Starts to track a running transfer from the counts of the files table; restarts if it is tracked already. */
  follow(id: string): Activity;
  /** Stops tracking, and saves the progress. */
  unfollow(id: string): void;
  /** Reads the totals from the files table again, after files were added. */
  recount(id: string): void;
  activity(id: string): Activity | null;
  view(id: string): AgentTransfer;
  list(query: TransferQuery): PageOf<AgentTransfer>;
  summary(filter: TransferFilter): TransferSummary;
  /** The same filter, completed with what no column stores: which transfers run, and which of them wait for a person. */
  resolved<F extends TransferFilter>(filter: F): F & ListFilter;
  /** Number of transfers in each state. */
  states(): TransferSummary['states'];
  /** Unreadable transfers were removed from the store: listeners are told to reload the lists. */
  invalidateAll(): void;
}

export interface TransferRegistryPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly emit: (happening: Happening) => void;
}

/** Events that end a job. */
const ends: ReadonlySet<PhaseEvent['type']> = new Set(['all_sent', 'finish', 'fail']);

/** Up to this many position changes are published one by one. */
const mostToldOneByOne = 200;
/** Milliseconds between two progress events of a transfer. */
const tellMilliseconds = 400;
/** Progress is saved at every n-th event; after a crash it is recounted from the files anyway. */
const tellingsPerWrite = 5;

export function createTransferRegistry({ store, clock, emit }: TransferRegistryPorts): TransferRegistry {
  const eventLog = createEventLog(store, clock);
  const activities = new Map<string, Activity>();
  /** Time splits of running transfers; totals of earlier runs are in the record. */
  const splits = new Map<string, TimeSplit>();
  /** Current records of running transfers, and of those changed in the open batch. */
  const loaded = new Map<string, TransferRecord>();
  const uncommitted = new Set<string>();
  /** Transfers removed in the open batch. */
  const removed = new Set<string>();
  /** The last counts, cached: a page of a list asks for them repeatedly. */
  let counted: { readonly key: string; readonly states: TransferSummary['states'] } | null = null;
  /** Expected bytes of uploads that are not scanned yet. */
  const expected = new Map<string, number>();
  const moving = new Set<string>();
  let tellings = 0;
  let ticking = false;

  store.writer.onEnd((lost) => {
    const changed = [...uncommitted];
    const left = [...removed];
    uncommitted.clear();
    removed.clear();
    if (!lost) {
      for (const id of changed) if (!activities.has(id)) loaded.delete(id);
      return;
    }
    // The batch was rolled back: the records are as in the database, and listeners are told.
    counted = null;
    eventLog.lost();
    for (const id of changed) {
      loaded.delete(id);
      const record = store.transfers.get(id);
      if (!record) emit({ type: 'transfer.removed', transfer_id: id });
      else {
        if (activities.has(id)) loaded.set(id, record);
        emit({ type: 'transfer.changed', transfer: shown(record) });
      }
    }
    if (left.length > 0) emit({ type: 'events.lost' });
  });

  const find = (id: string): TransferRecord | null => loaded.get(id) ?? store.transfers.get(id);

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

  const keepLoaded = (record: TransferRecord): void => {
    loaded.set(record.id, record);
    uncommitted.add(record.id);
  };

  const write = (record: TransferRecord): void => {
    store.writer.write(() => store.transfers.update(record));
    keepLoaded(record);
  };

  const put = (changed: TransferRecord, tell = true): void => {
    const record = { ...changed, updatedAt: clock.now() };
    write(record);
    if (tell) emit({ type: 'transfer.changed', transfer: view(record.id) });
  };

  /** The record with the live counts of its activity. */
  const withProgress = (record: TransferRecord): TransferRecord => {
    const activity = activities.get(record.id);
    return activity ? { ...record, bytes: activity.bytes, files: activity.files, timeSpent: activity.times.spent() } : record;
  };

  /** Publishes the progress of a transfer, and saves it now and then. */
  const tellOf = (id: string, writes: boolean): void => {
    try {
      eventLog.waiting(id, activities.get(id)?.waiting() ?? null);
      const record = loaded.get(id);
      if (record && writes) put(withProgress(record), false);
    } catch {
      // The batch is lost, and that was reported already. Progress is published all the same.
    }
    const record = loaded.get(id);
    if (record) emit({ type: 'transfer.changed', transfer: shown(record) });
  };

  const tick = (): void => {
    ticking = false;
    const writes = ++tellings % tellingsPerWrite === 0;
    const told = [...moving].filter((id) => loaded.has(id));
    moving.clear();
    for (const id of told) tellOf(id, writes);
    // One more event after the last byte, so that the screen does not keep an old speed.
    for (const [id, activity] of activities) if (activity.speed(clock.now()) > 0) touch(id);
  };

  const touch = (id: string): void => {
    moving.add(id);
    if (ticking) return;
    ticking = true;
    clock.after(tellMilliseconds, tick);
  };

  /** Whether it runs and waits for a person to act. */
  const waitsForPerson = (id: string): boolean => activities.get(id)?.waiting()?.advice?.needsPerson === true;

  const resolved = <F extends TransferFilter>(filter: F): F & ListFilter =>
    filter.needs_person === undefined ? filter : { ...filter, waitingForPerson: [...activities.keys()].filter(waitsForPerson) };

  const statesOf = ({ state: _, ...filter }: ListFilter): TransferSummary['states'] => {
    // "Waits for a person" changes without an event, so these counts are not cached.
    if (filter.needs_person !== undefined) return store.lists.states(filter);
    const { kind, name, team_id, portal_id } = filter;
    const key = JSON.stringify([kind, name, team_id, portal_id]);
    if (counted?.key !== key) counted = { key, states: store.lists.states(filter) };
    return counted.states;
  };

  /**
   * Expected bytes that the totals do not contain yet, and the number of waiting transfers they belong to; scanned or
   * ended uploads are dropped.
   */
  const yetToBeFound = (filter: TransferFilter): { readonly bytes: number; readonly waiting: number } => {
    let [bytes, waiting] = [0, 0];
    for (const id of [...expected.keys()]) {
      const record = find(id);
      if (record?.kind !== 'upload' || record.facts.scanned || isOver(record.phase)) expected.delete(id);
    }
    if (expected.size === 0) return { bytes, waiting };
    for (const id of store.lists.among([...expected.keys()], filter)) {
      const { phase, totalBytes } = get(id);
      bytes += Math.max(0, expected.get(id)! - totalBytes);
      if (totalBytes === 0 && phase.state !== 'transferring') waiting++;
    }
    return { bytes, waiting };
  };

  return {
    find,
    get,
    view,
    expect(id, bytes) {
      expected.set(id, bytes);
      touch(id);
    },
    add(record) {
      store.writer.write(() => store.transfers.insert(record));
      counted = null;
      keepLoaded(record);
      eventLog.note(record.id, 'added');
      emit({ type: 'transfer.added', transfer: view(record.id) });
    },
    apply(id, event) {
      const record = find(id);
      const phase = record ? nextPhase(record.phase, event) : null;
      if (!record || !phase) return false;
      put({ ...withProgress(record), phase }, false);
      if (phase.state !== record.phase.state) {
        counted = null;
        eventLog.phase(id, event);
      }
      // The end of a job must survive a crash once it is published. (A caller that asks for something else waits for
      // its own commit.)
      if (ends.has(event.type)) store.writer.flush();
      emit({ type: 'transfer.changed', transfer: view(id) });
      return true;
    },
    patchUpload(id, facts) {
      const record = upload(id);
      const next = { ...record, facts: { ...record.facts, ...facts } };
      put(next);
      return next;
    },
    patchUploadSecrets(id, secrets) {
      const record = upload(id);
      put({ ...record, secrets: { ...record.secrets, ...secrets } });
    },
    addTotals(id, { bytes, files }, facts = {}) {
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
    log: (id, event, detail) => eventLog.note(id, event, detail),
    change(id, change) {
      put({ ...get(id), ...change });
      if (change.priority !== undefined) eventLog.note(id, 'priority', change.priority);
      if (change.rateLimit !== undefined) eventLog.note(id, 'rate_limit', String(change.rateLimit));
    },
    setPositions(positions) {
      store.writer.write(() => {
        for (const [id, position] of positions) {
          store.transfers.setPosition(id, position);
          const record = loaded.get(id);
          if (record) keepLoaded({ ...record, position });
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
      loaded.delete(id);
      uncommitted.delete(id);
      removed.add(id);
      moving.delete(id);
      splits.delete(id);
      emit({ type: 'transfer.removed', transfer_id: id });
    },
    follow(id) {
      const counts = store.files.counts(id);
      const record = get(id);
      loaded.set(id, record);
      splits.get(id)?.end();
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
      const record = loaded.get(id);
      const last = record && withProgress(record);
      const wasShown = activities.get(id)?.finishing ?? false;
      activities.delete(id);
      splits.delete(id);
      eventLog.ended(id);
      moving.delete(id);
      if (!last) return;
      loaded.delete(id);
      try {
        put(last, wasShown);
      } catch {
        // Progress is counted again when it runs again.
      }
    },
    recount(id) {
      const counts = store.files.counts(id);
      put({ ...get(id), totalBytes: counts.totalBytes, totalFiles: counts.totalFiles });
    },
    activity: (id) => activities.get(id) ?? null,
    resolved,
    list(asked) {
      const query = resolved(asked);
      const states = inStates(statesOf(query), query.state);
      const records = store.lists.page(query).flatMap((id) => find(id) ?? []);
      return { total: Object.values(states).reduce((sum, count) => sum + count, 0), records: records.map(shown) };
    },
    summary(asked) {
      const filter = resolved(asked);
      const now = clock.now();
      const speed = { upload: 0, download: 0 };
      const states = inStates(statesOf(filter), filter.state);
      let needs = states.error;
      const found = yetToBeFound(filter);
      let left = store.lists.bytesLeft(filter) + found.bytes;
      let unmeasured = Math.max(0, store.lists.unmeasured(filter) - found.waiting);
      for (const id of store.lists.among([...activities.keys()], filter)) {
        const [record, activity] = [get(id), activities.get(id)!];
        speed[record.kind] += Math.round(activity.speed(now));
        if (isOver(record.phase)) continue;
        if (waitsForPerson(id)) needs++;
        if (record.kind === 'upload' && record.phase.state === 'transferring' && !record.facts.scanned && !expected.has(id)) unmeasured++;
        // Replaces the progress that was last saved.
        left += Math.max(0, record.totalBytes - activity.bytes) - Math.max(0, record.totalBytes - record.bytes);
      }
      return { states, needs_person: needs, bytes_left: left, unmeasured, upload_bps: speed.upload, download_bps: speed.download };
    },
    states: () => ({ ...statesOf({}) }),
    invalidateAll() {
      counted = null;
      emit({ type: 'events.lost' });
    },
  };
}

/** Only the states that the filter names; all if it names none. */
function inStates(states: TransferSummary['states'], named: TransferFilter['state'] = []): TransferSummary['states'] {
  if (named.length === 0) return { ...states };
  return Object.fromEntries(transferStates.map((state) => [state, named.includes(state) ? states[state] : 0])) as TransferSummary['states'];
}
