import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import type { Database } from '../database/schema/database.ts';

/**
 * The sources of earlier right answers, for all processes: wrong guesses by others do not lock these sources out.
 * Subjects and sources are stored only as keyed hashes.
 */
export interface KnownSources {
  /** Which of these sources have given a right answer. */
  among(subject: string, sources: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores a source; beyond `keep` sources of a subject, the oldest are deleted. */
  add(subject: string, source: string, keep: number): Promise<void>;
  /** Deletes old entries. */
  sweep(): Promise<void>;
}

const retentionMilliseconds = 180 * 24 * 3_600_000;
const maxCached = 10_000;

/** `db` must not be a request's transaction: a right answer stays recorded even if the request is rolled back. */
export function createKnownSources(db: Kysely<Database>, key: Uint8Array, now: () => Date): KnownSources {
  const known = new LRUCache<string, true>(maxEntries(maxCached));
  const digest = (...parts: readonly string[]): Buffer => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  const idOf = (subject: string, source: string): string => digest(subject, source).toString('base64');
  return {
    async among(subject, sources) {
      const found = new Set(sources.filter((source) => known.get(idOf(subject, source))));
      const asked = new Map(sources.filter((source) => !found.has(source)).map((source) => [digest(source).toString('hex'), source]));
      if (asked.size === 0) return found;
      const { rows } = await sql<{ source: Buffer }>`
        select source from known_sources
        where subject = ${digest(subject)}::bytea and source = any(${[...asked.keys()].map((hex) => `\\x${hex}`)}::text[]::bytea[])`.execute(
        db,
      );
      for (const row of rows) {
        const source = asked.get(row.source.toString('hex'))!;
        known.set(idOf(subject, source), true);
        found.add(source);
      }
      return found;
    },
    async add(subject, source, keep) {
      await sql`
        insert into known_sources (subject, source, known_at) values (${digest(subject)}::bytea, ${digest(source)}::bytea, ${now()}::timestamptz)
        on conflict (subject, source) do update set known_at = excluded.known_at`.execute(db);
      await sql`
        delete from known_sources where subject = ${digest(subject)}::bytea and source in (
          select source from known_sources where subject = ${digest(subject)}::bytea order by known_at desc, source offset ${keep}
        )`.execute(db);
      known.set(idOf(subject, source), true);
    },
    async sweep() {
      await db
        .deleteFrom('known_sources')
        .where('known_at', '<', new Date(now().getTime() - retentionMilliseconds))
        .execute();
    },
  };
}
