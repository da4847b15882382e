import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/**
 * The transfers as this page knows them. Every change gets a mark that only grows, so that a list which was asked
 * for earlier never undoes an event which came later.
 */
export interface TransferBook {
  /** Whether a list has come yet; before that there are events alone. */
  readonly loaded: boolean;
  readonly byId: ReadonlyMap<string, AgentTransfer>;
  /** Mark of each transfer's last event; of removed ones too. */
  readonly marks: ReadonlyMap<string, number>;
  readonly mark: number;
  /** How many finished transfers the agent has in all; the page may hold fewer. */
  readonly finishedTotal: number;
}

export const emptyBook: TransferBook = { loaded: false, byId: new Map(), marks: new Map(), mark: 0, finishedTotal: 0 };

export const finishedStates = ['complete', 'cancelled'] as const satisfies readonly AgentTransfer['state'][];
export const openStates = ['queued', 'transferring', 'paused', 'idle', 'error'] as const satisfies readonly AgentTransfer['state'][];

export function isFinished(transfer: AgentTransfer): boolean {
  return transfer.state === 'complete' || transfer.state === 'cancelled';
}

/** The book after these events, in order. Events of other things leave it as it is. */
export function applyEvents(book: TransferBook, events: readonly AgentEvent[]): TransferBook {
  const byId = new Map(book.byId);
  const marks = new Map(book.marks);
  let { mark, finishedTotal } = book;
  for (const event of events) {
    if (event.type === 'transfer.added' || event.type === 'transfer.changed') {
      const before = byId.get(event.transfer.id);
      if (isFinished(event.transfer) && !(before && isFinished(before))) finishedTotal += 1;
      if (before && isFinished(before) && !isFinished(event.transfer)) finishedTotal -= 1;
      mark += 1;
      byId.set(event.transfer.id, event.transfer);
      marks.set(event.transfer.id, mark);
    } else if (event.type === 'transfer.removed') {
      const before = byId.get(event.transfer_id);
      if (before && isFinished(before)) finishedTotal -= 1;
      mark += 1;
      byId.delete(event.transfer_id);
      marks.set(event.transfer_id, mark);
    }
  }
  return mark === book.mark ? book : { ...book, byId, marks, mark, finishedTotal: Math.max(0, finishedTotal) };
}

/** The book after a list that was asked for when the book stood at `askedAt`. */
export function applyList(
  book: TransferBook,
  askedAt: number,
  list: { readonly records: readonly AgentTransfer[]; readonly finishedTotal: number },
): TransferBook {
  const changedSince = (id: string): boolean => (book.marks.get(id) ?? 0) > askedAt;
  const byId = new Map(list.records.filter((record) => !changedSince(record.id)).map((record) => [record.id, record]));
  const marks = new Map<string, number>();
  for (const [id, mark] of book.marks) {
    if (mark <= askedAt) continue;
    marks.set(id, mark);
    const transfer = book.byId.get(id);
    if (transfer) byId.set(id, transfer);
  }
  return { loaded: true, byId, marks, mark: book.mark, finishedTotal: list.finishedTotal };
}

/** What is under way in the queue's order, then what is over, newest first. */
export function inOrder(book: TransferBook): { open: AgentTransfer[]; finished: AgentTransfer[] } {
  const all = [...book.byId.values()];
  const over = (transfer: AgentTransfer): string => transfer.finished_at ?? transfer.updated_at;
  return {
    open: all.filter((one) => !isFinished(one)).sort((a, b) => a.position - b.position || a.created_at.localeCompare(b.created_at)),
    finished: all.filter(isFinished).sort((a, b) => over(b).localeCompare(over(a))),
  };
}
