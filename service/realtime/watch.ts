import type { Kysely } from 'kysely';
import type { PackageEvent } from '#protocol/hosted/package-events.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';
import { addChanges, type ChangeList, type Changes, mergeEvents, noChanges } from './event.ts';
import { nameChanges, type Progress, readProgress } from './progress.ts';

/** One reader of a package's events. At most one event is queued. */
export interface Subscription {
  /** The next event, merged from all changes since the previous one; null at the end. One call at a time. */
  next(): Promise<PackageEvent | null>;
  close(): void;
}

/** One package with readers of its events in this process. */
export interface Watch {
  subscribe(): Subscription;
  changed(changes: Changes, unnamed: number): void;
  /** Looks for changes that no message reported. With `read` it is read by that, unless it was read a moment ago. */
  poll(read?: () => Promise<Progress | null>): void;
  end(): void;
  readonly readers: number;
}

/** Milliseconds between two events of a package. */
export const eventPause = 200;
/** Counting a large package is slow, so the pause before the next count is this many times as long. */
const pauseFactor = 20;

interface Reader {
  /** Whether it has received its first event. */
  begun: boolean;
  /** The merged event that the reader has not taken yet. */
  waiting: PackageEvent | null;
  ended: boolean;
  wake: (() => void) | null;
}

interface WatchParts {
  readonly db: Kysely<Database>;
  readonly packageId: string;
  readonly now: () => Date;
  readonly log: Log;
  /** Called when the last reader has left. */
  readonly onLastReaderLeft: () => void;
}

/**
 * A message only triggers a read: counts and state are read from the database. So a message that is lost, duplicated,
 * or received before its transaction's commit makes no event wrong.
 */
export function createWatch({ db, packageId, now, log, onLastReaderLeft }: WatchParts): Watch {
  const readers = new Set<Reader>();
  let changes: ChangeList = noChanges();
  let last: Progress | null = null;
  let reading = false;
  let wanted = false;
  let pauseTimer: NodeJS.Timeout | undefined;
  let ended = false;

  /** Reads now, or as soon as the current read and its pause are over. */
  function want(together?: () => Promise<Progress | null>): void {
    wanted = true;
    if (!reading && pauseTimer === undefined && !ended) void readNow(together);
  }

  /** @param together it is read with others, so the time it takes says nothing of this package */
  async function readNow(together?: () => Promise<Progress | null>): Promise<void> {
    reading = true;
    wanted = false;
    const taken = changes;
    changes = noChanges();
    const present = [...readers];
    const began = performance.now();
    try {
      const progress = await (together?.() ?? readProgress(db, packageId));
      const named = progress ? await nameChanges(db, packageId, taken) : [];
      if (!progress) end();
      else if (!ended) deliver(progress, named, taken.unnamed, present);
    } catch (error) {
      // The database is not available: the change is read at the next trigger.
      log.warn({ err: error, onceAMinute: 'progress' }, 'the progress of a package could not be read');
      addChanges(changes, taken.named, taken.unnamed);
    }
    reading = false;
    if (ended) return;
    // A new reader does not wait for the pause.
    const hasNewReader = [...readers].some((reader) => !present.includes(reader));
    const cost = together ? 0 : performance.now() - began;
    const pause = hasNewReader ? 0 : Math.max(eventPause, cost * pauseFactor);
    pauseTimer = setTimeout(() => {
      pauseTimer = undefined;
      if (wanted) want();
    }, pause);
    pauseTimer.unref();
  }

  function deliver(progress: Progress, named: PackageEvent['changes'], unnamed: number, present: readonly Reader[]): void {
    const before = last;
    last = progress;
    const event: PackageEvent = {
      type: typeOf(before, progress),
      at: now().toISOString(),
      package_id: packageId,
      state: progress.state,
      files: progress.files,
      bytes: progress.bytes,
      ...(progress.transfers && { transfers: progress.transfers }),
      changes: named,
      unnamed_changes: unnamed,
    };
    const hasNews = named.length > 0 || unnamed > 0 || !before || !sameProgress(before, progress);
    for (const reader of present) {
      if (!readers.has(reader)) continue;
      if (reader.begun) {
        if (!hasNews) continue;
        reader.waiting = mergeEvents(reader.waiting, event);
      } else {
        reader.begun = true;
        reader.waiting = { ...event, type: 'state' };
      }
      reader.wake?.();
    }
  }

  function end(): void {
    ended = true;
    clearTimeout(pauseTimer);
    for (const reader of readers) {
      reader.ended = true;
      reader.wake?.();
    }
    readers.clear();
  }

  return {
    subscribe() {
      const reader: Reader = { begun: false, waiting: null, ended, wake: null };
      if (!ended) {
        readers.add(reader);
        clearTimeout(pauseTimer);
        pauseTimer = undefined;
        want();
      }
      return {
        async next() {
          if (!reader.waiting && !reader.ended) {
            await new Promise<void>((resolve) => {
              reader.wake = resolve;
            });
            reader.wake = null;
          }
          const event = reader.waiting;
          reader.waiting = null;
          return event;
        },
        close() {
          reader.ended = true;
          reader.wake?.();
          if (readers.delete(reader) && readers.size === 0) {
            end();
            onLastReaderLeft();
          }
        },
      };
    },
    changed(taken, unnamed) {
      addChanges(changes, taken, unnamed);
      want();
    },
    poll: want,
    end,
    get readers() {
      return readers.size;
    },
  };
}

function typeOf(before: Progress | null, after: Progress): PackageEvent['type'] {
  if (!before || before.state === after.state) return 'progress';
  if (after.state === 'finalized') return 'finalized';
  return after.state === 'new' ? 'progress' : 'expired';
}

const sameProgress = (a: Progress, b: Progress): boolean =>
  a.state === b.state &&
  a.files.total === b.files.total &&
  a.files.finalized === b.files.finalized &&
  a.bytes.total === b.bytes.total &&
  a.bytes.finalized === b.bytes.finalized &&
  JSON.stringify(a.transfers) === JSON.stringify(b.transfers);
