import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Role } from '#protocol/roles.ts';
import { hashApiKeySecret } from '../accounts/api-key-secret.ts';
import { atMost } from '../at-most.ts';
import type { Database } from '../database/schema/database.ts';

/** What a request's API key is, as the database knows it. */
export interface KeyFacts {
  readonly keyId: string;
  readonly teamId: string;
  readonly userId: string;
  readonly role: Role;
  readonly state: 'active' | 'inactive';
  readonly teamState: 'active' | 'inactive';
  readonly expiry: Date | null;
}

/**
 * The database's facts about credentials, remembered for a few seconds so that a busy key costs no read per
 * request. A change made by this process counts at once; one made by another within `memorySeconds`.
 */
export interface CredentialFacts {
  /** Null for a key that does not exist, or whose maker has left the Team. */
  key(secret: string): Promise<KeyFacts | null>;
  /**
   * The version that a user's tokens must carry; null for a user who does not exist. A token of a later version than
   * the one remembered shows that another process has raised it, so it is read again.
   */
  tokenVersion(userId: string, shown: number): Promise<number | null>;
  forgetKey(keyId: string): void;
  forgetUser(userId: string): void;
  /** Forgets all, e.g. after a Team changed its state. */
  forgetAll(): void;
}

export const memorySeconds = 5;

export function createCredentialFacts(db: Kysely<Database>): CredentialFacts {
  // Unknown keys are not remembered: they would push out those that are used.
  const keys = new LRUCache<string, KeyFacts>({ ...atMost(10_000), ttl: memorySeconds * 1000 });
  const versions = new LRUCache<string, number>({ ...atMost(10_000), ttl: memorySeconds * 1000 });
  // A read that began before a change must not be remembered after it.
  let changes = 0;
  const changed = () => {
    changes += 1;
  };
  return {
    async key(secret) {
      const hash = hashApiKeySecret(secret);
      const index = hash.toString('base64');
      const known = keys.get(index);
      if (known) return known;
      const before = changes;
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('teams', 'teams.id', 'api_keys.team_id')
        .innerJoin('memberships', (join) =>
          join.onRef('memberships.team_id', '=', 'api_keys.team_id').onRef('memberships.user_id', '=', 'api_keys.created_by'),
        )
        .select([
          'api_keys.id as keyId',
          'api_keys.team_id as teamId',
          'api_keys.created_by as userId',
          'memberships.role',
          'api_keys.state',
          'teams.state as teamState',
          'api_keys.expiry',
        ])
        .where('secret_hash', '=', hash)
        .executeTakeFirst();
      if (row && before === changes) keys.set(index, row);
      return row ?? null;
    },
    async tokenVersion(userId, shown) {
      const known = versions.get(userId);
      if (known !== undefined && known >= shown) return known;
      const before = changes;
      const row = await db.selectFrom('users').select('token_version').where('id', '=', userId).executeTakeFirst();
      if (row && before === changes) versions.set(userId, row.token_version);
      return row?.token_version ?? null;
    },
    forgetKey(keyId) {
      changed();
      for (const [index, facts] of keys.entries()) if (facts.keyId === keyId) keys.delete(index);
    },
    forgetUser(userId) {
      changed();
      versions.delete(userId);
      for (const [index, facts] of keys.entries()) if (facts.userId === userId) keys.delete(index);
    },
    forgetAll() {
      changed();
      keys.clear();
      versions.clear();
    },
  };
}
