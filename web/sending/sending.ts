import { batchedCalls } from '#client/batch-file-calls.ts';
import type { ChunkBounds } from '#client/chunks.ts';
import { ServiceError } from '#client/errors.ts';
import { endsTransfer, isOfSource, isUnreachable } from '#client/faults.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { ChunkSender } from '#client/ports.ts';
import { limits } from '#protocol/limits.ts';
import type { PageClient } from '../common/page-client.ts';
import { createBatchingSender } from './batching-sender.ts';
import { leaveOut, supply } from './choices.ts';
import { type BrowserSource, createChunkSender } from './chunk-sender.ts';
import type { Item } from './item.ts';
import { createProgress } from './progress.ts';
import { createQueues } from './queues.ts';
import { sendItem } from './send-item.ts';
import type { Sending, SendingPorts } from './sending-types.ts';
import { createWakeableRetry } from './wakeable-retry.ts';

/** Concurrency of chunks. A browser allows six connections to a server; one is left for other requests. */
export const chunksAtOnce = 5;

export type { Phase, Progress, Sending, SendingPorts } from './sending-types.ts';

const lingerMs = 10;
/**
 * Files per batch call. Less than the concurrency (queues.ts), so that some files are created while others are sent or
 * finalized.
 */
const filesPerCall = 200;

/** The time from a start to the next pause, failure or end. */
interface Run {
  readonly controller: AbortController;
  /** Null until it is known that the service supports them, and where it does not. */
  calls: FileCalls | null;
  /** The same for a storage that accepts batches. */
  batchingSender: ChunkSender<BrowserSource> | null;
  /** The maximum chunk size of the service, in bytes. */
  maxChunkSize: number;
}

/**
 * Sends the files of one package concurrently and closes it. Temporary failures are retried, a failed file does not
 * block the others, and chunks that the storage has confirmed are never sent again.
 */
export function createSending(ports: SendingPorts, packageId: string, items: readonly Item[]): Sending {
  const { api, store, workers, random } = ports;
  const book = createProgress({ items, now: ports.now, every: ports.every });
  const queues = createQueues(items);
  const { retryWithWake, wake } = createWakeableRetry({
    sleep: workers.sleep,
    random,
    onSuccess: moving,
    onFailure: failing,
  });
  function moving(): void {
    if (book.phase().kind === 'offline' && isOnline) book.enter({ kind: 'sending' });
  }

  function failing(fault: unknown): void {
    if (book.phase().kind === 'sending' && isUnreachable(fault)) book.enter({ kind: 'offline' });
    book.changed();
  }
  const damages = { times: 0 };
  const choices = { api, store, packageId };
  let run: Run | null = null;
  let isOnline = true;

  function start(): void {
    if (run || ['done', 'taken_over'].includes(book.phase().kind)) return;
    run = { controller: new AbortController(), calls: null, batchingSender: null, maxChunkSize: limits.defaultChunkSize };
    book.enter(isOnline ? { kind: 'sending' } : { kind: 'offline' });
    void begin(run);
  }

  async function begin(mine: Run): Promise<void> {
    const { signal } = mine.controller;
    const spec = await retryWithWake(() => api.call('packageSpec', { signal }), signal).catch(() => null);
    if (run !== mine || signal.aborted) return;
    const linger = (): Promise<void> => workers.sleep(lingerMs, new AbortController().signal);
    if (spec) mine.maxChunkSize = spec.max_chunk_size;
    if (spec?.max_batch_files) {
      mine.calls = batchedCalls({ api, packageId, signal, maxFiles: Math.min(spec.max_batch_files, filesPerCall), linger });
      const url = spec.many_parts_url;
      if (url !== undefined)
        mine.batchingSender = createBatchingSender({ workers, gate: ports.gate, url, signal, linger }, createChunkSender(workers));
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

  /** The present throughput of one of the page's connections, as chunk bounds. */
  function boundsOf({ maxChunkSize }: Run): ChunkBounds {
    const { bytesPerSecond } = book.progress();
    return { bytesPerSecond: bytesPerSecond > 0 ? bytesPerSecond / chunksAtOnce : null, most: maxChunkSize };
  }

  async function send(item: Item, mine: Run): Promise<void> {
    const { signal } = mine.controller;
    item.state = 'sending';
    book.changed();
    const onTrouble = (fault: unknown): void => {
      item.fault = fault;
      failing(fault);
    };
    try {
      await retryWithWake(
        () =>
          sendItem(ports, {
            packageId,
            item,
            calls: mine.calls,
            batchingSender: mine.batchingSender,
            bounds: () => boundsOf(mine),
            signal,
            damages,
            onTrouble,
            onMove: moving,
          }),
        signal,
        onTrouble,
      );
      item.state = 'sent';
      item.sent = item.size;
      item.fault = null;
      item.file = null;
    } catch (fault) {
      if (signal.aborted) {
        item.state = 'waiting';
        queues.push(item);
      } else if (endsTransfer(fault)) {
        item.state = 'waiting';
        mine.controller.abort();
        run = null;
        book.enter({ kind: 'failed', fault, retry: false });
      } else {
        item.state = isOfSource(fault) ? 'missing' : 'failed';
        item.fault = fault;
      }
    }
    book.changed(signal.aborted ? 'at once' : undefined);
  }

  /** No item is running: all are finished, or the person must decide. */
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
      await retryWithWake(() => closePackage(api, packageId, signal), signal);
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

  /** Facts of items are written until their sending has ended. */
  function untilStill(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (items.some(({ state }) => state === 'sending')) return;
        stop();
        resolve();
      };
      const stop = book.subscribe(() => look());
      look();
    });
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
    async handOver() {
      halt();
      book.enter({ kind: 'handing_over' });
      await untilStill();
    },
    takenOver() {
      halt();
      book.enter({ kind: 'taken_over' });
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

/** Closes the package. Idempotent: a package that is already closed (its answer was lost) is accepted. */
async function closePackage(api: PageClient, packageId: string, signal: AbortSignal): Promise<void> {
  const params = { package_id: packageId };
  try {
    await api.call('finalizePackage', { params, signal });
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.error !== 'state_conflict') throw cause;
    const found = await api.call('getPackage', { params, signal });
    if (found.state !== 'finalized') throw cause;
  }
}
