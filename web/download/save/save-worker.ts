/// <reference lib="webworker" />
import pLimit from 'p-limit';
import { ServiceError } from '#client/errors.ts';
import { browserFetcher } from '../../common/browser-fetcher.ts';
import { withVisitTrace } from '../../common/visit-trace.ts';
import { createDownloadClient, type DownloadClient } from '../api.ts';
import { createHashers } from './hashers.ts';
import type { SaveOrder, SaveTask } from './messages.ts';
import { openNotes } from './notes.ts';
import { createSaver, type Saver } from './saver.ts';

/**
 * Saves a package outside the page's main thread: bytes are streamed from the network through the digest to the disk,
 * and a tab in the background keeps its full speed.
 */
declare const self: DedicatedWorkerGlobalScope;

/** Concurrency. A browser allows six connections to a server; one is left for previews. */
const rangesAtOnce = 5;
/** Milliseconds. */
const tellEvery = 250;

let saver: Saver | null = null;
let telling: ReturnType<typeof setInterval> | undefined;

self.onmessage = ({ data: order }: MessageEvent<SaveOrder>) => {
  switch (order.kind) {
    case 'begin':
      void begin(order.task);
      break;
    case 'pause':
      saver?.pause();
      break;
    case 'go_on':
      void go();
      break;
  }
};

async function begin(task: SaveTask): Promise<void> {
  const asked: typeof fetch = (input, init) => fetch(input, init);
  saver = await createSaver(
    {
      api: withTokens(createDownloadClient(withVisitTrace(browserFetcher(asked)), task.baseUrl), task.tokens),
      fetcher: asked,
      notes: await openNotes(self.indexedDB),
      hashers: createHashers(),
      gate: pLimit(rangesAtOnce),
      sleep,
      random: Math.random,
      now: () => performance.now(),
      online: () => self.navigator.onLine,
      onProgress: (progress) => self.postMessage(progress),
    },
    task,
  );
  await go();
}

async function go(): Promise<void> {
  if (!saver) return;
  clearInterval(telling);
  telling = setInterval(saver.tell, tellEvery);
  await saver.run();
  clearInterval(telling);
}

/** Uses the first token that the service still accepts. */
function withTokens(api: DownloadClient, tokens: readonly string[]): DownloadClient {
  let at = 0;
  const own = (): DownloadClient => api.as({ kind: 'package', token: tokens[at]! });
  return {
    baseUrl: api.baseUrl,
    as: api.as,
    async call(name, request) {
      for (;;) {
        const before = at;
        try {
          return await own().call(name, request);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.error !== 'credential_invalid' || at + 1 >= tokens.length) throw error;
          // Another file may have switched to the next token already.
          if (at === before) at++;
        }
      }
    },
  };
}

/** Ends early when the browser is online again: that was most likely the cause of the wait. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      self.removeEventListener('online', woken);
      settle();
    };
    const woken = end(resolve);
    const aborted = end(() => reject(signal.reason));
    const timer = setTimeout(woken, milliseconds);
    signal.addEventListener('abort', aborted);
    self.addEventListener('online', woken);
  });
}
