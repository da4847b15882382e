import { type Backoff, backoffDelay } from '#client/backoff.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { wordsOf } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { Lists } from '../state/lists.ts';
import { type Lost, mayBeWrittenLater, type Writer } from '../state/writer.ts';
import type { Activity } from './activity.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { createDrainGate } from './concurrency/drain-gate.ts';
import type { Deadlines } from './deadlines/deadlines.ts';
import { adviceFor, asApiError, failureOf } from './failures.ts';
import type { JobContext, JobEnd } from './job.ts';
import { createMovements } from './movements.ts';
import { isMoreUrgent } from './order.ts';
import { createOutage } from './outage.ts';
import type { TransferRecord } from './record.ts';
import { reasonFor, troubleIn } from './retry-with-activity.ts';
import type { TransferRegistry } from './transfer-registry.ts';
import { traceIdOf } from './transfer-trace.ts';
import { createWaker, type Waker } from './waker.ts';

interface QueuePorts {
  readonly registry: TransferRegistry;
  readonly lists: Pick<Lists, 'all'>;
  readonly deadlines: Deadlines;
  readonly writer: Pick<Writer, 'onEnd'>;
  readonly clock: Clock;
  readonly waker: Waker;
  readonly random: () => number;
  readonly log: Log;
  /** Runs one transfer from its state in the database. Its writes pass through the attempt. */
  readonly run: (record: TransferRecord, context: JobContext, attempt: Attempt) => Promise<JobEnd>;
  readonly limits: () => QueueLimits;
}

interface QueueLimits {
  /** Maximum number of active transfers; one that waits for a retry makes room for another. */
  readonly atOnce: number;
  /**
   * One after the other: the next begins when the one before is over, paused or idle. A transfer of higher priority
   * preempts one of lower priority between two chunks, so that nothing is lost; the preempted one continues later.
   */
  readonly strict: boolean;
}

/** Scheduler of transfers: by priority, then by the slack of their deadlines, then by position (docs/decisions/0058). */
export interface Queue {
  /** Starts every transfer that may run. */
  pump(): void;
  /** Re-queues transfers that the database says are running but that do not run: their end was lost, or the agent was killed. */
  recover(): void;
  /** The limits have changed: surplus transfers are queued again, the last of the order first. */
  limitsChanged(): void;
  /** Stops a transfer's job at once, if it runs, and resolves when none of its work runs any more. */
  stop(id: string): Promise<void>;
  /** The same, but parts that need less than five more seconds are completed. */
  finish(id: string): Promise<void>;
  /** Transfers in backoff retry at once. */
  tryNow(): void;
  /** Stops everything as `finish` does; running transfers continue at the next start. */
  close(): Promise<void>;
}

/** The context of a single attempt of a job. */
interface AttemptParts {
  activity: Activity;
  attempt: Attempt;
  context: JobContext;
  /** Completes the chunks in progress, then stops the job. */
  setAside: () => void;
  /** Resolves when nearly finished work is complete; nothing new begins. */
  finish: () => Promise<void>;
  /** Ends the backoff for the network. */
  wake: () => void;
}

/** A job with its current attempt. */
interface Running extends AttemptParts {
  readonly stop: AbortController;
  done: Promise<void>;
}

/** Backoff between checks whether the agent's state can be written again. */
const stateBackoff: Backoff = { first: 1_000, most: 30_000 };

/** Milliseconds between two looks at deadlines, while there are any. */
const lookMs = 2_000;

/** Limits the number of waiting transfers, since all of them may resume at once. */
const waitingPerMoving = 16;

export function createQueue({ registry, lists, deadlines, writer, clock, waker, random, log, run, limits }: QueuePorts): Queue {
  const running = new Map<string, Running>();
  let closed = false;

  let cancelLook: (() => void) | null = null;

  const isRunning = (id: string): boolean => running.has(id);
  const nextOne = (): TransferRecord | null => recordOf(deadlines.next(isRunning));
  const recordOf = (id: string | null): TransferRecord | null => (id === null ? null : registry.find(id));

  /** Transfers that use the line. One that is set aside for a deadline leaves its place already. */
  const moving = (): number => [...running].filter(([id, { activity }]) => activity.waiting() === null && !deadlines.isLent(id)).length;

  const hasRoom = (): boolean => {
    const { atOnce, strict } = limits();
    return strict ? running.size === 0 : moving() < atOnce && running.size < atOnce * waitingPerMoving;
  };

  const pump = (): void => {
    watchDeadlines();
    while (!closed && hasRoom()) {
      const next = nextOne();
      if (!next) return;
      begin(next);
    }
    returnPlace();
    makeRoom();
  };

  /** Looks at once, and then again and again while a queued or running transfer has a deadline. */
  const watchDeadlines = (): void => {
    if (closed || cancelLook || !deadlines.any()) return;
    cancelLook = clock.after(lookMs, () => {
      cancelLook = null;
      pump();
    });
    for (const { id, log } of deadlines.look({ ...limits(), running: followed() })) {
      try {
        if (log) registry.log(id, log.event, log.detail);
      } catch {
        // The state file cannot be written now, and that was reported already. The queue goes on.
      }
      registry.publish(id);
    }
    for (const [id, { setAside }] of running) if (deadlines.isLent(id)) setAside();
  };

  const followed = (): { readonly record: TransferRecord; readonly activity: Activity }[] =>
    [...running].flatMap(([id, { activity }]) => {
      const record = registry.find(id);
      return record ? [{ record, activity }] : [];
    });

  /** One that has waited for a deadline long enough runs beside the others. */
  const returnPlace = (): void => {
    const { atOnce, strict } = limits();
    if (closed || strict || moving() > atOnce) return;
    const owed = recordOf(deadlines.owed(isRunning));
    if (owed) begin(owed);
  };

  const makeRoom = (): void => {
    if (closed || !limits().strict) return;
    const next = nextOne();
    if (!next) return;
    for (const [id, { setAside }] of [...running]) if (isMoreUrgent(next, registry.get(id))) setAside();
  };

  const begin = (record: TransferRecord): void => {
    const { id } = record;
    deadlines.began(record);
    const stop = new AbortController();
    const job: Running = { ...attemptOf(id, stop.signal), stop, done: Promise.resolve() };
    running.set(id, job);
    job.done = work(id, job).finally(() => {
      running.delete(id);
      registry.unfollow(id);
      pump();
    });
  };

  /** Begins an attempt from the state in the database. */
  const attemptOf = (id: string, stop: AbortSignal): AttemptParts => {
    const attempt = createAttempt(stop);
    const { signal } = attempt;
    const { through, drain } = createDrainGate(signal);
    const activity = registry.follow(id);
    const sleepBy =
      ({ sleep }: Waker): Waker['sleep'] =>
      (milliseconds, until) => {
        pump();
        return sleep(milliseconds, until);
      };
    const sleep = sleepBy(waker);
    const forNetwork = createWaker(clock);
    const outage = createOutage({ sleep: sleepBy(forNetwork), wake: forNetwork.wake });
    const retries = { sleep, random, now: () => clock.now(), trouble: troubleIn(activity), damages: { times: 0 } };
    const movements = createMovements(clock);
    const context: JobContext = { activity, sleep, clock, random, signal, outage, retries, through, movements };
    const setAside = (): void => drain(() => running.get(id)?.stop.abort(stopped()));
    const finish = async (): Promise<void> => {
      drain(() => {});
      activity.finish();
      await movements.finish(activity.speed(clock.now()));
    };
    return { activity, attempt, context, setAside, finish, wake: forNetwork.wake };
  };

  /** Runs a transfer until it ends, is stopped, or no longer exists; after each lost batch it starts again. */
  const work = async (id: string, job: Running): Promise<void> => {
    for (let losses = 1; ; losses++) {
      const { attempt, context } = job;
      try {
        await runOnce(id, attempt, context);
        return;
      } catch (error) {
        if (job.stop.signal.aborted) {
          interrupt(id);
          return;
        }
        const lost = attempt.lost ?? { cause: error };
        log.warn({ transfer: id, error: wordsOf(lost.cause) }, 'changes of the state file are lost; the transfer goes on from what it has');
        if (!nextAttempt(id, job)) return;
        await waitForState(job, lost, losses);
      } finally {
        attempt.close();
      }
    }
  };

  /** False if there is nothing to continue with, or it cannot be read; `recover` finds it later. */
  const nextAttempt = (id: string, job: Running): boolean => {
    try {
      if (!registry.find(id)) return false;
      Object.assign(job, attemptOf(id, job.stop.signal));
      return true;
    } catch (error) {
      log.warn({ transfer: id, error: wordsOf(error) }, 'a transfer could not be read from the state file');
      return false;
    }
  };

  /** Throws if it was stopped, or its end could not be saved. */
  const runOnce = async (id: string, attempt: Attempt, context: JobContext): Promise<void> => {
    const record = registry.find(id);
    if (!record) return;
    if (!registry.apply(id, { type: 'start' }) && record.phase.state !== 'transferring') return;
    try {
      const end = await run(registry.get(id), context, attempt);
      if (attempt.lost) throw attempt.lost.cause;
      if (end.type === 'finish') registry.apply(id, { type: 'finish', at: clock.now() });
      else if (end.type === 'nothing_left') registry.apply(id, { type: 'cancel', at: clock.now() });
      else {
        registry.apply(id, { type: 'all_sent' });
        // Files were added at this very moment: they are sent too.
        if (!isScanned(registry.get(id))) registry.apply(id, { type: 'more' });
      }
    } catch (error) {
      const { lost, isCulprit, signal } = attempt;
      // A change that can never be written ends only the transfer that made it.
      const own = lost && isCulprit && !mayBeWrittenLater(lost) ? lost.cause : null;
      if (own === null && (signal.aborted || mayBeWrittenLater({ cause: error }))) throw error;
      fail(id, own ?? error);
    }
  };

  const fail = (id: string, error: unknown): void => {
    const known = asApiError(error);
    const facts = { transfer: id, trace_id: traceIdOf(id), code: known.code, error: known.message };
    if (known.error === 'agent_fault')
      log.error({ ...facts, stack: error instanceof Error ? error.stack : undefined }, 'a transfer failed');
    else log.warn(facts, 'a transfer failed');
    registry.apply(id, { type: 'fail', failure: failureOf(error) });
  };

  const interrupt = (id: string): void => {
    try {
      registry.apply(id, { type: 'interrupt' });
    } catch {
      // `recover` does it as soon as the database can be written.
    }
  };

  /** Waits with growing backoff, and reports the reason, if the database must first become writable. */
  const waitForState = async ({ activity, stop }: Running, lost: Lost, losses: number): Promise<void> => {
    if (!mayBeWrittenLater(lost)) return;
    const pause = backoffDelay(losses, random, stateBackoff);
    const awake = activity.wait({ reason: reasonFor(lost.cause, pause), until: clock.now() + pause, advice: adviceFor(lost.cause) });
    try {
      await waker.sleep(pause, stop.signal);
    } catch {
      // Stopped: the next attempt detects that.
    } finally {
      awake();
    }
  };

  /** Stops a job when its nearly finished work is complete. */
  const finish = async (id: string, reason: ApiError): Promise<void> => {
    const job = running.get(id);
    if (!job) return;
    // If the job is stopped at once meanwhile, this no longer waits.
    await Promise.race([job.finish(), job.done]);
    job.stop.abort(reason);
    await job.done;
  };

  writer.onEnd((lost) => {
    if (lost) for (const { attempt } of running.values()) attempt.lose(lost);
  });

  return {
    pump,
    recover() {
      for (const id of lists.all({ state: ['transferring'] })) if (!running.has(id)) registry.apply(id, { type: 'interrupt' });
      pump();
    },
    limitsChanged() {
      const { atOnce, strict } = limits();
      const counted = [...running]
        .filter(([id, job]) => strict || (job.activity.waiting() === null && !deadlines.isLent(id)))
        .map(([id]) => registry.get(id));
      counted.sort((a, b) => (deadlines.goesBefore(a, b) ? -1 : 1));
      for (const { id } of counted.slice(strict ? 1 : atOnce)) void finish(id, stopped());
      pump();
    },
    async stop(id) {
      const job = running.get(id);
      job?.stop.abort(stopped());
      await job?.done;
    },
    finish: (id) => finish(id, stopped()),
    tryNow() {
      waker.wake();
      for (const { wake } of running.values()) wake();
    },
    async close() {
      closed = true;
      cancelLook?.();
      await Promise.all([...running.keys()].map((id) => finish(id, new AgentError('unavailable'))));
    },
  };
}

function stopped(): ApiError {
  return new AgentError('transfer_conflict', { detail: 'The transfer was stopped.' });
}

function isScanned(record: TransferRecord): boolean {
  return record.kind === 'download' || record.facts.scanned;
}
