import { backoffDelay } from '#client/backoff.ts';
import type { Clock, Log } from '../../ports.ts';
import type { CheckStep } from './check-mount.ts';
import type { Beginning, FromMount, MountState, Question, Questions, RateLimits, ToMount, TransferReport, Work } from './messages.ts';
import { forkMount, type MountChild } from './mount-child.ts';

/** Milliseconds between two looks at a folder. */
const lookEveryMs = 3_000;
/** A folder that has not answered for this long hangs: its process is killed and left behind. */
const hangMs = 10_000;
/** Milliseconds that a process has until it has begun, on a machine that is busy. */
const beginMs = 60_000;
/** Milliseconds that a process has for a stop in order: less than the agent has (main/headless.ts). */
const stopMs = 5_000;
const restarts = { first: 500, most: 30_000 };
/** Ends in a row without an answer of the folder, after which the mount is offline. */
const mostEnds = 3;

export interface MountProcessPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly changed: (state: MountState) => void;
  readonly reported: (report: TransferReport) => void;
  readonly tokenRefused: (transferId: string) => void;
  /** A new process goes on with these. */
  readonly unfinished: (transferIds: readonly string[]) => void;
  /** What a new process goes on with. */
  readonly works: () => readonly Work[];
  /** As a child of Node, unless given. */
  readonly startChild?: (() => MountChild) | undefined;
}

/** A mount's process as the agent sees it: started again when it ends, replaced when its folder hangs. */
export interface MountProcess {
  /** `null` until the folder has answered once. */
  readonly state: MountState | null;
  /**
   * Rejects with words for a person where the folder does not answer in time. A question whose process ends is asked of the
   * next one, so it comes out the same however often it is answered.
   */
  ask<Name extends Question>(
    question: Name,
    ask: Questions[Name]['ask'],
    timeoutMs?: number,
    /** Hears of the steps of a `check` as they end; again from the first one where another process answers. */
    onStep?: (step: CheckStep) => void,
  ): Promise<Questions[Name]['answer']>;
  work(work: Work): void;
  limit(limits: RateLimits): void;
  /** Resolves when the process has ended, or was left behind. */
  close(): Promise<void>;
}

type OfflineState = Extract<MountState, { readonly state: 'offline' }>;

/** The process has ended by itself or was killed; its successor starts soon. */
class ProcessEnded extends Error {}

interface Asked {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: Error) => void;
  readonly onStep: (step: CheckStep) => void;
}

export function startMountProcess(begin: Omit<Beginning, 'type'>, ports: MountProcessPorts): MountProcess {
  const { clock, random, log, startChild = forkMount } = ports;
  let limits = begin.rateLimits;
  let child: MountChild | null = null;
  /** Of the process that is there, or was the last one. */
  let ended = Promise.withResolvers<void>();
  let state: MountState | null = null;
  let asked = new Map<number, Asked>();
  let number = 0;
  let ends = 0;
  let lastAnswerAt = 0;
  let ready = Promise.withResolvers<void>();
  let started = Promise.withResolvers<void>();
  let loading = false;
  let looking = false;
  let closing = false;
  let cancelTimer = (): void => undefined;

  const hanging: OfflineState = {
    state: 'offline',
    reason: `The folder ${begin.root} does not answer. Check its server and the network; it goes on by itself.`,
  };
  const crashing: OfflineState = {
    state: 'offline',
    reason: 'The process of this mount ends again and again. The log of the agent says more.',
  };

  const become = (next: MountState): void => {
    const before = state;
    state = next;
    const isSame = before?.state === next.state && (next.state === 'ok' || (before as typeof next).reason === next.reason);
    if (!isSame) ports.changed(next);
  };

  const send = (message: ToMount): boolean => child?.send(message) ?? false;

  /** The questions of a process that is gone have no answer. */
  const forget = (cause: Error): void => {
    const left = asked;
    asked = new Map();
    ready.reject(cause);
    for (const { reject } of left.values()) reject(cause);
  };

  const leaveBehind = (): void => {
    child?.abandon();
    child = null;
  };

  const restartLater = (): void => {
    if (closing) return;
    ends++;
    cancelTimer();
    cancelTimer = clock.after(backoffDelay(ends, random, restarts), start);
  };

  const receive = (message: FromMount): void => {
    switch (message.type) {
      case 'answer':
      case 'failed': {
        const one = asked.get(message.number);
        asked.delete(message.number);
        if (message.type === 'answer') one?.resolve(message.answer);
        else one?.reject(new Error(message.message));
        break;
      }
      case 'step':
        asked.get(message.number)?.onStep(message.step);
        break;
      case 'loading':
        loading = true;
        if (looking) awaitLook();
        break;
      case 'ready':
        loading = false;
        lastAnswerAt = clock.now();
        if (looking) awaitLook();
        ready.resolve();
        break;
      case 'report':
        ports.reported(message.report);
        break;
      case 'token_refused':
        ports.tokenRefused(message.transferId);
        break;
      case 'unfinished':
        ports.unfinished(message.transferIds);
        break;
      case 'log':
        log[message.level]({ ...message.facts, mount: begin.mountId }, message.message);
    }
  };

  const put = <T>(
    question: Question,
    ask: unknown,
    onStep: Asked['onStep'] = () => undefined,
  ): { readonly number: number; readonly answer: Promise<T> } => {
    const own = ++number;
    const answer = new Promise<T>((resolve, reject) => asked.set(own, { resolve: resolve as (found: unknown) => void, reject, onStep }));
    send({ type: 'ask', number: own, question, ask });
    return { number: own, answer };
  };

  /** A look without an answer is how a hanging folder shows; a process that loads code answers nothing either. */
  const awaitLook = (): void => {
    const own = child;
    cancelTimer();
    const left = loading ? beginMs : Math.max(1_000, hangMs - (clock.now() - lastAnswerAt));
    cancelTimer = clock.after(left, () => {
      if (child !== own) return;
      log.warn({ mount: begin.mountId }, 'a folder does not answer; its process is left behind');
      leaveBehind();
      forget(new Error(hanging.reason));
      become(hanging);
      restartLater();
    });
  };

  /** One look after the other. */
  const look = (): void => {
    if (closing || !child) return;
    const own = child;
    looking = true;
    awaitLook();
    put<MountState>('probe', {}).answer.then(
      (found) => {
        if (child !== own || closing) return;
        looking = false;
        ends = 0;
        lastAnswerAt = clock.now();
        become(found);
        cancelTimer();
        cancelTimer = clock.after(lookEveryMs, look);
      },
      () => undefined,
    );
  };

  function start(): void {
    if (closing) return;
    const own = startChild();
    child = own;
    loading = false;
    looking = false;
    ready = Promise.withResolvers();
    ready.promise.catch(() => undefined);
    started.resolve();
    started = Promise.withResolvers();
    started.promise.catch(() => undefined);
    const isOver = Promise.withResolvers<void>();
    ended = isOver;
    own.listen({
      message: receive,
      error: (error) => log.warn({ mount: begin.mountId, error: String(error) }, 'the process of a mount met an error'),
      exit(why) {
        isOver.resolve();
        if (child !== own) return;
        child = null;
        forget(new ProcessEnded('The process of this mount has ended; it is started again.'));
        if (closing) return;
        log.warn({ ...why, mount: begin.mountId }, 'the process of a mount has ended; it is started again');
        if (ends + 1 >= mostEnds) become(crashing);
        restartLater();
      },
    });
    send({ type: 'begin', ...begin, rateLimits: limits });
    for (const work of ports.works()) send({ type: 'work', work });
    cancelTimer();
    cancelTimer = clock.after(beginMs, () => {
      if (child !== own) return;
      log.warn({ mount: begin.mountId }, 'the process of a mount does not begin');
      leaveBehind();
      forget(new Error(crashing.reason));
      become(crashing);
      restartLater();
    });
    ready.promise.then(
      () => {
        if (child !== own) return;
        lastAnswerAt = clock.now();
        look();
      },
      () => undefined,
    );
  }

  start();
  return {
    get state() {
      return state;
    },
    async ask<Name extends Question>(question: Name, ask: Questions[Name]['ask'], timeoutMs = hangMs, onStep?: Asked['onStep']) {
      const late = Promise.withResolvers<never>();
      late.promise.catch(() => undefined);
      let cancel: (() => void) | null = null;
      try {
        for (;;) {
          if (!child && (closing || state?.state === 'offline'))
            throw new Error(state?.state === 'offline' ? state.reason : 'The agent stops.');
          try {
            if (!child) await Promise.race([started.promise, late.promise]);
            await Promise.race([ready.promise, late.promise]);
            // A process that begins, or loads, says nothing of its folder yet.
            cancel ??= clock.after(timeoutMs, () => late.reject(new Error(hanging.reason)));
            const { number: own, answer } = put<Questions[Name]['answer']>(question, ask, onStep);
            return await Promise.race([answer, late.promise]).finally(() => asked.delete(own));
          } catch (cause) {
            if (!(cause instanceof ProcessEnded)) throw cause;
          }
        }
      } finally {
        cancel?.();
      }
    },
    work: (work) => void send({ type: 'work', work }),
    limit(next) {
      limits = next;
      send({ type: 'limits', ...next });
    },
    async close() {
      closing = true;
      cancelTimer();
      started.reject(new Error('The agent stops.'));
      if (!child) return;
      const cancel = clock.after(stopMs, () => {
        leaveBehind();
        ended.resolve();
      });
      if (send({ type: 'stop' })) await ended.promise;
      cancel();
      child = null;
      forget(new Error('The agent stops.'));
    },
  };
}
