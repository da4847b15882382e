import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { transferStates } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer, TransferFilter, TransferQuery } from '#protocol/agent/transfers.ts';
import { AgentError } from '#protocol/errors.ts';
import type { TransferPage } from '../engine.ts';
import type { ListFilter } from '../state/lists.ts';
import type { Store } from '../state/store.ts';
import type { Activity } from './activity.ts';
import type { TransferRecord } from './record.ts';
import { isOver } from './state-machine.ts';

/** Lists, counts and sums over all transfers: what the database has, completed with what only running transfers know. */
export interface TransferLists {
  list(query: TransferQuery): TransferPage;
  summary(filter: TransferFilter): TransferSummary;
  /** Number of transfers in each state. */
  states(): TransferSummary['states'];
  /** The same filter, completed with what no column stores: which transfers run, and which of them wait for a person. */
  resolved<F extends TransferFilter>(filter: F): F & ListFilter;
  /** Sets the expected size of an upload that is not scanned yet, in bytes; the scan replaces it. In memory only. */
  expect(id: string, bytes: number): void;
  /** That size; `null` if it is unknown. */
  expectedBytes(id: string): number | null;
  /** Transfers were added or removed, or their states have changed: cached counts are no longer true. */
  invalidate(): void;
}

interface TransferListsPorts {
  readonly lists: Store['lists'];
  readonly now: () => number;
  /** Of running transfers. */
  readonly activities: ReadonlyMap<string, Activity>;
  /** `null` for an unknown id. */
  readonly find: (id: string) => TransferRecord | null;
  readonly get: (id: string) => TransferRecord;
  readonly shown: (record: TransferRecord) => AgentTransfer;
}

export function createTransferLists({ lists, now, activities, find, get, shown }: TransferListsPorts): TransferLists {
  /** The last counts, cached: a page of a list asks for them repeatedly. */
  let counted: { readonly key: string; readonly states: TransferSummary['states'] } | null = null;
  /** Expected bytes of uploads that are not scanned yet. */
  const expected = new Map<string, number>();

  /** Whether it runs and waits for a person to act. */
  const waitsForPerson = (id: string): boolean => activities.get(id)?.waiting()?.advice?.needsPerson === true;

  const resolved = <F extends TransferFilter>(filter: F): F & ListFilter =>
    filter.needs_person === undefined ? filter : { ...filter, waitingForPerson: [...activities.keys()].filter(waitsForPerson) };

  const statesOf = ({ state: _, ...filter }: ListFilter): TransferSummary['states'] => {
    // "Waits for a person" changes without an event, so these counts are not cached.
    if (filter.needs_person !== undefined) return lists.states(filter);
    const { kind, name, team_id, portal_id, over_since, search } = filter;
    const key = JSON.stringify([kind, name, team_id, portal_id, over_since, search]);
    if (counted?.key !== key) counted = { key, states: lists.states(filter) };
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
    for (const id of lists.among([...expected.keys()], filter)) {
      const { phase, totalBytes } = get(id);
      bytes += Math.max(0, expected.get(id)! - totalBytes);
      if (totalBytes === 0 && phase.state !== 'transferring') waiting++;
    }
    return { bytes, waiting };
  };

  return {
    resolved,
    states: () => ({ ...statesOf({}) }),
    expect: (id, bytes) => void expected.set(id, bytes),
    expectedBytes: (id) => expected.get(id) ?? null,
    invalidate() {
      counted = null;
    },
    list(asked) {
      if (asked.after !== undefined && asked.sort !== '-created_at') {
        throw new AgentError('invalid_request', { detail: 'The field after goes with sort=-created_at.' });
      }
      const query = resolved(asked);
      const states = inStates(statesOf(query), query.state);
      const records = lists.page(query).flatMap((id) => find(id) ?? []);
      const last = records.at(-1);
      const next = last && records.length === query.limit ? `${last.createdAt}_${last.position}` : '';
      return {
        total: Object.values(states).reduce((sum, count) => sum + count, 0),
        records: records.map(shown),
        ...(query.sort === '-created_at' ? { next } : {}),
      };
    },
    summary(asked) {
      const filter = resolved(asked);
      const at = now();
      const speed = { upload: 0, download: 0 };
      const states = inStates(statesOf(filter), filter.state);
      let needs = states.error;
      const found = yetToBeFound(filter);
      let left = lists.bytesLeft(filter) + found.bytes;
      let unmeasured = Math.max(0, lists.unmeasured(filter) - found.waiting);
      for (const id of lists.among([...activities.keys()], filter)) {
        const [record, activity] = [get(id), activities.get(id)!];
        // What waits has the speed of before for some seconds.
        if (!activity.waiting()) speed[record.kind] += Math.round(activity.speed(at));
        if (isOver(record.phase)) continue;
        if (waitsForPerson(id)) needs++;
        if (record.kind === 'upload' && record.phase.state === 'transferring' && !record.facts.scanned && !expected.has(id)) unmeasured++;
        // Replaces the progress that was last saved.
        left += Math.max(0, record.totalBytes - activity.shown.bytes) - Math.max(0, record.totalBytes - record.bytes);
      }
      return { states, needs_person: needs, bytes_left: left, unmeasured, upload_bps: speed.upload, download_bps: speed.download };
    },
  };
}

/** Only the states that the filter names; all if it names none. */
function inStates(states: TransferSummary['states'], named: TransferFilter['state'] = []): TransferSummary['states'] {
  if (named.length === 0) return { ...states };
  return Object.fromEntries(transferStates.map((state) => [state, named.includes(state) ? states[state] : 0])) as TransferSummary['states'];
}
