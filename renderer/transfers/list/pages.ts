import type { AgentEvent } from '#protocol/agent/events.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { needsPerson } from '../needs/remedy-actions.ts';

/**
 * A list of transfers of any length, with only the pages near the visible rows in memory. Every change gets an
 * increasing mark, so that an answer requested earlier never overwrites a later event.
 */
export interface Pages {
  /** Total number of rows; `null` before the first answer. */
  readonly total: number | null;
  /** Pages in memory, by page number from 0. */
  readonly loaded: ReadonlyMap<number, readonly AgentTransfer[]>;
  /** The order or the total may have changed: the pages in memory must be read again. */
  readonly stale: boolean;
  /** The last event of each known transfer, and the fields that decide its position. */
  readonly latest: ReadonlyMap<string, LatestEvent>;
  readonly mark: number;
}

interface LatestEvent {
  readonly mark: number;
  readonly shape: string;
  /** Its latest state; `null` where it was removed. */
  readonly transfer: AgentTransfer | null;
}

export const pageSize = 100;
/** Beyond this number of events, all are dropped and the list is read again. */
const maxLatest = 2_000;

export const noPages: Pages = { total: null, loaded: new Map(), stale: false, latest: new Map(), mark: 0 };

/** The fields of a transfer that decide whether and where it is in a list, and whether it has a part in the speed of all. */
function shapeOf(transfer: AgentTransfer): string {
  const { state, waiting, position, priority, name } = transfer;
  return `${state} ${waiting === null} ${needsPerson(transfer)} ${position} ${priority} ${name}`;
}

/** The transfer at an index from 0; `undefined` where it is not in memory. */
export function rowAt(pages: Pages, index: number): AgentTransfer | undefined {
  return pages.loaded.get(Math.floor(index / pageSize))?.[index % pageSize];
}

/** The first index of a transfer; `undefined` where it is not in memory. Pages read at different times may both hold it. */
export function indexOf({ loaded }: Pages, id: string): number | undefined {
  const indexes = [...loaded].flatMap(([number, page]) => {
    const at = page.findIndex((one) => one.id === id);
    return at < 0 ? [] : [number * pageSize + at];
  });
  return indexes.length === 0 ? undefined : Math.min(...indexes);
}

/** Looks up a transfer's known state: `undefined` where it is unknown, `null` where it was removed. */
export function statesIn({ latest, loaded }: Pages): (id: string) => AgentTransfer['state'] | null | undefined {
  const states = new Map([...loaded.values()].flatMap((page) => page.map(({ id, state }) => [id, state] as const)));
  return (id) => {
    const event = latest.get(id);
    return event ? (event.transfer?.state ?? null) : states.get(id);
  };
}

/**
 * How these events change the counts by state, for transfers with a known earlier state: so no tab counts a transfer as
 * active that its row shows as done. The rest is corrected by the next answer.
 */
export function shiftsBy(pages: Pages, events: readonly AgentEvent[]): ReadonlyMap<TransferState, number> {
  const known = statesIn(pages);
  const now = new Map<string, TransferState | null>();
  const shifts = new Map<TransferState, number>();
  const shift = (state: TransferState, by: number): void => void shifts.set(state, (shifts.get(state) ?? 0) + by);
  for (const event of events) {
    if (event.type !== 'transfer.changed' && event.type !== 'transfer.removed') continue;
    const [id, next] = event.type === 'transfer.removed' ? [event.transfer_id, null] : [event.transfer.id, event.transfer.state];
    const before = now.has(id) ? now.get(id) : isLoaded(pages, id) ? known(id) : undefined;
    now.set(id, next);
    if (!before || before === next) continue;
    shift(before, -1);
    if (next) shift(next, 1);
  }
  return shifts;
}

/** A transfer in the list is counted. A transfer known only from events may not match the filter. */
const isLoaded = ({ loaded }: Pages, id: string): boolean => [...loaded.values()].some((page) => page.some((one) => one.id === id));

/** Applies events in order. Only pages in memory change; the rest is read when it becomes visible. */
export function withEvents(pages: Pages, events: readonly AgentEvent[]): Pages {
  let { stale, mark } = pages;
  const latest = new Map(pages.latest);
  const changed = new Map<string, AgentTransfer>();
  for (const event of events) {
    if (event.type === 'transfer.added' || event.type === 'transfer.changed') {
      const { transfer } = event;
      const shape = shapeOf(transfer);
      const known = latest.get(transfer.id)?.shape ?? loadedShape(pages, transfer.id);
      if (event.type === 'transfer.added' || known !== shape) stale = true;
      latest.set(transfer.id, { mark: ++mark, shape, transfer });
      changed.set(transfer.id, transfer);
    } else if (event.type === 'transfer.removed') {
      latest.set(event.transfer_id, { mark: ++mark, shape: '', transfer: null });
      stale = true;
    }
  }
  if (mark === pages.mark) return pages;
  if (latest.size > maxLatest) return { ...pages, latest: new Map(), mark, stale: true };
  return { ...pages, latest, mark, stale, loaded: replaced(pages.loaded, changed) };
}

function loadedShape({ loaded }: Pages, id: string): string | undefined {
  for (const page of loaded.values()) {
    const transfer = page.find((one) => one.id === id);
    if (transfer) return shapeOf(transfer);
  }
  return undefined;
}

/** Unchanged pages and rows keep their identity. */
function replaced(loaded: Pages['loaded'], changed: ReadonlyMap<string, AgentTransfer>): Pages['loaded'] {
  let next: Map<number, readonly AgentTransfer[]> | null = null;
  for (const [number, page] of loaded) {
    if (!page.some(({ id }) => changed.has(id))) continue;
    next ??= new Map(loaded);
    next.set(
      number,
      page.map((one) => changed.get(one.id) ?? one),
    );
  }
  return next ?? loaded;
}

export interface PageAnswer {
  readonly number: number;
  readonly total: number;
  readonly records: readonly AgentTransfer[];
}

/**
 * Adds pages requested at the mark. For a transfer with a later event the event is used, and the list stays stale,
 * since positions may have changed again.
 */
export function withAnswers(pages: Pages, askedAt: number, answers: readonly PageAnswer[]): Pages {
  const loaded = new Map(pages.loaded);
  let { total } = pages;
  let overtaken = false;
  for (const answer of answers) {
    total = answer.total;
    loaded.set(
      answer.number,
      answer.records.map((record) => {
        const event = pages.latest.get(record.id);
        if (!event || event.mark <= askedAt) return newerOf(pages, record);
        if (event.transfer === null || event.shape !== shapeOf(record)) overtaken = true;
        return event.transfer ?? record;
      }),
    );
  }
  return { ...pages, total, loaded, stale: overtaken };
}

/** The shown value where it is as new as the answer, so that its row keeps its identity. */
function newerOf(pages: Pages, record: AgentTransfer): AgentTransfer {
  const shown = pages.latest.get(record.id)?.transfer;
  return shown && shown.updated_at === record.updated_at && shown.state === record.state && shown.bytes >= record.bytes ? shown : record;
}

/** Drops the pages that are far from the visible ones. */
export function nearTo(pages: Pages, first: number, last: number, margin = 3): Pages {
  const near = [...pages.loaded].filter(([number]) => number >= first - margin && number <= last + margin);
  return near.length === pages.loaded.size ? pages : { ...pages, loaded: new Map(near) };
}

/** Numbers of the pages with the rows from `first` to `last`. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / pageSize);
  return Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, index) => from + index);
}
