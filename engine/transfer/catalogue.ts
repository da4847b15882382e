import type { TransferSummary } from '#protocol/agent/many-transfers.ts';
import { type TransferFilter, type TransferQuery, transferStates } from '#protocol/agent/transfers.ts';
import { ranks } from './order.ts';
import type { TransferRecord } from './record.ts';
import { isOver } from './states.ts';

/**
 * Lists of transfers as they are asked for, page by page. What was found for a filter and an order is remembered
 * until something changes that it hangs on, so that a page of a hundred thousand does not sort them all again.
 */
export interface Catalogue {
  /** Ids in order. */
  list(query: Omit<TransferQuery, 'page' | 'limit'>): readonly string[];
  /** How many are in each state. */
  states(filter: TransferFilter): TransferSummary['states'];
  /** A record has come, changed or gone (`null`). */
  changed(before: TransferRecord | null, after: TransferRecord | null): void;
}

/** Lists that are remembered; a person has some open, a script one. */
const remembered = 8;

interface Found {
  readonly shape: number;
  readonly sizes: number;
  readonly ids: readonly string[];
}

export function createCatalogue(records: ReadonlyMap<string, TransferRecord>): Catalogue {
  const lists = new Map<string, Found>();
  let counts: { readonly key: string; readonly shape: number; readonly states: TransferSummary['states'] } | null = null;
  /** Counts what any list may hang on, but for sizes, which change while an upload is scanned. */
  let shape = 0;
  let sizes = 0;

  const matching = (filter: TransferFilter): TransferRecord[] => {
    const matches = matcher(filter);
    return [...records.values()].filter(matches);
  };

  return {
    list({ sort = '-created_at', ...filter }) {
      const key = JSON.stringify([sort, keyOf(filter)]);
      const known = lists.get(key);
      lists.delete(key);
      const bySize = sort === 'total_bytes' || sort === '-total_bytes';
      const found =
        known && known.shape === shape && (!bySize || known.sizes === sizes)
          ? known
          : { shape, sizes, ids: ordered(matching(filter), sort).map(({ id }) => id) };
      // The last one asked for comes last; the first one goes.
      lists.set(key, found);
      if (lists.size > remembered) lists.delete(lists.keys().next().value!);
      return found.ids;
    },
    states(filter) {
      const key = keyOf(filter);
      if (counts?.key !== key || counts.shape !== shape) {
        const states = Object.fromEntries(transferStates.map((state) => [state, 0])) as TransferSummary['states'];
        const matches = matcher(filter);
        for (const record of records.values()) if (matches(record)) states[record.phase.state] += 1;
        counts = { key, shape, states };
      }
      return counts.states;
    },
    changed(before, after) {
      if (!before || !after || !sameShape(before, after)) shape += 1;
      else if (before.totalBytes !== after.totalBytes) sizes += 1;
    },
  };
}

function keyOf({ kind, state, name, team_id: team, portal_id: portal }: TransferFilter): string {
  return JSON.stringify([kind, state && [...state].sort(), name?.toLowerCase(), team, portal]);
}

function sameShape(a: TransferRecord, b: TransferRecord): boolean {
  return (
    a.phase.state === b.phase.state &&
    a.position === b.position &&
    a.priority === b.priority &&
    a.name === b.name &&
    finishedAt(a) === finishedAt(b)
  );
}

/** Whether a transfer is one of those asked for. */
export function matcher(filter: TransferFilter): (record: TransferRecord) => boolean {
  const { kind, team_id: team, portal_id: portal } = filter;
  const states = filter.state && filter.state.length > 0 ? new Set(filter.state) : null;
  const name = filter.name?.toLowerCase() ?? '';
  return (record) => {
    if (kind !== undefined && record.kind !== kind) return false;
    if (states && !states.has(record.phase.state)) return false;
    if (team !== undefined && !(record.kind === 'upload' && record.request.teamId === team)) return false;
    if (portal !== undefined && !(record.kind === 'upload' && record.request.portal?.id === portal)) return false;
    return name === '' || record.name.toLowerCase().includes(name);
  };
}

type Sort = NonNullable<TransferQuery['sort']>;
type SortField = 'position' | 'created_at' | 'finished_at' | 'name' | 'state' | 'total_bytes';

const finishedAt = ({ phase }: TransferRecord): number => ('finishedAt' in phase ? phase.finishedAt : 0);

const sortKeys: Readonly<Record<SortField, (record: TransferRecord) => string | number>> = {
  position: (record) => record.position,
  created_at: (record) => record.createdAt,
  finished_at: finishedAt,
  name: (record) => record.name,
  state: (record) => record.phase.state,
  total_bytes: (record) => record.totalBytes,
};

/** By the field asked for, then by place in the queue, so that the order is always the same. */
function ordered(records: TransferRecord[], sort: Sort): TransferRecord[] {
  if (sort === 'queue') return asTheirTurnsCome(records);
  const key = sortKeys[sort.replace(/^-/, '') as SortField];
  const sign = sort.startsWith('-') ? -1 : 1;
  return records.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return sign * (left < right ? -1 : left > right ? 1 : a.position - b.position);
  });
}

/** What failed keeps its place: it may be tried again. */
function asTheirTurnsCome(records: TransferRecord[]): TransferRecord[] {
  const toCome: TransferRecord[] = [];
  const over: TransferRecord[] = [];
  for (const record of records) (isOver(record.phase) && record.phase.state !== 'error' ? over : toCome).push(record);
  toCome.sort((a, b) => ranks[a.priority] - ranks[b.priority] || a.position - b.position);
  over.sort((a, b) => finishedAt(b) - finishedAt(a) || b.position - a.position);
  return [...toCome, ...over];
}
