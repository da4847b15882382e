import { ApiError } from '#protocol/errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { Lists } from '../state/lists.ts';
import type { Activity } from './activity.ts';
import { type Alarm, createAlarm } from './alarm.ts';
import type { Book } from './book.ts';
import { asApiError, failureOf } from './failures.ts';
import type { JobContext, JobEnd } from './job.ts';
import { goesBefore, isMoreUrgent } from './order.ts';
import { createOutage } from './outage.ts';
import type { TransferRecord } from './record.ts';
import { createTurnstile } from './turnstile.ts';

export interface QueuePorts {
  readonly book: Book;
  readonly lists: Pick<Lists, 'queued'>;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly random: () => number;
  readonly log: Log;
  /** Runs one transfer from where it stands. */
  readonly run: (record: TransferRecord, context: JobContext) => Promise<JobEnd>;
  readonly limits: () => QueueLimits;
}

export interface QueueLimits {
  /** Transfers that move at once; one that waits for better times makes room for another. */
  readonly atOnce: number;
  /**
   * One after the other: the next begins when the one before is over, paused or idle. A more urgent one pushes a
   * less urgent one aside between two of its chunks, so that nothing is lost; that goes on later.
   */
  readonly strict: boolean;
}

/** Runs transfers: the more urgent first, then by their place. */
export interface Queue {
  /** Takes up whatever may run. */
  pump(): void;
  /** The limits have changed: what is too much goes back into the line, the least urgent first. */
  limitsChanged(): void;
  /** Stops a transfer's job, if it runs, and resolves when nothing of it does any more. */
  stop(id: string): Promise<void>;
  /** Stops everything; what was under way goes on at the next start. */
  close(): Promise<void>;
}

interface Running {
  readonly activity: Activity;
  readonly stop: AbortController;
  /** Lets what is under way get through, and stops it then. */
  readonly setAside: () => void;
  readonly done: Promise<void>;
}

/** Bounds how many may wait, all of which may come to life at once. */
const waitingPerMoving = 16;

export function createQueue({ book, lists, clock, alarm, random, log, run, limits }: QueuePorts): Queue {
  const running = new Map<string, Running>();
  let closed = false;

  const nextOne = (): TransferRecord | null => {
    for (const id of lists.queued()) {
      const record = running.has(id) ? null : book.find(id);
      if (record?.phase.state === 'queued') return record;
    }
    return null;
  };

  const moving = (): number => [...running.values()].filter((job) => job.activity.waiting() === null).length;

  const hasRoom = (): boolean => {
    const { atOnce, strict } = limits();
    return strict ? running.size === 0 : moving() < atOnce && running.size < atOnce * waitingPerMoving;
  };

  const pump = (): void => {
    while (!closed && hasRoom()) {
      const next = nextOne();
      if (!next) return;
      begin(next);
    }
    makeRoom();
  };

  const makeRoom = (): void => {
    if (closed || !limits().strict) return;
    const next = nextOne();
    if (!next) return;
    for (const [id, { setAside }] of [...running]) if (isMoreUrgent(next, book.get(id))) setAside();
  };

  const begin = (record: TransferRecord): void => {
    const { id } = record;
    const stop = new AbortController();
    const { through, shut } = createTurnstile(stop.signal);
    const activity = book.follow(id);
    book.apply(id, { type: 'start' });
    const sleepBy =
      ({ sleep }: Alarm): Alarm['sleep'] =>
      (milliseconds, signal) => {
        pump();
        return sleep(milliseconds, signal);
      };
    const sleep = sleepBy(alarm);
    const forNetwork = createAlarm(clock);
    const outage = createOutage({ sleep: sleepBy(forNetwork), wake: forNetwork.wake });
    const retries = { sleep, random, now: () => clock.now() };
    const context: JobContext = { activity, sleep, clock, random, signal: stop.signal, outage, retries, through };
    const done = work(record, context).finally(() => {
      running.delete(id);
      book.unfollow(id);
      pump();
    });
    running.set(id, { stop, setAside: () => shut(() => stop.abort(stopped())), done, activity });
  };

  const work = async (record: TransferRecord, context: JobContext): Promise<void> => {
    const { id } = record;
    try {
      const end = await run(record, context);
      if (end.type === 'finish') book.apply(id, { type: 'finish', at: clock.now() });
      else {
        book.apply(id, { type: 'all_sent' });
        // Files were added in the very moment: they go out too.
        if (!isScanned(book.get(id))) book.apply(id, { type: 'more' });
      }
    } catch (error) {
      if (context.signal.aborted) {
        book.apply(id, { type: 'interrupt' });
        return;
      }
      const known = asApiError(error);
      const facts = { transfer: id, code: known.code, error: known.message };
      if (known.error === 'agent_fault')
        log.error({ ...facts, stack: error instanceof Error ? error.stack : undefined }, 'a transfer failed');
      else log.warn(facts, 'a transfer failed');
      book.apply(id, { type: 'fail', failure: failureOf(error) });
    }
  };

  return {
    pump,
    limitsChanged() {
      const { atOnce, strict } = limits();
      const counted = [...running].filter(([, job]) => strict || job.activity.waiting() === null).map(([id]) => book.get(id));
      counted.sort((a, b) => (goesBefore(a, b) ? -1 : 1));
      for (const { id } of counted.slice(strict ? 1 : atOnce)) running.get(id)?.stop.abort(stopped());
      pump();
    },
    async stop(id) {
      const job = running.get(id);
      job?.stop.abort(stopped());
      await job?.done;
    },
    async close() {
      closed = true;
      for (const job of running.values()) job.stop.abort(new ApiError('unavailable'));
      await Promise.all([...running.values()].map((job) => job.done));
    },
  };
}

function stopped(): ApiError {
  return new ApiError('transfer_conflict', { detail: 'The transfer was stopped.' });
}

function isScanned(record: TransferRecord): boolean {
  return record.kind === 'download' || record.facts.scanned;
}
