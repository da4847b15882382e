import type { Clock, Log } from './ports.ts';
import type { Shelf } from './receipt/shelf.ts';
import type { AgentSettings } from './settings.ts';
import type { Store } from './state/store.ts';
import type { Book } from './transfer/book.ts';

export interface HousekeepingPorts {
  readonly book: Book;
  readonly store: Store;
  readonly receipts: Shelf;
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes transfers out that cannot be read, and halts in between. */
  readonly takeOut: () => Iterable<void>;
}

/** What the agent does for order, by itself: old transfers leave the list, and the state file gives back its room. */
export interface Housekeeping {
  /** Now, and then every few hours. */
  begin(): void;
  /** Now, e.g. because a transfer was removed, or the time that they stay listed was changed. Resolves when it is done. */
  run(): Promise<void>;
  /** Deletes what is kept of transfers that have left the list, and nothing else: there may be thousands, one after the other. */
  deleteRemoved(): Promise<void>;
  /** A transfer was met that cannot be read: takes all such ones out. */
  unreadable(): void;
  /** Stops where it is; the next start goes on. */
  close(): Promise<void>;
}

const everyMilliseconds = 6 * 3_600_000;
const dayMilliseconds = 24 * 3_600_000;
/** Rows deleted, or pages given back, before other work gets its turn: some 10 ms. */
const rowsAtOnce = 500;
const pagesAtOnce = 250;
/** Free pages are worth keeping for what comes next, until they are so many, and so great a part of the file. */
const keptPages = 1_024;
const keptShare = 0.25;

export function createHousekeeping({ book, store, receipts, settings, clock, log, takeOut }: HousekeepingPorts): Housekeeping {
  let closed = false;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  /** What is asked for meanwhile: all of it, or only to delete what has left the list. */
  let asked: 'all' | 'removed' | null = null;
  let suspicious = false;

  const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

  function forgetOldOnes(): void {
    const days = settings.current().history_days;
    if (days === 0) return;
    const before = clock.now() - days * dayMilliseconds;
    // One that failed waits for a person, and what is owed to a service is paid first.
    for (const id of store.lists.overBefore(before)) {
      book.remove(id);
      receipts.forget(id);
      log.debug({ transfer: id }, 'an old transfer left the list');
    }
    store.writer.flush();
  }

  function keepReceipts(): void {
    let known: ReadonlySet<string> | null = null;
    receipts.keepOnly((id) => {
      known ??= new Set(store.lists.all({}));
      return known.has(id);
    });
  }

  /** In pieces: to delete a million files takes seconds. What is cut off goes on at the next start. */
  async function deleteHidden(): Promise<void> {
    for (const id of store.transfers.hidden()) {
      while (!closed && store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await turn();
      if (closed) return;
      store.writer.write(() => store.transfers.remove(id));
    }
    store.writer.flush();
  }

  async function compact(): Promise<void> {
    if (!store.pages.worthGivingBack(keptPages, keptShare)) return;
    while (!closed && store.writer.write(() => store.pages.giveBack(pagesAtOnce))) await turn();
    store.writer.flush();
    store.pages.settle();
  }

  async function tidyUp(): Promise<void> {
    while (asked !== null && !closed) {
      const what = asked;
      asked = null;
      try {
        if (suspicious) {
          suspicious = false;
          for (const _ of takeOut()) {
            await turn();
            if (closed) return;
          }
        }
        if (what === 'all') {
          forgetOldOnes();
          keepReceipts();
        }
        await deleteHidden();
        await compact();
      } catch (error) {
        // A full disk, say. Nothing is lost by it, and it is tried again.
        log.warn({ error: String(error) }, 'the agent could not tidy up its state');
      }
    }
  }

  const run = (what: 'all' | 'removed' = 'all'): Promise<void> => {
    if (closed) return Promise.resolve();
    if (asked !== 'all') asked = what;
    running ??= tidyUp().finally(() => {
      running = null;
    });
    return running;
  };

  const repeat = (): void => {
    cancel = clock.after(everyMilliseconds, () => {
      void run();
      repeat();
    });
  };

  return {
    begin() {
      // Not in the way of a start.
      void turn().then(() => run());
      repeat();
    },
    run: () => run(),
    deleteRemoved: () => run('removed'),
    unreadable() {
      // Met again and again until it is gone.
      if (suspicious) return;
      suspicious = true;
      void run('removed');
    },
    async close() {
      closed = true;
      cancel?.();
      await running;
    },
  };
}
