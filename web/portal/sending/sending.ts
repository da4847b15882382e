import { batchedCalls } from '#client/file-batches.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { ChunkSender } from '#client/ports.ts';
import { leaveOut, supply } from './choices.ts';
import { type BrowserSource, createChunkSender } from './chunk-sender.ts';
import { closePackage } from './close-package.ts';
import { endsPackage, isOfTheFile, isUnreachable } from './faults.ts';
import type { Item } from './item.ts';
import { createManySender } from './many-sender.ts';
import { createPerseverance } from './perseverance.ts';
import { createProgress } from './progress.ts';
import { createQueues } from './queues.ts';
import { sendItem } from './send-item.ts';
import type { Sending, SendingPorts } from './sending-types.ts';

export type { Phase, Progress, Sending, SendingPorts } from './sending-types.ts';

const gatherMilliseconds = 10;
/** Fewer than are under way (queues.ts): while some are created others are sent, and others finalized. */
const filesPerCall = 200;

/** From a start to the next pause, failure or end. */
interface Run {
  readonly controller: AbortController;
  /** Null until it is known whether the service has them, and where it has none. */
  calls: FileCalls | null;
  /** The same of storages that take many files in a request. */
  many: ChunkSender<BrowserSource> | null;
}

/**
 * Sends the files of one package side by side and closes it, whatever happens on the way: what passes by itself is
 * tried again, a file that does not get through holds up no other, and what the storage has confirmed never goes out
 * twice.
 */
export function createSending(ports: SendingPorts, packageId: string, items: readonly Item[]): Sending {
  const { api, store, workers, random } = ports;
  const book = createProgress({ items, now: ports.now, every: ports.every });
  const queues = createQueues(items);
  const { keepTrying, wake } = createPerseverance({
    sleep: workers.sleep,
    random,
    onSuccess() {
      if (book.phase().kind === 'offline' && isOnline) book.enter({ kind: 'sending' });
    },
    onFailure(fault) {
      if (book.phase().kind === 'sending' && isUnreachable(fault)) book.enter({ kind: 'offline' });
      book.changed();
    },
  });
  const choices = { api, store, packageId };
  let run: Run | null = null;
  let isOnline = true;

  function start(): void {
    if (run || book.phase().kind === 'done') return;
    run = { controller: new AbortController(), calls: null, many: null };
    book.enter(isOnline ? { kind: 'sending' } : { kind: 'offline' });
    void begin(run);
  }

  async function begin(mine: Run): Promise<void> {
    const { signal } = mine.controller;
    const spec = await keepTrying(() => api.call('packageSpec', { signal }), signal).catch(() => null);
    if (run !== mine || signal.aborted) return;
    const pause = (): Promise<void> => workers.sleep(gatherMilliseconds, new AbortController().signal);
    if (spec?.max_batch_files) {
      mine.calls = batchedCalls({ api, packageId, signal, most: Math.min(spec.max_batch_files, filesPerCall), pause });
      const url = spec.many_parts_url;
      if (url !== undefined) mine.many = createManySender({ workers, gate: ports.gate, url, signal, pause }, createChunkSender(workers));
    }
    pump();
  }

  function pump(): void {
    if (!run) return;
    for (let item = queues.next(); item; item = queues.next()) {
      const one = item;
      void send(one, run).finally(() => {
        queues.left(one);
        pump();
      });
    }
    if (queues.underWay() === 0) void settle(run);
  }

  async function send(item: Item, mine: Run): Promise<void> {
    const { signal } = mine.controller;
    item.state = 'sending';
    book.changed();
    try {
      await keepTrying(
        () => sendItem(ports, { packageId, item, calls: mine.calls, many: mine.many, signal }),
        signal,
        (fault) => {
          item.fault = fault;
        },
      );
      item.state = 'sent';
      item.sent = item.size;
      item.fault = null;
      item.file = null;
    } catch (fault) {
      if (signal.aborted) {
        item.state = 'waiting';
        queues.push(item);
      } else if (endsPackage(fault)) {
        item.state = 'waiting';
        mine.controller.abort();
        run = null;
        book.enter({ kind: 'failed', fault, retry: false });
      } else {
        item.state = isOfTheFile(fault) ? 'missing' : 'failed';
        item.fault = fault;
      }
    }
    book.changed();
  }

  /** Nothing is under way: all is through, or a person has to decide. */
  async function settle(mine: Run): Promise<void> {
    const { kind } = book.phase();
    if (kind !== 'sending' && kind !== 'offline') return;
    if (items.some(({ state }) => state === 'failed' || state === 'missing')) {
      run = null;
      return book.enter({ kind: 'stuck' });
    }
    if (items.some(({ state }) => state === 'waiting')) return;
    const { signal } = mine.controller;
    book.enter({ kind: 'closing' });
    try {
      await keepTrying(() => closePackage(api, packageId, signal), signal);
      await store.dropPackage(packageId);
      if (run === mine) run = null;
      book.enter({ kind: 'done', at: new Date() });
    } catch (fault) {
      if (signal.aborted) return;
      run = null;
      book.enter({ kind: 'failed', fault, retry: true });
    }
  }

  function halt(): void {
    run?.controller.abort(new DOMException('The upload was paused.', 'AbortError'));
    run = null;
  }

  const chosen = (item: Item | undefined, states: readonly Item['state'][]): Item[] =>
    (item ? [item] : items).filter(({ state }) => states.includes(state));

  function goOn(some: readonly Item[]): void {
    for (const item of some) {
      item.state = 'waiting';
      item.fault = null;
      queues.push(item);
    }
    book.changed('at once');
    if (run) pump();
    else if (['stuck', 'failed'].includes(book.phase().kind)) start();
  }

  return {
    packageId,
    items,
    progress: book.progress,
    subscribe: book.subscribe,
    start,
    pause() {
      const { kind } = book.phase();
      if (kind !== 'sending' && kind !== 'offline') return;
      halt();
      book.enter({ kind: 'paused' });
    },
    retry(item) {
      goOn(chosen(item, ['failed']));
    },
    async leaveOut(item) {
      for (const one of chosen(item, ['failed', 'missing'])) await leaveOut(choices, one);
      goOn([]);
    },
    supply(found) {
      const taken = [...found].filter(([{ state }]) => state === 'missing' || state === 'failed');
      for (const [item, file] of taken) supply(choices, item, file);
      goOn(taken.map(([item]) => item));
      return taken.length;
    },
    online(is) {
      isOnline = is;
      if (!is && book.phase().kind === 'sending') book.enter({ kind: 'offline' });
      if (is) {
        wake();
        if (book.phase().kind === 'offline') book.enter({ kind: 'sending' });
      }
    },
    stop() {
      halt();
      book.stop();
    },
  };
}
