import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';

/** Updates `last_request_at` of API keys without a write per request. */
interface ApiKeyUsage {
  keyUsed(keyId: string, at: Date): void;
  /** Writes the new values, in one statement. */
  flush(): Promise<void>;
}

export function createApiKeyUsage(db: Kysely<Database>, log: Log): ApiKeyUsage {
  let seen = new Map<string, Date>();
  return {
    keyUsed(keyId, at) {
      seen.set(keyId, at);
    },
    async flush() {
      if (seen.size === 0) return;
      const batch = seen;
      seen = new Map();
      try {
        await sql`
          update api_keys set last_request_at = greatest(last_request_at, used.at)
          from unnest(${[...batch.keys()]}::uuid[], ${[...batch.values()].map((at) => at.toISOString())}::timestamptz[]) as used (id, at)
          where api_keys.id = used.id`.execute(db);
      } catch (error) {
        // The write failed: keep the values for the next flush; newer ones win.
        seen = new Map([...batch, ...seen]);
        log.warn({ err: error }, 'the last use of API keys could not be written; trying again later');
      }
    },
  };
}
