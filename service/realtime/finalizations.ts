import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Message } from './message.ts';
import { Sleeper } from './sleeper.ts';

/** The channel of messages between processes. */
export const channelName = 'longshore_realtime';

/** A package of the Team was finalized: told to all processes exactly if the transaction `trx` is committed. */
export async function notifyFinalized(trx: Kysely<Database>, teamId: string): Promise<void> {
  // From no process, so that this one hears it too.
  const message: Message = { type: 'finalized', from: '', team: teamId };
  await sql`select pg_notify(${channelName}, ${JSON.stringify(message)})`.execute(trx);
}

/** Somebody who waits for a package of a Team to be finalized. */
export interface FinalizationWait {
  /** Resolves when one may have been, when `signal` is aborted, or after `milliseconds`: false if only the time is up. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  end(): void;
}

/** Who waits in this process. */
export interface Finalizations {
  begin(teamId: string): FinalizationWait;
  finalized(teamId: string): void;
  /** Messages may have been lost, so everybody looks. */
  wakeAll(): void;
}

export function createFinalizations(): Finalizations {
  const waiting = new Map<string, Set<Sleeper>>();
  return {
    begin(teamId) {
      const sleeper = new Sleeper();
      const sleepers = waiting.get(teamId) ?? new Set();
      waiting.set(teamId, sleepers.add(sleeper));
      return {
        wait: (milliseconds, signal) => sleeper.sleep(milliseconds, [signal]),
        end() {
          sleepers.delete(sleeper);
          if (sleepers.size === 0 && waiting.get(teamId) === sleepers) waiting.delete(teamId);
        },
      };
    },
    finalized(teamId) {
      for (const sleeper of waiting.get(teamId) ?? []) sleeper.wake();
    },
    wakeAll() {
      for (const sleepers of waiting.values()) for (const sleeper of sleepers) sleeper.wake();
    },
  };
}
