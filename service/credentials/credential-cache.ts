import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import type { Role } from '#protocol/roles.ts';
import { hashApiKeySecret } from '../accounts/api-key-secret.ts';
import type { Database } from '../database/schema/database.ts';
import { type PackagePermissions, readPackagePermissions } from '../packages/package-permissions.ts';
import type { TaskClaim } from './tokens.ts';

/** The facts about a request's API key in the database. */
export interface ApiKeyFacts {
  readonly keyId: string;
  readonly teamId: string;
  readonly userId: string;
  readonly role: Role;
  readonly state: 'active' | 'inactive';
  readonly teamState: 'active' | 'inactive';
  readonly expiry: Date | null;
}

interface GatewayFacts {
  readonly teamId: string;
  readonly teamState: 'active' | 'inactive';
}

/** A session that is not over, but for its own times. */
export interface SessionFacts {
  readonly userId: string;
  readonly kind: 'browser' | 'program';
  /** Null for a program's. */
  readonly secretHash: Buffer | null;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  /** The Team in which alone it counts; null for all. */
  readonly ssoTeamId: string | null;
}

/** A task of a storage gateway that is not over. */
export interface Task extends TaskClaim {
  /** Whether it is about some of the package's files only: those that are in cloud_transfer_files. */
  readonly isFiltered: boolean;
}

/**
 * A cache of the database's facts about credentials, valid for a few seconds, so that a busy key needs no read per
 * request. A change by this process takes effect at once; a change by another one within `cacheSeconds`.
 */
export interface CredentialCache {
  /** A storage gateway's Team; null if there is no such gateway. */
  gateway(gatewayId: string): Promise<GatewayFacts | null>;
  /** A storage gateway's task; null once it is over, or another's. */
  task(claim: TaskClaim): Promise<Task | null>;
  invalidateGateway(gatewayId: string): void;
  /** Null for a key that does not exist, or whose creator has left the Team. */
  key(secret: string): Promise<ApiKeyFacts | null>;
  /** The same by its id, and not from the cache: for a stream that a key has opened. */
  keyNow(keyId: string): Promise<ApiKeyFacts | null>;
  /**
   * The version that a user's tokens must contain; null for a user who does not exist. A token with a later version
   * than the cached one shows that another process has increased it, so it is read again.
   */
  tokenVersion(userId: string, presentedVersion: number): Promise<number | null>;
  /** Null for a session that has ended, by itself or with the user's password. */
  session(sessionId: string): Promise<SessionFacts | null>;
  /**
   * What the holder of a package token may do with it now; null if the package does not exist. `userId` is null for
   * the token of a sender through a Portal.
   */
  packagePermissions(packageId: string, userId: string | null): Promise<PackagePermissions | null>;
  invalidateKey(keyId: string): void;
  invalidateUser(userId: string): void;
  invalidateSession(sessionId: string): void;
  /** Invalidates the cached access to packages, e.g. after a user was removed from a Teamspace. */
  invalidatePackagePermissions(): void;
  /** Invalidates everything, e.g. after a change of a Team's state. */
  invalidateAll(): void;
}

export const cacheSeconds = 5;

export function createCredentialCache(db: Kysely<Database>): CredentialCache {
  // Unknown keys are not cached: they would evict the ones in use.
  const keys = new LRUCache<string, ApiKeyFacts>({ ...maxEntries(10_000), ttl: cacheSeconds * 1000 });
  const versions = new LRUCache<string, number>({ ...maxEntries(10_000), ttl: cacheSeconds * 1000 });
  const sessions = new LRUCache<string, SessionFacts>({ ...maxEntries(10_000), ttl: cacheSeconds * 1000 });
  const permissionCache = new LRUCache<string, PackagePermissions>({ ...maxEntries(20_000), ttl: cacheSeconds * 1000 });
  const gateways = new LRUCache<string, GatewayFacts>({ ...maxEntries(10_000), ttl: cacheSeconds * 1000 });
  const tasks = new LRUCache<string, Task>({ ...maxEntries(10_000), ttl: cacheSeconds * 1000 });
  const permissionsKey = (packageId: string, userId: string | null): string => `${userId ?? ''} ${packageId}`;
  // A read that began before a change must not be cached after it.
  let changes = 0;
  const countChange = () => {
    changes += 1;
  };
  return {
    async key(secret) {
      const hash = hashApiKeySecret(secret);
      const index = hash.toString('base64');
      const known = keys.get(index);
      if (known) return known;
      const before = changes;
      const row = await selectKeys(db).where('secret_hash', '=', hash).executeTakeFirst();
      if (row && before === changes) keys.set(index, row);
      return row ?? null;
    },
    keyNow: async (keyId) => (await selectKeys(db).where('api_keys.id', '=', keyId).executeTakeFirst()) ?? null,
    async tokenVersion(userId, presentedVersion) {
      const known = versions.get(userId);
      if (known !== undefined && known >= presentedVersion) return known;
      const before = changes;
      const row = await db.selectFrom('users').select('token_version').where('id', '=', userId).executeTakeFirst();
      if (row && before === changes) versions.set(userId, row.token_version);
      return row?.token_version ?? null;
    },
    async session(sessionId) {
      const known = sessions.get(sessionId);
      if (known) return known;
      const before = changes;
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select(['user_id as userId', 'kind', 'secret_hash as secretHash', 'last_seen_at as lastSeenAt', 'expires_at as expiresAt'])
        .select('sso_team_id as ssoTeamId')
        .whereRef('sessions.token_version', '=', 'users.token_version')
        .where('sessions.id', '=', sessionId)
        .executeTakeFirst();
      if (row && before === changes) sessions.set(sessionId, row);
      return row ?? null;
    },
    async packagePermissions(packageId, userId) {
      const index = permissionsKey(packageId, userId);
      const known = permissionCache.get(index);
      if (known) return known;
      const before = changes;
      const permissions = await readPackagePermissions(db, packageId, userId);
      // Refusals are not cached: they are rare, and a user who regains access should not have to wait.
      const allows = permissions?.teamState === 'active' && (userId === null || permissions.mayManage);
      if (allows && before === changes) permissionCache.set(index, permissions);
      return permissions;
    },
    async gateway(gatewayId) {
      const known = gateways.get(gatewayId);
      if (known) return known;
      const before = changes;
      const row = await db
        .selectFrom('storage_gateways')
        .innerJoin('teams', 'teams.id', 'storage_gateways.team_id')
        .select(['team_id as teamId', 'teams.state as teamState'])
        .where('storage_gateways.id', '=', gatewayId)
        .executeTakeFirst();
      if (row && before === changes) gateways.set(gatewayId, row);
      return row ?? null;
    },
    async task(claim) {
      const known = tasks.get(claim.taskId);
      if (known) return known;
      const row = await db
        .selectFrom('cloud_transfers')
        .select((select) => select('filter_rules', 'is not', null).as('isFiltered'))
        .where('id', '=', claim.transferId)
        .where('lease_id', '=', claim.taskId)
        .where('state', 'in', ['pending', 'started'])
        .executeTakeFirst();
      if (!row) return null;
      const task = { ...claim, isFiltered: Boolean(row.isFiltered) };
      tasks.set(claim.taskId, task);
      return task;
    },
    invalidateGateway(gatewayId) {
      countChange();
      gateways.delete(gatewayId);
    },
    invalidateKey(keyId) {
      countChange();
      for (const [index, facts] of keys.entries()) if (facts.keyId === keyId) keys.delete(index);
    },
    invalidateUser(userId) {
      countChange();
      versions.delete(userId);
      for (const [index, facts] of sessions.entries()) if (facts.userId === userId) sessions.delete(index);
      for (const [index, facts] of keys.entries()) if (facts.userId === userId) keys.delete(index);
      for (const index of permissionCache.keys()) if (index.startsWith(`${userId} `)) permissionCache.delete(index);
    },
    invalidateSession(sessionId) {
      countChange();
      sessions.delete(sessionId);
    },
    invalidatePackagePermissions() {
      countChange();
      permissionCache.clear();
    },
    invalidateAll() {
      countChange();
      permissionCache.clear();
      gateways.clear();
      tasks.clear();
      keys.clear();
      versions.clear();
      sessions.clear();
    },
  };
}

const selectKeys = (db: Kysely<Database>) =>
  db
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
    ]);
