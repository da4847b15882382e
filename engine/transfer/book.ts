import type { TransferSummary } from '#protocol/agent/many-transfers.ts';
import type { AgentTransfer, TransferFilter, TransferQuery } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import type { PageOf } from '../engine.ts';
import type { Happening } from '../events.ts';
import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { type Activity, createActivity } from './activity.ts';
import { createCatalogue, matcher } from './catalogue.ts';
import { createChronicle } from './chronicle.ts';
import type { DownloadRecord, TransferRecord, UploadRecord } from './record.ts';
import { isOver, nextPhase, type PhaseEvent } from './states.ts';
import { transferView } from './view.ts';

/** Every transfer of this agent: kept in memory, written through to the store, and told to the world. */
export interface Book {
  all(): readonly TransferRecord[];
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
  /** Those that match, in no order. */
  matching(filter: TransferFilter): readonly TransferRecord[];
  summary(filter: TransferFilter): TransferSummary;
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
  const records = new Map(store.transfers.all().map((record) => [record.id, record]));
  const catalogue = createCatalogue(records);
  const chronicle = createChronicle(store, clock);
  const activities = new Map<string, Activity>();
  /** Of every transfer that has run since the agent started; what earlier runs have come to stands in its record. */
  const splits = new Map<string, TimeSplit>();
  const moving = new Set<string>();
  let tellings = 0;
  let ticking = false;

  const get = (id: string): TransferRecord => {
    const record = records.get(id);
    if (!record) throw new ApiError('not_found', { resource: 'transfer' });
    return record;
  };

  const upload = (id: string): UploadRecord => {
    const record = get(id);
    if (record.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return record;
  };

  const view = (id: string): AgentTransfer => transferView(get(id), activities.get(id) ?? null, clock.now(), splits.get(id)?.spent());

  const put = (changed: TransferRecord, tell = true): void => {
    const record = { ...changed, updatedAt: clock.now() };
    store.writer.write(() => store.transfers.update(record));
    catalogue.changed(records.get(record.id) ?? null, record);
    records.set(record.id, record);
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
  const counted = (record: TransferRecord): TransferRecord => {
    const activity = activities.get(record.id);
    return activity ? { ...record, bytes: activity.bytes, files: activity.files, timeSpent: activity.times.spent() } : record;
  };

  const tick = (): void => {
    ticking = false;
    const write = ++tellings % tellingsPerWrite === 0;
    for (const id of moving) {
      const record = records.get(id);
      if (!record) continue;
      chronicle.waiting(id, activities.get(id)?.waiting() ?? null);
      if (write) put(counted(record));
      else emit({ type: 'transfer.changed', transfer: view(id) });
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

  return {
    all: () => [...records.values()],
    get,
    view,
    add(record) {
      store.writer.write(() => store.transfers.insert(record));
      catalogue.changed(null, record);
      records.set(record.id, record);
      chronicle.note(record.id, 'added');
      emit({ type: 'transfer.added', transfer: view(record.id) });
    },
    apply(id, event) {
      const record = records.get(id);
      const phase = record ? nextPhase(record.phase, event) : null;
      if (!record || !phase) return false;
      put({ ...counted(record), phase }, false);
      if (phase.state !== record.phase.state) chronicle.phase(id, event);
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
          const record = get(id);
          const placed = { ...record, position };
          store.transfers.place(id, position);
          catalogue.changed(record, placed);
          records.set(id, placed);
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
      catalogue.changed(records.get(id) ?? null, null);
      records.delete(id);
      moving.delete(id);
      splits.delete(id);
      emit({ type: 'transfer.removed', transfer_id: id });
    },
    follow(id) {
      const counts = store.files.counts(id);
      const times = splits.get(id) ?? createTimeSplit(undefined, records.get(id)?.timeSpent);
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
      const record = records.get(id);
      if (record) put(counted(record), false);
      activities.delete(id);
      chronicle.ended(id);
      splits.get(id)?.end();
      moving.delete(id);
    },
    recount(id) {
      const counts = store.files.counts(id);
      put({ ...get(id), totalBytes: counts.totalBytes, totalFiles: counts.totalFiles });
    },
    activity: (id) => activities.get(id) ?? null,
    list({ page, limit, ...query }) {
      const ids = catalogue.list(query);
      return { total: ids.length, records: ids.slice((page - 1) * limit, page * limit).map(view) };
    },
    matching(filter) {
      const matches = matcher(filter);
      return [...records.values()].filter(matches);
    },
    summary(filter) {
      const matches = matcher(filter);
      const now = clock.now();
      const speed = { upload: 0, download: 0 };
      let left = 0;
      for (const [id, activity] of activities) {
        const record = records.get(id);
        if (record && matches(record)) speed[record.kind] += Math.round(activity.speed(now));
      }
      for (const record of records.values()) {
        if (isOver(record.phase) || !matches(record)) continue;
        left += Math.max(0, record.totalBytes - (activities.get(record.id)?.bytes ?? record.bytes));
      }
      return { states: { ...catalogue.states(filter) }, bytes_left: left, upload_bps: speed.upload, download_bps: speed.download };
    },
  };
}
