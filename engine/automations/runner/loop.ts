import { backoffDelay } from '#client/backoff.ts';
import { wordsOf } from '../../errors.ts';
import type { Clock, Log } from '../../ports.ts';
import type { AutomationRecord } from '../record.ts';
import type { AutomationWork, PassResult } from './work.ts';

/** What an automation does now, as far as its record does not say it. */
export interface LoopStatus {
  readonly state: PassResult['state'] | 'resting';
  readonly message: string;
  readonly waitingFor: string;
  /** Milliseconds since 1970. */
  readonly waitingSince: number | null;
  readonly waiting: number;
  readonly nextPassAt: number | null;
}

/** One loop for each automation: its passes never overlap. */
export interface Loop {
  readonly status: LoopStatus;
  /** A pass is due: now, or as soon as the present one has ended. Without effect while it rests. */
  wake(): void;
  /** Works from now on, or rests. */
  setActive(active: boolean): Promise<void>;
  /**
   * Resolves when nothing of it runs any more, or after a few seconds, where the disk of its folder does not answer: then
   * `leftBehind` is set.
   */
  close(): Promise<void>;
  /** Resolves when a pass that was left behind has ended; `null` if there is none. It does nothing any more but end. */
  readonly leftBehind: Promise<void> | null;
}

interface LoopPorts {
  /** The first pass comes after this: passes of one automation never overlap. */
  readonly after?: Promise<void> | null;
  readonly record: () => AutomationRecord;
  readonly work: AutomationWork;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** The status changed, or a pass ended. */
  readonly changed: (passEnded: boolean) => void;
}

const resting: LoopStatus = { state: 'resting', message: '', waitingFor: '', waitingSince: null, waiting: 0, nextPassAt: null };

/** Between passes that fail, in milliseconds. */
const failureBackoff = { first: 2_000, most: 30_000 };
/** A pass takes at most this share of the time, however often one is due. */
const restAfterPass = 4;
/** It rests no longer than this, since most of a long pass is waiting for a service or a disk. Milliseconds. */
const mostRest = 60_000;

/** How long the end of a pass is waited for. Milliseconds. */
const patience = 3_000;
const hanging = 'The disk of its folder does not answer. It goes on once that does.';

export function createLoop({ after = null, record, work, clock, random, log, changed }: LoopPorts): Loop {
  let status: LoopStatus = resting;
  let active = false;
  let due = false;
  let failures = 0;
  let cancelTimer = (): void => {};
  let endedAt = 0;
  let notBefore = 0;
  let stop = new AbortController();
  let running: Promise<void> | null = null;
  let former = after;
  let leftBehind: Promise<void> | null = null;

  const tell = (next: LoopStatus, passEnded: boolean): void => {
    const since = next.waitingFor === '' ? null : next.waitingFor === status.waitingFor ? status.waitingSince : clock.now();
    status = { ...next, waitingSince: since };
    changed(passEnded);
  };

  /** Milliseconds until the next pass may begin; none where the clock was set back since the last one. */
  const rest = (): number => (clock.now() < endedAt ? 0 : Math.max(0, notBefore - clock.now()));

  const later = (milliseconds: number): number => {
    cancelTimer();
    const wait = Math.max(milliseconds, rest());
    cancelTimer = clock.after(wait, wake);
    return clock.now() + wait;
  };

  const passOnce = async (signal: AbortSignal): Promise<void> => {
    const before = clock.now();
    try {
      const result = await work.pass(record(), signal);
      failures = 0;
      endedAt = clock.now();
      notBefore = endedAt + Math.min(mostRest, restAfterPass * Math.max(0, endedAt - before));
      const { nextInMs, ...found } = result;
      if (signal.aborted) return;
      tell({ ...found, waitingSince: null, nextPassAt: later(nextInMs) }, true);
    } catch (cause) {
      if (signal.aborted) return;
      failures++;
      const message = wordsOf(cause);
      if (status.message !== message) log.warn({ automation: record().id, error: message }, 'an automation cannot work now');
      const nextPassAt = later(backoffDelay(failures, random, failureBackoff));
      tell({ state: 'error', message, waitingFor: '', waitingSince: null, waiting: status.waiting, nextPassAt }, true);
    }
  };

  const run = async (): Promise<void> => {
    if (former !== null) {
      tell({ ...resting, state: 'error', message: hanging }, false);
      await former;
      former = null;
    }
    while (active && due) {
      due = false;
      await passOnce(stop.signal);
    }
  };

  function wake(): void {
    if (!active) return;
    if (!running && rest() > 0) {
      // What comes in a storm of events waits for its turn.
      later(0);
      return;
    }
    due = true;
    cancelTimer();
    // What fails here is the agent's own state, as on a full disk; the timer of the next pass is set by then.
    const failed = (error: unknown): void => log.warn({ error: wordsOf(error) }, 'the end of a pass could not be noted');
    running ??= run()
      .catch(failed)
      .finally(() => {
        running = null;
        if (active && due) wake();
      });
  }

  const halt = async (): Promise<void> => {
    active = false;
    due = false;
    cancelTimer();
    stop.abort();
    if (leftBehind) return;
    const ended = Promise.resolve(running).then(() => work.close());
    if (running && former !== null) {
      // It has not begun, and waits for another that was left behind.
      leftBehind = ended;
      return;
    }
    const late = Promise.withResolvers<'late'>();
    const cancel = clock.after(patience, () => late.resolve('late'));
    const how = await Promise.race([ended, late.promise]);
    cancel();
    if (how !== 'late') return;
    log.warn({ automation: record().id }, 'a pass of an automation does not end; it is left behind');
    leftBehind = ended.then(
      () => {},
      (error: unknown) => log.warn({ error: wordsOf(error) }, 'a pass that was left behind could not end'),
    );
  };

  return {
    get status() {
      return status;
    },
    get leftBehind() {
      return leftBehind ?? former;
    },
    wake,
    async setActive(next) {
      if (next === active) return;
      if (!next) {
        await halt();
        tell(resting, false);
        return;
      }
      stop = new AbortController();
      former ??= leftBehind;
      leftBehind = null;
      active = true;
      failures = 0;
      notBefore = 0;
      status = { ...resting, state: 'watching' };
      wake();
    },
    close: halt,
  };
}
