import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type TeamTopic, teamTopics } from '#protocol/hosted/team-events.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';
import { Sleeper } from './sleeper.ts';

/** What changed in a Team: ids of packages, or of who hears of it (migration 0081). `null`: anything may have. */
export type TeamChanges = ReadonlyMap<TeamTopic, ReadonlySet<string>> | null;

/** One reader of a Team's changes. */
export interface TeamSubscription {
  /** Resolves when something changed, when a signal is aborted, or after `milliseconds`: false if only the time is up. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** What changed since it was asked last. */
  take(): TeamChanges;
  readonly ended: boolean;
  close(): void;
}

/** Whoever watches a Team live in this process. */
export interface TeamHub {
  /** Once it resolves, no change is missed that was not to be seen before. */
  subscribe(teamId: string): Promise<TeamSubscription>;
  changed(teamId: string, what: string, ids: readonly string[] | null): void;
  /** Messages may have been lost, or the table of watches. */
  reset(): void;
  close(): void;
}

/** Watches are renewed at this interval; a process that died has no changes told any more after `ttlSeconds`. */
const renewMilliseconds = 30_000;
const ttlSeconds = 90;
/** A reader that takes nothing has at most so many ids waiting; then anything may have changed. */
const maxIds = 2_000;
/** How long a subscription waits for transactions that began before it. */
const patience = { steps: 40, milliseconds: 50 };

interface Reader {
  readonly sleeper: Sleeper;
  changes: Map<TeamTopic, Set<string>> | null;
  ids: number;
  ended: boolean;
}

const isTopic = (what: string): what is TeamTopic => (teamTopics as readonly string[]).includes(what);

export function createTeamHub(db: Kysely<Database>, log: Log): TeamHub {
  const readers = new Map<string, Set<Reader>>();
  let closed = false;

  async function renew(teamIds: readonly string[]): Promise<void> {
    await sql`
      insert into team_watches (team_id, until)
      select id, clock_timestamp() + make_interval(secs => ${ttlSeconds}) from unnest(${plainArray([...teamIds].toSorted())}::uuid[]) as id
      on conflict (team_id) do update set until = greatest(team_watches.until, excluded.until)`.execute(db);
  }

  async function renewAll(): Promise<void> {
    try {
      if (readers.size > 0) await renew([...readers.keys()]);
      await sql`delete from team_watches where until < clock_timestamp() - interval '1 hour'`.execute(db);
    } catch (error) {
      log.warn({ err: error, onceAMinute: 'team watches' }, 'who watches Teams could not be written down; it is tried again');
    }
  }

  /** A transaction that looked who watches before this one was there, and is not committed yet, tells nobody. */
  async function othersEnded(): Promise<void> {
    const { rows } = await sql<{ next: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db);
    for (let step = 0; step < patience.steps; step += 1) {
      const oldest = await sql<{ over: boolean }>`
        select pg_snapshot_xmin(pg_current_snapshot()) >= ${rows[0]!.next}::xid8 as over`.execute(db);
      if (oldest.rows[0]!.over) return;
      await sleep(patience.milliseconds);
    }
  }

  const timer = setInterval(() => void renewAll(), renewMilliseconds);
  timer.unref();

  function tellAll(reader: Reader): void {
    reader.changes = null;
    reader.sleeper.wake();
  }

  return {
    async subscribe(teamId) {
      const reader: Reader = { sleeper: new Sleeper(), changes: new Map(), ids: 0, ended: closed };
      const others = readers.get(teamId);
      const all = others ?? new Set();
      readers.set(teamId, all.add(reader));
      const close = (): void => {
        reader.ended = true;
        reader.sleeper.wake();
        all.delete(reader);
        if (all.size === 0 && readers.get(teamId) === all) readers.delete(teamId);
      };
      try {
        await renew([teamId]);
        await othersEnded();
      } catch (error) {
        close();
        throw error;
      }
      return {
        wait: (milliseconds, signal) => reader.sleeper.sleep(milliseconds, [signal]),
        take() {
          const { changes } = reader;
          reader.changes = new Map();
          reader.ids = 0;
          return changes;
        },
        get ended() {
          return reader.ended;
        },
        close,
      };
    },
    changed(teamId, what, ids) {
      if (!isTopic(what)) return;
      for (const reader of readers.get(teamId) ?? []) {
        if (!reader.changes) continue;
        const known = reader.changes.get(what) ?? new Set();
        reader.changes.set(what, known);
        const before = known.size;
        for (const id of ids ?? []) known.add(id);
        reader.ids += known.size - before;
        if (reader.ids > maxIds) reader.changes = null;
        reader.sleeper.wake();
      }
    },
    reset() {
      void renewAll();
      for (const all of readers.values()) for (const reader of all) tellAll(reader);
    },
    close() {
      closed = true;
      clearInterval(timer);
      for (const all of readers.values()) {
        for (const reader of all) {
          reader.ended = true;
          reader.sleeper.wake();
        }
      }
    },
  };
}
