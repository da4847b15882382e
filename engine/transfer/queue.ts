import { ApiError } from '#protocol/errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { Activity } from './activity.ts';
import type { Alarm } from './alarm.ts';
import type { Book } from './book.ts';
import { asApiError, failureOf } from './failures.ts';
import type { JobContext, JobEnd } from './job.ts';
import type { TransferRecord } from './record.ts';

export interface QueuePorts {
  readonly book: Book;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly random: () => number;
  readonly log: Log;
  /** Runs one transfer from where it stands. */
  readonly run: (record: TransferRecord, context: JobContext) => Promise<JobEnd>;
  /** Transfers that move at once; one that waits for better times makes room for another. */
  readonly atOnce: number;
}

/** Runs transfers: the more urgent first, then by their place. */
export interface Queue {
  /** Takes up whatever may run. */
  pump(): void;
  /** Stops a transfer's job, if it runs, and resolves when nothing of it does any more. */
  stop(id: string): Promise<void>;
  /** Stops everything; what was under way goes on at the next start. */
  close(): Promise<void>;
}

interface Running {
  readonly activity: Activity;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Bounds how many may wait, all of which may come to life at once. */
const waitingPerMoving = 16;

const ranks = { high: 0, normal: 1, low: 2 } as const;

export function createQueue({ book, clock, alarm, random, log, run, atOnce }: QueuePorts): Queue {
  const running = new Map<string, Running>();
  let closed = false;

  const nextOne = (): TransferRecord | null => {
    let best: TransferRecord | null = null;
    for (const record of book.all()) {
      if (record.phase.state !== 'queued' || running.has(record.id)) continue;
      if (!best || goesBefore(record, best)) best = record;
    }
    return best;
  };

  const moving = (): number => [...running.values()].filter((job) => job.activity.waiting() === null).length;

  const pump = (): void => {
    while (!closed && moving() < atOnce && running.size < atOnce * waitingPerMoving) {
      const next = nextOne();
      if (!next) return;
      begin(next);
    }
  };

  const begin = (record: TransferRecord): void => {
    const { id } = record;
    const stop = new AbortController();
    const activity = book.follow(id);
    book.apply(id, { type: 'start' });
    const sleep: Alarm['sleep'] = (milliseconds, signal) => {
      pump();
      return alarm.sleep(milliseconds, signal);
    };
    const retries = { sleep, random, now: () => clock.now() };
    const context: JobContext = { activity, sleep, clock, random, signal: stop.signal, retries };
    const done = work(record, context).finally(() => {
      running.delete(id);
      book.unfollow(id);
      pump();
    });
    running.set(id, { stop, done, activity });
  };

  const work = async (record: TransferRecord, context: JobContext): Promise<void> => {
    const { id } = record;
    try {
      const end = await run(record, context);
      if (end.type === 'finish') book.apply(id, { type: 'finish', at: clock.now() });
      else book.apply(id, { type: 'all_sent' });
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
    async stop(id) {
      const job = running.get(id);
      job?.stop.abort(new ApiError('transfer_conflict', { detail: 'The transfer was stopped.' }));
      await job?.done;
    },
    async close() {
      closed = true;
      for (const job of running.values()) job.stop.abort(new ApiError('unavailable'));
      await Promise.all([...running.values()].map((job) => job.done));
    },
  };
}

function goesBefore(a: TransferRecord, b: TransferRecord): boolean {
  return ranks[a.priority] - ranks[b.priority] < 0 || (a.priority === b.priority && a.position < b.position);
}
