import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/**
 * A list of transfers of any length, of which the page holds only what is near what is seen. Every change gets a
 * mark that only grows, so that an answer which was asked for earlier never undoes an event which came later.
 */
export interface Pages {
  /** How many there are in all; `null` before the first answer. */
  readonly total: number | null;
  /** What is held, by the number of the page from 0. */
  readonly held: ReadonlyMap<number, readonly AgentTransfer[]>;
  /** Something came to pass by which the order or the number may be another one: what is held has to be read again. */
  readonly stale: boolean;
  /** The last event of each transfer that was heard of, and what of it decides its place. */
  readonly heard: ReadonlyMap<string, Heard>;
  readonly mark: number;
}

interface Heard {
  readonly mark: number;
  readonly shape: string;
  /** As it is since; `null` where it was removed. */
  readonly transfer: AgentTransfer | null;
}

export const pageSize = 100;
/** Beyond so many the page forgets what it heard, and reads again. */
const mostHeard = 2_000;

export const noPages: Pages = { total: null, held: new Map(), stale: false, heard: new Map(), mark: 0 };

/** What of a transfer decides whether and where it stands in a list. */
function shapeOf({ state, position, priority, name }: AgentTransfer): string {
  return `${state} ${position} ${priority} ${name}`;
}

/** The transfer at a place from 0; `undefined` where it is not held. */
export function rowAt(pages: Pages, index: number): AgentTransfer | undefined {
  return pages.held.get(Math.floor(index / pageSize))?.[index % pageSize];
}

/** After these events, in order. Only what is held changes; the rest is read when it comes into sight. */
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
  return { ...pages, heard, mark, stale, held: replaced(pages.held, changed) };
}

function heldShape({ held }: Pages, id: string): string | undefined {
  for (const page of held.values()) {
    const transfer = page.find((one) => one.id === id);
    if (transfer) return shapeOf(transfer);
  }
  return undefined;
}

/** Pages without a change stay the same values, and so do rows. */
function replaced(held: Pages['held'], changed: ReadonlyMap<string, AgentTransfer>): Pages['held'] {
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
 * With pages that were asked for when the list stood at the mark. Where an event came meanwhile, it is believed
 * about that transfer, and the list stays stale, since places may have changed once more.
 */
export function withAnswers(pages: Pages, askedAt: number, answers: readonly PageAnswer[]): Pages {
  const held = new Map(pages.held);
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
  return { ...pages, total, held, stale: overtaken };
}

/** The value that is shown already, where nothing about it is new. */
function kept(pages: Pages, record: AgentTransfer): AgentTransfer {
  const shown = pages.heard.get(record.id)?.transfer;
  return shown && shown.updated_at === record.updated_at && shown.state === record.state && shown.bytes >= record.bytes ? shown : record;
}

/** Without the pages that are far from those in sight. */
export function nearTo(pages: Pages, first: number, last: number, margin = 3): Pages {
  const near = [...pages.held].filter(([number]) => number >= first - margin && number <= last + margin);
  return near.length === pages.held.size ? pages : { ...pages, held: new Map(near) };
}

/** Numbers of the pages that rows from `first` to `last` stand on. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / pageSize);
  return Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, index) => from + index);
}
