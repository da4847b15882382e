import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer, TransferState } from '#protocol/agent/transfers.ts';
import { needsPerson } from '../needs/ways.ts';

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
  readonly heard: ReadonlyMap<string, Heard>;
  readonly mark: number;
}

interface Heard {
  readonly mark: number;
  readonly shape: string;
  /** Its latest state; `null` where it was removed. */
  readonly transfer: AgentTransfer | null;
}

export const pageSize = 100;
/** Beyond this number of events, all are dropped and the list is read again. */
const mostHeard = 2_000;

export const noPages: Pages = { total: null, loaded: new Map(), stale: false, heard: new Map(), mark: 0 };

/** The fields of a transfer that decide whether and where it is in a list. */
function shapeOf(transfer: AgentTransfer): string {
  const { state, position, priority, name } = transfer;
  return `${state} ${needsPerson(transfer)} ${position} ${priority} ${name}`;
}

/** The transfer at an index from 0; `undefined` where it is not in memory. */
export function rowAt(pages: Pages, index: number): AgentTransfer | undefined {
  return pages.loaded.get(Math.floor(index / pageSize))?.[index % pageSize];
}

/** Looks up a transfer's known state: `undefined` where it is unknown, `null` where it was removed. */
export function statesIn({ heard, loaded: held }: Pages): (id: string) => AgentTransfer['state'] | null | undefined {
  const states = new Map([...held.values()].flatMap((page) => page.map(({ id, state }) => [id, state] as const)));
  return (id) => {
    const news = heard.get(id);
    return news ? (news.transfer?.state ?? null) : states.get(id);
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
    const before = now.has(id) ? now.get(id) : heldIn(pages, id) ? known(id) : undefined;
    now.set(id, next);
    if (!before || before === next) continue;
    shift(before, -1);
    if (next) shift(next, 1);
  }
  return shifts;
}

/** A transfer in the list is counted. A transfer known only from events may not match the filter. */
const heldIn = ({ loaded: held }: Pages, id: string): boolean => [...held.values()].some((page) => page.some((one) => one.id === id));

/** Applies events in order. Only pages in memory change; the rest is read when it becomes visible. */
export function withEvents(pages: Pages, events: readonly AgentEvent[]): Pages {
  let { stale, mark } = pages;
  const heard = new Map(pages.heard);
  const changed = new Map<string, AgentTransfer>();
  for (const event of events) {
    if (event.type === 'transfer.added' || event.type === 'transfer.changed') {
      const { transfer } = event;
      const shape = shapeOf(transfer);
      const known = heard.get(transfer.id)?.shape ?? heldShape(pages, transfer.id);
      if (event.type === 'transfer.added' || known !== shape) stale = true;
      heard.set(transfer.id, { mark: ++mark, shape, transfer });
      changed.set(transfer.id, transfer);
    } else if (event.type === 'transfer.removed') {
      heard.set(event.transfer_id, { mark: ++mark, shape: '', transfer: null });
      stale = true;
    }
  }
  if (mark === pages.mark) return pages;
  if (heard.size > mostHeard) return { ...pages, heard: new Map(), mark, stale: true };
  return { ...pages, heard, mark, stale, loaded: replaced(pages.loaded, changed) };
}

function heldShape({ loaded: held }: Pages, id: string): string | undefined {
  for (const page of held.values()) {
    const transfer = page.find((one) => one.id === id);
    if (transfer) return shapeOf(transfer);
  }
  return undefined;
}

/** Unchanged pages and rows keep their identity. */
function replaced(held: Pages['loaded'], changed: ReadonlyMap<string, AgentTransfer>): Pages['loaded'] {
  let next: Map<number, readonly AgentTransfer[]> | null = null;
  for (const [number, page] of held) {
    if (!page.some(({ id }) => changed.has(id))) continue;
    next ??= new Map(held);
    next.set(
      number,
      page.map((one) => changed.get(one.id) ?? one),
    );
  }
  return next ?? held;
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
  const held = new Map(pages.loaded);
  let { total } = pages;
  let overtaken = false;
  for (const answer of answers) {
    total = answer.total;
    held.set(
      answer.number,
      answer.records.map((record) => {
        const news = pages.heard.get(record.id);
        if (!news || news.mark <= askedAt) return kept(pages, record);
        if (news.transfer === null || news.shape !== shapeOf(record)) overtaken = true;
        return news.transfer ?? record;
      }),
    );
  }
  return { ...pages, total, loaded: held, stale: overtaken };
}

/** Returns the existing value where nothing has changed. */
function kept(pages: Pages, record: AgentTransfer): AgentTransfer {
  const shown = pages.heard.get(record.id)?.transfer;
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
