import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { type Lease, leaseSeconds, renewLease, type TransferProgress } from './lease.ts';

/** Also how often progress is written, and how soon a cancelled transfer is noticed. */
const renewMilliseconds = 2_000;
/** Before others may take it, so that two processes never work on one transfer. */
const giveUpMilliseconds = (leaseSeconds - 4) * 1_000;

/** Why a transfer is not worked on any more by this process. `lost`: its lease is another's. */
export type Ended = 'cancelled' | 'stopping' | 'lost';

export interface LeaseKeeper {
  readonly lease: Lease;
  /** Aborted when the work has to end. */
  readonly signal: AbortSignal;
  readonly progress: (done: TransferProgress) => void;
  /** What has arrived, and whether that is more than before this attempt. */
  arrived(): { readonly done: TransferProgress; readonly progressed: boolean };
  /** Somebody found in the row that it was cancelled. */
  cancelled(): void;
  /** Null: it goes on. */
  ended(): Ended | null;
  /** The signal for what follows a cancellation, which ends only by the other two. */
  forCleanup(): AbortSignal;
  close(): Promise<void>;
}

interface KeeperParts {
  readonly db: Kysely<Database>;
  readonly now: () => Date;
  readonly lease: Lease;
  /** What had arrived before. */
  readonly before: TransferProgress;
  readonly stopping: AbortSignal;
  /** More has arrived, and is written. */
  readonly onProgress: () => void;
}

/** Keeps a lease while a transfer is worked on, and ends the work when it was cancelled, or belongs to another process. */
export function keepLease({ db, now, lease, before, stopping, onProgress }: KeeperParts): LeaseKeeper {
  const work = new AbortController();
  const cleanup = new AbortController();
  let ended: Ended | null = null;
  let done = before;
  let renewing: Promise<void> | null = null;
  let renewedAt = performance.now();
  let written = before;

  function end(reason: Ended): void {
    // After a cancellation the process may still have to stop, or lose its lease.
    if (ended !== null && ended !== 'cancelled') return;
    if (ended === reason) return;
    ended = reason;
    work.abort(new Error(`the transfer was ended here: ${reason}`));
    if (reason !== 'cancelled') cleanup.abort(new Error(`the transfer was ended here: ${reason}`));
  }

  async function renew(): Promise<void> {
    const asked = performance.now();
    try {
      const arrived = done;
      const state = await renewLease(db, lease, arrived, now());
      renewedAt = asked;
      if (arrived.files > written.files || arrived.bytes > written.bytes) onProgress();
      written = arrived;
      if (state === null) end('lost');
      else if (state === 'cancelled') end('cancelled');
    } catch {
      // The database does not answer; it is asked again until the lease is about to lapse.
    }
  }

  const onStop = (): void => end('stopping');
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > giveUpMilliseconds) end('lost');
    renewing ??= renew().finally(() => {
      renewing = null;
    });
  }, renewMilliseconds);
  timer.unref();

  return {
    lease,
    signal: work.signal,
    progress: (next) => {
      done = { files: Math.max(done.files, next.files), bytes: Math.max(done.bytes, next.bytes) };
    },
    arrived: () => ({ done, progressed: done.files > before.files || done.bytes > before.bytes }),
    cancelled: () => end('cancelled'),
    ended: () => ended,
    forCleanup: () => cleanup.signal,
    async close() {
      clearInterval(timer);
      stopping.removeEventListener('abort', onStop);
      await renewing;
    },
  };
}
