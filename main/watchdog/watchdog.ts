import { type Channel, channel } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';
import { boardLayout, createActivityBoard } from './activity-board.ts';
import { type WatcherSettings, watch } from './watcher.ts';

export interface WatchdogOptions {
  /**
   * Diagnostics channels on which parts of the program publish their activities: texts without secrets. HTTP requests
   * are recorded without them.
   */
  readonly activities: readonly Channel[];
  /** Where a stall is reported while it lasts: a file descriptor, or a file to append to. */
  readonly output: number | string;
  /** Writes text lines for people, not JSON. */
  readonly plain: boolean;
  /** Called after a stall with its length in milliseconds. */
  readonly stood: (ms: number) => void;
  /** Milliseconds without a beat that count as a stall. */
  readonly stallMs?: number;
  readonly lookMs?: number;
  readonly stackMs?: number;
}

interface Watchdog {
  close(): void;
}

/** Fastify's channel for the start of a request's handler. It has the route's pattern, which contains no secret. */
const requests = channel('tracing:fastify.request.handler:start');

/**
 * Watches this thread's event loop. On a stall another thread logs the latest activities and, where the main thread is
 * in JavaScript, its stack. It never keeps the process alive.
 */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const { activities, output, plain, stood, stallMs = 10_000, lookMs = 1_000, stackMs = 2_000 } = options;
  const board = createActivityBoard(Date.now);
  const onRequest = (message: unknown): void => {
    const { route } = message as { readonly route?: { readonly url?: string; readonly method?: string | string[] } };
    board.begun(`${route?.method ?? ''} ${route?.url ?? ''}`);
  };
  const onActivity = (what: unknown): void => board.begun(String(what));
  requests.subscribe(onRequest);
  for (const one of activities) one.subscribe(onActivity);

  let lastBeat = performance.now();
  const beating = setInterval(() => {
    board.beat();
    const now = performance.now();
    if (now - lastBeat >= stallMs) stood(Math.round(now - lastBeat));
    lastBeat = now;
  }, lookMs);
  beating.unref();

  const settings: WatcherSettings = {
    memory: board.memory,
    layout: boardLayout,
    looks: Math.max(1, Math.round(stallMs / lookMs)),
    lookMs,
    stackMs,
    output,
    plain,
  };
  // The worker needs nothing of this process's environment or flags.
  const worker = new Worker(`(${watch})()`, { eval: true, name: 'watchdog', workerData: settings, env: {}, execArgv: [] });
  worker.unref();
  // The watchdog is optional: a system that cannot start another thread works without it.
  worker.on('error', () => {});

  return {
    close() {
      clearInterval(beating);
      requests.unsubscribe(onRequest);
      for (const one of activities) one.unsubscribe(onActivity);
      void worker.terminate();
    },
  };
}
