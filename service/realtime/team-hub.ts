import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type TeamTopic, teamTopics } from '#protocol/hosted/team-events.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';
import { Sleeper } from './sleeper.ts';
import { createTeamRecall, type Told } from './team-recall.ts';
import { writersUnderWay } from './team-writers.ts';

/** What changed in a Team: ids of packages, or of who hears of it (migration 0081). `null`: anything may have. */
export type TeamChanges = ReadonlyMap<TeamTopic, ReadonlySet<string>> | null;

/** One reader of a Team's changes. */
export interface TeamSubscription {
  /** Resolves when something changed, when a signal is aborted, or after `milliseconds`: false if only the time is up. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** What changed since it was asked last. */
  take(): TeamChanges;
  /** From where another stream goes on that follows what is taken next; null where something might be missed. */
  position(): Promise<string | null>;
  /** Whether what is taken first holds all that changed since the position it was asked for by. */
  readonly continues: boolean;
  readonly ended: boolean;
  close(): void;
}

/** Whoever watches a Team live in this process. */
export interface TeamHub {
  /**
   * Once it resolves, no change is missed that was not to be seen before; nor since a `position`, where it is of this Team and of
   * the last minute.
   */
  subscribe(teamId: string, position?: string): Promise<TeamSubscription>;
  /** A position after which what changes is told to all processes; null where that is not certain at once. */
  watch(teamId: string): Promise<string | null>;
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
/** How long is waited for transactions that began before: by a stream, and by a page that loads. */
const patience = { ofStream: { steps: 40, milliseconds: 50 }, ofPage: { steps: 10, milliseconds: 5 } };
type Patience = (typeof patience)[keyof typeof patience];
/** For so long a page may load before its stream stands, or be without one. */
const recalled = { milliseconds: 60_000, most: 20_000 };
/** Up to when all was heard is asked so often at most; positions lie a while before, as the database tells its listeners one by one. */
const confirmation = { milliseconds: 1_000, margin: 1_000 };

interface Reader {
  readonly sleeper: Sleeper;
  changes: Map<TeamTopic, Set<string>> | null;
  ids: number;
  /** Whether all changes are told of since it began: nobody was left who had looked for watchers before. */
  certain: boolean;
  ended: boolean;
}

/** A moment by the database's clock up to which all was heard, and one here that is not later. */
interface Confirmed {
  readonly at: number;
  readonly here: number;
}

interface HubParts {
  readonly db: Kysely<Database>;
  readonly log: Log;
  /** `Channel.time` of the connection that changes are told by. */
  readonly time: () => Promise<number | null>;
}

const isTopic = (what: string): what is TeamTopic => (teamTopics as readonly string[]).includes(what);

/** A Team, and milliseconds by the database's clock. */
const positionOf = (teamId: string, at: number | string): string => `${teamId}.${at}`;
function momentOf(teamId: string, position: string): number | null {
  const [, of, at] = /^([^.]+)\.(\d{1,15})$/.exec(position) ?? [];
  return of === teamId ? Number(at) : null;
}

export function createTeamHub({ db, log, time }: HubParts): TeamHub {
  const readers = new Map<string, Set<Reader>>();
  /** Until when each Team with readers is watched, by the database's clock. */
  const watchedUntil = new Map<string, number>();
  const recall = createTeamRecall(recalled);
  let confirmed: Confirmed | null = null;
  let confirming: Promise<Confirmed | null> | null = null;
  let closed = false;

  async function renew(teamIds: readonly string[]): Promise<void> {
    const { rows } = await sql<{ team_id: string; until: string }>`
      insert into team_watches (team_id, until)
      select id, clock_timestamp() + make_interval(secs => ${ttlSeconds}) from unnest(${plainArray([...teamIds].toSorted())}::uuid[]) as id
      on conflict (team_id) do update set until = greatest(team_watches.until, excluded.until)
      returning team_id, floor(extract(epoch from until) * 1000)::bigint::text as until`.execute(db);
    for (const { team_id: teamId, until } of rows) {
      const all = readers.get(teamId);
      if (!all) continue;
      const before = watchedUntil.get(teamId);
      watchedUntil.set(teamId, Number(until));
      // Nobody watched in between: what changed then was told to nobody, and what began then will not be.
      if (before !== undefined && before < Number(until) - ttlSeconds * 1_000) {
        for (const reader of all) {
          reader.certain = false;
          tellAll(reader);
        }
      }
    }
  }

  /** Asks up to when all was heard; for all who ask at once, once. */
  function confirm(): Promise<Confirmed | null> {
    confirming ??= (async () => {
      const here = performance.now();
      const at = await time();
      confirmed = at === null ? null : { at, here };
      confirming = null;
      return confirmed;
    })();
    return confirming;
  }

  async function positionNow(teamId: string): Promise<string | null> {
    const isFresh = confirmed && performance.now() - confirmed.here < confirmation.milliseconds;
    const heard = isFresh ? confirmed : await confirm();
    const until = watchedUntil.get(teamId);
    if (!heard || until === undefined) return null;
    // A watch that nobody renews any more outlasts what is recalled from there.
    return positionOf(teamId, Math.min(heard.at - confirmation.margin, until - recalled.milliseconds));
  }

  async function renewAll(): Promise<void> {
    try {
      if (readers.size > 0) await renew([...readers.keys()]);
      await sql`delete from team_watches where until < clock_timestamp() - interval '1 hour'`.execute(db);
    } catch (error) {
      log.warn({ err: error, onceAMinute: 'team watches' }, 'who watches Teams could not be written down; it is tried again');
    }
  }

  /** A transaction that looked who watches before this one was there, and is not committed yet, tells nobody. False if one is left. */
  async function othersEnded({ steps, milliseconds }: Patience): Promise<boolean> {
    let left = await writersUnderWay(db);
    for (let step = 0; left.size > 0; step += 1) {
      if (step === steps) return false;
      await sleep(milliseconds);
      left = left.intersection(await writersUnderWay(db));
    }
    return true;
  }

  const databaseTime = async (): Promise<string> => {
    const { rows } = await sql<{ at: string }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text as at`.execute(db);
    return rows[0]!.at;
  };

  /** What was told since a position; null where some of it may be missing. */
  async function toldSince(teamId: string, position: string): Promise<readonly Told[] | null> {
    const then = momentOf(teamId, position);
    if (then === null) return null;
    let now = await confirm();
    // One that was on its way already may be of before the position.
    if (now && now.at < then) now = await confirm();
    // Milliseconds are cut.
    return !now || now.at < then ? null : recall.since(teamId, now.here - (now.at - then) - 1);
  }

  const timer = setInterval(() => void renewAll(), renewMilliseconds);
  timer.unref();

  function tellAll(reader: Reader): void {
    reader.changes = null;
    reader.sleeper.wake();
  }

  function tell(reader: Reader, { what, ids }: Told): void {
    if (!reader.changes) return;
    const known = reader.changes.get(what) ?? new Set();
    reader.changes.set(what, known);
    const before = known.size;
    for (const id of ids) known.add(id);
    reader.ids += known.size - before;
    if (reader.ids > maxIds) reader.changes = null;
    reader.sleeper.wake();
  }

  return {
    async watch(teamId) {
      await renew([teamId]);
      return (await othersEnded(patience.ofPage)) ? positionOf(teamId, await databaseTime()) : null;
    },
    async subscribe(teamId, position) {
      const reader: Reader = { sleeper: new Sleeper(), changes: new Map(), ids: 0, certain: false, ended: closed };
      const others = readers.get(teamId);
      const all = others ?? new Set();
      readers.set(teamId, all.add(reader));
      const close = (): void => {
        reader.ended = true;
        reader.sleeper.wake();
        all.delete(reader);
        if (all.size > 0 || readers.get(teamId) !== all) return;
        readers.delete(teamId);
        watchedUntil.delete(teamId);
      };
      let before: readonly Told[] | null = null;
      try {
        await renew([teamId]);
        if (position !== undefined) before = await toldSince(teamId, position);
        // A position was given once nobody was left who had looked before.
        reader.certain = before !== null || (await othersEnded(patience.ofStream));
      } catch (error) {
        close();
        throw error;
      }
      for (const told of before ?? []) tell(reader, told);
      return {
        continues: before !== null,
        wait: (milliseconds, signal) => reader.sleeper.sleep(milliseconds, [signal]),
        take() {
          const { changes } = reader;
          reader.changes = new Map();
          reader.ids = 0;
          return changes;
        },
        async position() {
          const position = await positionNow(teamId);
          return reader.certain ? position : null;
        },
        get ended() {
          return reader.ended;
        },
        close,
      };
    },
    changed(teamId, what, ids) {
      if (!isTopic(what)) return;
      const told = { what, ids: ids ?? [] };
      recall.add(teamId, told);
      for (const reader of readers.get(teamId) ?? []) tell(reader, told);
    },
    reset() {
      recall.reset();
      confirmed = null;
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
