import { backoffDelay } from '#client/backoff.ts';
import { chunkCount } from '#client/chunks.ts';
import { MoveError, ServiceError } from '#client/errors.ts';
import { passesByItself, remedyFor } from '#client/faults.ts';
import { batchedCalls, batchLimit } from '#client/file-batches.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { ApiRequest, Fetcher, Gate } from '#client/ports.ts';
import { type UploadPorts, uploadFile } from '#client/upload.ts';
import type { ErrorName } from '#protocol/errors.ts';
import type { PageClient } from '#web/common/page-client.ts';
import { createSpeed } from '../../common/speed.ts';
import { type BrowserSource, createChunkSender, createSliceHasher } from './chunk-sender.ts';
import { type Item, journalOf, noFacts, toStored } from './item.ts';
import type { Store } from './store.ts';
import type { Workers } from './workers.ts';

/** What stands in the way of the whole package, or of nothing. */
export type Phase =
  | { readonly kind: 'sending' }
  | { readonly kind: 'paused' }
  /** No connection: it goes on by itself. */
  | { readonly kind: 'offline' }
  /** Everything else is through; these have to be chosen again, retried or left out. */
  | { readonly kind: 'stuck' }
  /** All files are through, and the package is being closed. */
  | { readonly kind: 'closing' }
  | { readonly kind: 'done'; readonly at: Date }
  /** It cannot go on. */
  | { readonly kind: 'failed'; readonly fault: unknown; readonly retry: boolean };

/** A picture of a moment. Items are looked at as they are; `version` says that some have changed. */
export interface Progress {
  readonly phase: Phase;
  readonly version: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly failed: number;
  readonly missing: number;
  readonly bytesPerSecond: number;
  /** Null while it cannot be told. */
  readonly secondsLeft: number | null;
}

export interface Sending {
  readonly packageId: string;
  readonly items: readonly Item[];
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  start(): void;
  pause(): void;
  /** Tries a file again that had failed; all of them without one. */
  retry(item?: Item): void;
  /** Takes a file out of the package that has failed or is missing; all of them without one. */
  leaveOut(item?: Item): Promise<void>;
  /** Gives files that are missing or have changed. Returns how many of them were taken. */
  supply(found: ReadonlyMap<Item, File>): number;
  /** The connection came or went. */
  online(is: boolean): void;
  /** Stops for good; nothing of it runs any more. */
  stop(): void;
}

export interface SendingPorts {
  /** With the package's token. */
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  readonly workers: Workers;
  readonly gate: Gate;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back until it is told to stop. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

const MiB = 1024 * 1024;
/** Of a file that is larger; the less of it, the less a broken connection costs. */
const chunkSize = 32 * MiB;
/** Files up to this share calls. */
const smallSize = 8 * MiB;
const smallAtOnce = 128;
const largeAtOnce = 3;
const gatherMilliseconds = 10;
const publishMilliseconds = 250;

/** After these no file of the package gets through. */
const endsPackage: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'credential_missing',
  'credential_invalid',
  'package_expired',
  'team_inactive',
  'not_allowed',
]);

/**
 * Sends the files of one package side by side and closes it, whatever happens on the way: what passes by itself is
 * tried again, a file that does not get through holds up no other, and what the storage has confirmed never goes out
 * twice.
 */
export function createSending(ports: SendingPorts, packageId: string, items: readonly Item[]): Sending {
  const { api, store, workers, now } = ports;
  const listeners = new Set<() => void>();
  const speed = createSpeed();
  const small = queueOf((item) => item.kind === 'directory' || item.size <= smallSize);
  const large = queueOf((item) => item.kind === 'file' && item.size > smallSize);
  let phase: Phase = { kind: 'paused' };
  let run: { readonly controller: AbortController; calls: FileCalls | null } | null = null;
  let wake = Promise.withResolvers<void>();
  let isOnline = true;
  let underWay = 0;
  let dirty = true;
  let version = 0;
  let picture: Progress | null = null;
  let stopTicks: (() => void) | null = null;

  function queueOf(takes: (item: Item) => boolean) {
    const waiting = items.filter((item) => takes(item) && item.state === 'waiting');
    let at = 0;
    let busy = 0;
    return {
      takes,
      push: (item: Item) => void waiting.push(item),
      next(): Item | null {
        for (; at < waiting.length; at++) if (waiting[at]!.state === 'waiting') return waiting[at++]!;
        return null;
      },
      enter: () => void busy++,
      leave: () => void busy--,
      busy: () => busy,
    };
  }

  function changed(now = false): void {
    dirty = true;
    if (now) publish();
  }

  function publish(): void {
    if (!dirty) return;
    dirty = false;
    version++;
    picture = null;
    for (const listener of listeners) listener();
  }

  function take(): Progress {
    let [bytes, totalBytes, files, totalFiles, failed, missing] = [0, 0, 0, 0, 0, 0];
    for (const item of items) {
      if (item.state === 'left_out') continue;
      bytes += item.sent;
      totalBytes += item.size;
      if (item.kind === 'file') totalFiles++;
      if (item.kind === 'file' && item.state === 'sent') files++;
      if (item.state === 'failed') failed++;
      if (item.state === 'missing') missing++;
    }
    const bytesPerSecond = phase.kind === 'sending' ? speed.perSecond() : 0;
    const secondsLeft = bytesPerSecond > 0 ? (totalBytes - bytes) / bytesPerSecond : null;
    return { phase, version, bytes, totalBytes, files, totalFiles, failed, missing, bytesPerSecond, secondsLeft };
  }

  function enter(next: Phase): void {
    phase = next;
    if (next.kind !== 'sending') speed.reset();
    const moves = next.kind === 'sending' || next.kind === 'offline' || next.kind === 'closing';
    if (moves && !stopTicks) stopTicks = ports.every(publishMilliseconds, tick);
    if (!moves) {
      stopTicks?.();
      stopTicks = null;
    }
    changed(true);
  }

  function tick(): void {
    if (phase.kind === 'sending') {
      const { bytes } = progress();
      speed.note(bytes, now());
      dirty = true;
    }
    publish();
  }

  function progress(): Progress {
    picture ??= take();
    return picture;
  }

  function start(): void {
    if (run || phase.kind === 'done') return;
    const controller = new AbortController();
    run = { controller, calls: null };
    enter(isOnline ? { kind: 'sending' } : { kind: 'offline' });
    void begin(run);
  }

  async function begin(mine: NonNullable<typeof run>): Promise<void> {
    const { signal } = mine.controller;
    const most = await keepTrying(() => batchLimit(api, signal), signal).catch(() => null);
    if (run !== mine || signal.aborted) return;
    const pause = (): Promise<void> => workers.sleep(gatherMilliseconds, new AbortController().signal);
    if (most) mine.calls = batchedCalls({ api, packageId, signal, most, pause });
    pump();
  }

  function pump(): void {
    if (!run) return;
    for (const [queue, most] of [
      [large, largeAtOnce],
      [small, smallAtOnce],
    ] as const) {
      while (queue.busy() < most) {
        const item = queue.next();
        if (!item) break;
        queue.enter();
        underWay++;
        void send(item, run).finally(() => {
          queue.leave();
          underWay--;
          pump();
        });
      }
    }
    if (underWay === 0) void settle(run);
  }

  async function settle(mine: NonNullable<typeof run>): Promise<void> {
    if (phase.kind !== 'sending' && phase.kind !== 'offline') return;
    if (items.some(({ state }) => state === 'failed' || state === 'missing')) {
      run = null;
      return enter({ kind: 'stuck' });
    }
    if (items.some(({ state }) => state === 'waiting')) return;
    const { signal } = mine.controller;
    enter({ kind: 'closing' });
    try {
      await keepTrying(() => close(api, packageId, signal), signal);
      await store.dropPackage(packageId);
      if (run === mine) run = null;
      enter({ kind: 'done', at: new Date() });
    } catch (fault) {
      if (signal.aborted) return;
      run = null;
      enter({ kind: 'failed', fault, retry: true });
    }
  }

  async function send(item: Item, mine: NonNullable<typeof run>): Promise<void> {
    const { signal } = mine.controller;
    item.state = 'sending';
    changed();
    try {
      await keepTrying(
        async () => {
          item.sent = 0;
          const { digest } = await uploadFile(portsOf(mine, item), {
            packageId,
            file: {
              kind: item.kind,
              name: item.name,
              path: item.path,
              lastModified: new Date(item.lastModified).toISOString(),
              ...(item.size > chunkSize ? { chunkSize } : {}),
            },
            source: { size: item.size, file: item.file },
            facts: item.facts,
            journal: journalOf(store, packageId, item),
            signal,
            onBytes(count) {
              item.sent += count;
            },
          });
          item.facts = { ...item.facts, digest };
        },
        signal,
        item,
      );
      item.state = 'sent';
      item.sent = item.size;
      item.fault = null;
      item.file = null;
    } catch (fault) {
      if (signal.aborted) {
        item.state = 'waiting';
        (small.takes(item) ? small : large).push(item);
      } else if (fault instanceof ServiceError && endsPackage.has(fault.error)) {
        item.state = 'waiting';
        mine.controller.abort();
        run = null;
        enter({ kind: 'failed', fault, retry: false });
      } else {
        item.state = isOfTheFile(fault) ? 'missing' : 'failed';
        item.fault = fault;
      }
    }
    changed();
  }

  function portsOf(mine: NonNullable<typeof run>, item: Item): UploadPorts<BrowserSource> {
    return {
      api,
      ...(mine.calls && small.takes(item) && chunkCount(item.size, chunkSize) === 1 ? { calls: mine.calls } : {}),
      storage: (request: ApiRequest) => ports.fetcher(request),
      send: createChunkSender(workers),
      hashSlice: createSliceHasher(workers),
      digest: async (bytes) => (await workers.digest(bytes, false)).blake3,
      gate: ports.gate,
      now,
      sleep: workers.sleep,
      random: ports.random,
    };
  }

  /** Again and again where it passes by itself; at once when the connection is back. */
  async function keepTrying<T>(work: () => Promise<T>, signal: AbortSignal, item?: Item): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        const result = await work();
        if (phase.kind === 'offline' && isOnline) enter({ kind: 'sending' });
        return result;
      } catch (fault) {
        signal.throwIfAborted();
        const remedy = remedyFor(fault);
        if (!passesByItself(remedy)) throw fault;
        if (item) item.fault = fault;
        if (phase.kind === 'sending' && isUnreachable(fault)) enter({ kind: 'offline' });
        changed();
        const wait = remedy.kind === 'again_after' ? remedy.seconds * 1_000 : backoffDelay(failures, ports.random);
        const enough = new AbortController();
        const sleeping = workers.sleep(wait, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
        await Promise.race([sleeping, wake.promise]);
        enough.abort();
        signal.throwIfAborted();
      }
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
      (small.takes(item) ? small : large).push(item);
    }
    changed(true);
    if (run) pump();
    else if (phase.kind === 'stuck' || phase.kind === 'failed') start();
  }

  return {
    packageId,
    items,
    progress,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    pause() {
      if (phase.kind !== 'sending' && phase.kind !== 'offline') return;
      halt();
      enter({ kind: 'paused' });
    },
    retry(item) {
      goOn(chosen(item, ['failed']));
    },
    async leaveOut(item) {
      const some = chosen(item, ['failed', 'missing']);
      for (const one of some) {
        const { fileId } = one.facts;
        // What was begun of it would keep the package from being closed.
        if (fileId !== undefined) {
          await api.call('deleteFile', { params: { package_id: packageId, file_id: fileId } }).catch((error: unknown) => {
            if (!(error instanceof ServiceError) || error.error !== 'not_found') throw error;
          });
        }
        one.state = 'left_out';
        one.sent = 0;
        void store.dropFile(packageId, one.index);
      }
      goOn([]);
    },
    supply(found) {
      const taken: Item[] = [];
      for (const [item, file] of found) {
        if (item.state !== 'missing' && item.state !== 'failed') continue;
        if (file.size !== item.size || file.lastModified !== item.lastModified) {
          // It is another file by now: nothing of what went out counts.
          item.size = file.size;
          item.lastModified = file.lastModified;
          item.facts = noFacts();
          void store.dropChunks(packageId, item.index);
        }
        item.file = file;
        item.sent = 0;
        void store.putFile(toStored(packageId, item));
        taken.push(item);
      }
      goOn(taken);
      return taken.length;
    },
    online(is) {
      isOnline = is;
      if (!is && phase.kind === 'sending') enter({ kind: 'offline' });
      if (is) {
        wake.resolve();
        wake = Promise.withResolvers<void>();
        if (phase.kind === 'offline') enter({ kind: 'sending' });
      }
    },
    stop() {
      halt();
      stopTicks?.();
      stopTicks = null;
    },
  };
}

/** The browser does not read it any more, and will not until it is chosen anew. */
function isOfTheFile(fault: unknown): boolean {
  return fault instanceof MoveError && ['file_changed', 'source_gone', 'source_unreadable'].includes(fault.code);
}

function isUnreachable(fault: unknown): boolean {
  if (fault instanceof ServiceError) return fault.error === 'service_unreachable';
  return fault instanceof MoveError && ['unreachable', 'cut', 'stalled'].includes(fault.code);
}

/** Closes the package. One that is closed already (the answer got lost) is as good. */
async function close(api: PageClient, packageId: string, signal: AbortSignal): Promise<void> {
  const params = { package_id: packageId };
  try {
    await api.call('finalizePackage', { params, signal });
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.error !== 'state_conflict') throw cause;
    const standing = await api.call('getPackage', { params, signal });
    if (standing.state !== 'finalized') throw cause;
  }
}
