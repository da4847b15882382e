import type { LogEvent } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Happening } from '../events.ts';
import type { RootIdentity } from '../folders/root-identity.ts';
import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { type Activity, createActivity } from './activity.ts';
import type { Deadlines } from './deadlines/deadlines.ts';
import { createEventLog } from './event-log.ts';
import { createProgressTicker } from './progress-ticker.ts';
import type { DownloadChange, DownloadRecord, TransferRecord, UploadRecord } from './record.ts';
import { createShownShares } from './shown-shares.ts';
import { nextPhase, type PhaseEvent } from './state-machine.ts';
import { createTransferLists, type TransferLists } from './transfer-lists.ts';
import { progressView, transferView } from './view.ts';

/**
 * Registry of all transfers of this agent; it reads and writes the store, and publishes changes. Only running
 * transfers, and those whose last change is not committed yet, are in memory (docs/decisions/0031).
 */
export interface TransferRegistry extends Omit<TransferLists, 'invalidate'> {
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
  /** Merges these facts into the upload, whatever other facts changed meanwhile. */
  patchUpload(id: string, facts: Partial<UploadRecord['facts']>): UploadRecord;
  patchUploadSecrets(id: string, secrets: Partial<UploadRecord['secrets']>): void;
  /** Adds the bytes and files that were found to an upload's totals (negative where a file has shrunk), and merges `facts`. */
  addTotals(id: string, by: { readonly bytes: number; readonly files: number }, facts?: Partial<UploadRecord['facts']>): void;
  changeDownload(id: string, change: DownloadChange): DownloadRecord;
  /** Something that is not in its record has changed: listeners are told. */
  publish(id: string): void;
  /** Writes an entry to the transfer's log that its phase does not show. */
  log(id: string, event: LogEvent, detail: string): void;
  /** Changes the settings of a transfer that a person can edit. */
  change(id: string, change: Partial<Pick<TransferRecord, 'priority' | 'position' | 'rateLimit' | 'dueAt'>>): void;
  /** Sets new queue positions, by id. If many transfers move, listeners are told to reload the lists. */
  setPositions(positions: ReadonlyMap<string, number>): void;
  /** Adds paths to an upload; they are scanned later. */
  addPaths(id: string, paths: readonly string[], roots: readonly (RootIdentity | null)[]): UploadRecord;
  /** Removes it from the list at once; housekeeping deletes its data later. */
  remove(id: string): void;
  /** Starts to track a running transfer from the counts of the files table; restarts if it is tracked already. */
  follow(id: string): Activity;
  /** Stops tracking, and saves the progress. */
  unfollow(id: string): void;
  /** Reads the totals from the files table again, after files were added. */
  recount(id: string): void;
  /** Reads what is done from the files table, of a transfer that does not run: after some of it was thrown away. */
  recountDone(id: string): void;
  activity(id: string): Activity | null;
  view(id: string): AgentTransfer;
  /** Unreadable transfers were removed from the store: listeners are told to reload the lists. */
  invalidateAll(): void;
}

interface TransferRegistryPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly emit: (happening: Happening) => void;
  /** What a transfer's deadline is like, and for which one it waits. */
  readonly deadlines?: Pick<Deadlines, 'view' | 'waiting'>;
}

/** Events that end a job. */
const ends: ReadonlySet<PhaseEvent['type']> = new Set(['all_sent', 'finish', 'fail']);

/** Up to this many position changes are published one by one. */
const maxSingleEvents = 200;

export function createTransferRegistry({ store, clock, emit, deadlines }: TransferRegistryPorts): TransferRegistry {
  const eventLog = createEventLog(store, clock);
  const activities = new Map<string, Activity>();
  const shares = createShownShares();
  /** Time splits of running transfers; totals of earlier runs are in the record. */
  const splits = new Map<string, TimeSplit>();
  /** Current records of running transfers, and of those changed in the open batch. */
  const loaded = new Map<string, TransferRecord>();
  const uncommitted = new Set<string>();
  /** Transfers removed in the open batch. */
  const removed = new Set<string>();

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
    lists.invalidate();
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

  const shown = (record: TransferRecord): AgentTransfer => {
    const activity = activities.get(record.id) ?? null;
    const transfer = transferView(record, activity, clock.now(), {
      spent: splits.get(record.id)?.spent(),
      deadline: deadlines?.view(record, activity) ?? null,
      waiting: deadlines?.waiting(record.id) ?? null,
      expectedBytes: lists.expectedBytes(record.id),
    });
    const share = shares.of(transfer, activity !== null, record.shownShare);
    return share === undefined ? transfer : { ...transfer, share };
  };

  const view = (id: string): AgentTransfer => shown(get(id));

  const keepLoaded = (record: TransferRecord): void => {
    loaded.set(record.id, record);
    uncommitted.add(record.id);
  };

  /** The record is put with its progress, so nothing newer of it is in a table of its own. */
  const putProgress = (changed: TransferRecord, tell = true): void =>
    store.writer.write(() => {
      store.shownBytes.remove(changed.id);
      put(changed, tell);
    });

  const put = (changed: TransferRecord, tell = true): void => {
    const activity = activities.get(changed.id) ?? null;
    const shownShare = shares.toSave(progressView(changed, activity), activity !== null, changed.shownShare);
    const record = { ...changed, shownShare, updatedAt: clock.now() };
    store.writer.write(() => store.transfers.update(record));
    keepLoaded(record);
    if (tell) emit({ type: 'transfer.changed', transfer: view(record.id) });
  };

  /** The record with the live counts of its activity. */
  const withProgress = (record: TransferRecord): TransferRecord => {
    const activity = activities.get(record.id);
    return activity ? { ...record, bytes: activity.bytes, files: activity.files, timeSpent: activity.times.spent() } : record;
  };

  /** Writes down what is shown of these transfers, and in full if `saves`: committed before anybody sees it. */
  const saveProgress = (ids: readonly string[], saves: boolean): void => {
    for (const id of ids) {
      const activity = activities.get(id);
      eventLog.waiting(id, activity?.waiting() ?? null);
      const record = loaded.get(id);
      if (record && saves) putProgress(withProgress(record), false);
      else if (record && activity) store.writer.write(() => store.shownBytes.set(id, activity.bytes));
    }
    store.writer.flush();
    for (const id of ids) activities.get(id)?.show();
  };

  /** Publishes the progress of transfers, and saves it. */
  const publishProgress = (moving: readonly string[], saves: boolean): void => {
    const ids = moving.filter((id) => loaded.has(id));
    try {
      saveProgress(ids, saves);
    } catch {
      // The batch is lost, and that was reported already. Events are published all the same, with the bytes shown before.
    }
    for (const id of ids) {
      const record = loaded.get(id);
      if (record) emit({ type: 'transfer.changed', transfer: shown(record) });
    }
  };

  const ticker = createProgressTicker({
    clock,
    publish: publishProgress,
    // One more event after the last byte, so that the screen does not keep an old speed.
    *stillMoving() {
      for (const [id, activity] of activities) if (activity.speed(clock.now()) > 0) yield id;
    },
  });

  try {
    store.writer.write(() => store.shownBytes.settle());
  } catch {
    // A full disk must not keep the agent from starting. It is done at the next start.
  }

  const lists = createTransferLists({ lists: store.lists, now: () => clock.now(), activities, find, get, shown });
  const { list, summary, states, resolved, expectedBytes } = lists;

  return {
    find,
    get,
    view,
    list,
    summary,
    states,
    resolved,
    expectedBytes,
    expect(id, bytes) {
      lists.expect(id, bytes);
      ticker.touch(id);
    },
    add(record) {
      store.writer.write(() => store.transfers.insert(record));
      lists.invalidate();
      keepLoaded(record);
      eventLog.note(record.id, 'added');
      emit({ type: 'transfer.added', transfer: view(record.id) });
    },
    apply(id, event) {
      const record = find(id);
      const phase = record ? nextPhase(record.phase, event) : null;
      if (!record || !phase) return false;
      putProgress({ ...withProgress(record), phase }, false);
      if (phase.state !== record.phase.state) {
        lists.invalidate();
        eventLog.phase(id, event);
      }
      // The end of a job must survive a crash once it is published. (A caller that asks for something else waits for
      // its own commit.)
      if (ends.has(event.type)) {
        store.writer.flush();
        activities.get(id)?.show();
      }
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
      ticker.touch(id);
    },
    changeDownload(id, change) {
      const record = get(id);
      if (record.kind !== 'download') throw new Error(`The transfer ${id} is no download.`);
      const next = { ...record, ...change };
      put(next);
      return next;
    },
    publish(id) {
      const record = find(id);
      if (record) emit({ type: 'transfer.changed', transfer: shown(record) });
    },
    log: (id, event, detail) => eventLog.note(id, event, detail),
    change(id, change) {
      put({ ...get(id), ...change });
      if (change.priority !== undefined) eventLog.note(id, 'priority', change.priority);
      if (change.rateLimit !== undefined) eventLog.note(id, 'rate_limit', String(change.rateLimit));
      if ('dueAt' in change) eventLog.note(id, 'due_at', change.dueAt === undefined ? '' : new Date(change.dueAt).toISOString());
    },
    setPositions(positions) {
      store.writer.write(() => {
        for (const [id, position] of positions) {
          store.transfers.setPosition(id, position);
          const record = loaded.get(id);
          if (record) keepLoaded({ ...record, position });
        }
      });
      if (positions.size > maxSingleEvents) emit({ type: 'events.lost' });
      else for (const id of positions.keys()) emit({ type: 'transfer.changed', transfer: view(id) });
    },
    addPaths(id, paths, roots) {
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
        store.uploadRoots.insert(id, all, roots);
        put(next);
      });
      return next;
    },
    remove(id) {
      store.writer.write(() => store.transfers.hide(id));
      lists.invalidate();
      loaded.delete(id);
      uncommitted.delete(id);
      removed.add(id);
      ticker.forget(id);
      splits.delete(id);
      shares.forget(id);
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
        atLeast: record.bytes,
        files: counts.files,
        now: () => clock.now(),
        changed: () => ticker.touch(id),
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
      ticker.forget(id);
      if (!last) return;
      loaded.delete(id);
      try {
        putProgress(last, wasShown);
      } catch {
        // Progress is counted again when it runs again.
      }
    },
    recount(id) {
      const counts = store.files.counts(id);
      put({ ...get(id), totalBytes: counts.totalBytes, totalFiles: counts.totalFiles });
    },
    recountDone(id) {
      const { bytes, files } = store.files.counts(id);
      putProgress({ ...get(id), bytes, files });
    },
    activity: (id) => activities.get(id) ?? null,
    invalidateAll() {
      lists.invalidate();
      emit({ type: 'events.lost' });
    },
  };
}
