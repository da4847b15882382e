import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';

/** Updates the times of the last request of API keys, sessions and their users without a write per request. */
export interface CredentialUsage {
  keyUsed(keyId: string, at: Date): void;
  sessionUsed(sessionId: string, at: Date): void;
  /** Writes the new values, whatever their number by a few statements. */
  flush(): Promise<void>;
}

export function createCredentialUsage(db: Kysely<Database>, log: Log): CredentialUsage {
  const keys = lastUses(log, 'the last use of API keys could not be written; trying again later', async (ids, times) => {
    await sql`
      update api_keys set last_request_at = greatest(last_request_at, used.at)
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
      where api_keys.id = used.id`.execute(db);
  });
  const sessions = lastUses(log, 'the last use of sessions could not be written; trying again later', async (ids, times) => {
    // To the minute: a session in use is written once in it.
    await sql`
      update sessions set last_seen_at = used.at
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
      where sessions.id = used.id and sessions.last_seen_at < used.at - interval '1 minute'`.execute(db);
    // Skips rows that another process writes: it writes the same, and waiting for each other could never end.
    await sql`
      with used as (
        select sessions.user_id, max(used.at) as at
        from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) join sessions using (id) group by sessions.user_id
      ), due as (
        select users.id, used.at from users join used on used.user_id = users.id
        where users.seen_at is null or users.seen_at < used.at - interval '1 minute'
        for no key update of users skip locked
      )
      update users set seen_at = due.at from due where users.id = due.id`.execute(db);
  });
  return {
    keyUsed: keys.used,
    sessionUsed: sessions.used,
    async flush() {
      await keys.flush();
      await sessions.flush();
    },
  };
}

function lastUses(log: Log, trouble: string, write: (ids: readonly string[], times: readonly string[]) => Promise<void>) {
  let seen = new Map<string, Date>();
  return {
    used(id: string, at: Date): void {
      seen.set(id, at);
    },
    async flush(): Promise<void> {
      if (seen.size === 0) return;
      const batch = seen;
      seen = new Map();
      try {
        await write(
          [...batch.keys()],
          [...batch.values()].map((at) => at.toISOString()),
        );
      } catch (error) {
        // The write failed: keep the values for the next flush; newer ones win.
        seen = new Map([...batch, ...seen]);
        log.warn({ err: error }, trouble);
      }
    },
  };
}
