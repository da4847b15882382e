import type { Clock, Log } from './ports.ts';
import type { ReceiptStore } from './receipt/receipt-store.ts';
import type { AgentSettings } from './settings.ts';
import type { Store } from './state/store.ts';
import type { TransferRegistry } from './transfer/transfer-registry.ts';

export interface HousekeepingPorts {
  readonly registry: TransferRegistry;
  readonly store: Store;
  readonly receipts: ReceiptStore;
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Removes unreadable transfers, and yields between steps. */
  readonly takeOut: () => Iterable<void>;
}

/** Periodic cleanup by the agent: old transfers are removed from the list, and the database returns free space to the disk. */
interface Housekeeping {
  /** Runs now, and then every few hours. */
  begin(): void;
  /** Runs now, e.g. because a transfer was removed, or the retention time was changed. Resolves when it is done. */
  run(): Promise<void>;
  /** Deletes only the data of transfers that were removed from the list: there may be thousands, removed one after the other. */
  deleteRemoved(): Promise<void>;
  /** Called when an unreadable transfer is found: removes all of them. */
  unreadable(): void;
  /** Stops at once; the next start continues. */
  close(): Promise<void>;
}

const everyMilliseconds = 6 * 3_600_000;
const dayMilliseconds = 24 * 3_600_000;
/** Rows deleted, or pages returned, before the event loop gets a turn: some 10 ms. */
const rowsAtOnce = 500;
const pagesAtOnce = 250;
/** Free pages are kept for later use up to this number, or up to this share of the file. */
const maxFreePages = 1_024;
const maxFreeShare = 0.25;

export function createHousekeeping({ registry, store, receipts, settings, clock, log, takeOut }: HousekeepingPorts): Housekeeping {
  let closed = false;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  /** The request that waits: a full run, or only the deletion of removed transfers. */
  let asked: 'all' | 'removed' | null = null;
  let suspicious = false;

  const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

  function forgetOldOnes(): void {
    const days = settings.current().history_days;
    if (days === 0) return;
    const before = clock.now() - days * dayMilliseconds;
    // A failed transfer waits for a person, and a pending cleanup at a service is done first.
    const old = store.lists.overBefore(before);
    for (const id of old) registry.remove(id);
    store.writer.flush();
    // Only after the commit: a transfer whose removal is lost is still listed, with its receipt.
    for (const id of old) {
      receipts.forget(id);
      log.debug({ transfer: id }, 'an old transfer left the list');
    }
  }

  function keepReceipts(): void {
    let known: ReadonlySet<string> | null = null;
    receipts.keepOnly((id) => {
      known ??= new Set(store.lists.all({}));
      return known.has(id);
    });
  }

  /** In small steps: to delete a million files takes seconds. After an interruption the next start continues. */
  async function deleteHidden(): Promise<void> {
    for (const id of store.transfers.hidden()) {
      while (!closed && store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await turn();
      if (closed) return;
      store.writer.write(() => store.transfers.remove(id));
    }
    store.writer.flush();
  }

  async function compact(): Promise<void> {
    if (!store.pages.worthGivingBack(maxFreePages, maxFreeShare)) return;
    while (!closed && store.writer.write(() => store.pages.giveBack(pagesAtOnce))) await turn();
    store.writer.flush();
    store.pages.settle();
  }

  async function cleanUp(): Promise<void> {
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
        while (!closed && store.writer.write(() => store.search.addNames(rowsAtOnce))) await turn();
        await deleteHidden();
        await compact();
      } catch (error) {
        // For example a full disk. Nothing is lost, and it is retried.
        log.warn({ error: String(error) }, 'the agent could not clean up its state');
      }
    }
  }

  const run = (what: 'all' | 'removed' = 'all'): Promise<void> => {
    if (closed) return Promise.resolve();
    if (asked !== 'all') asked = what;
    running ??= cleanUp().finally(() => {
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
      // Must not delay the start.
      void turn().then(() => run());
      repeat();
    },
    run: () => run(),
    deleteRemoved: () => run('removed'),
    unreadable() {
      // The same transfer is found repeatedly until it is removed.
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
