import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { createGuesses, type Guesses, type GuessLimit, type GuessSubject } from './guesses.ts';

export interface SharedGuesses extends Guesses {
  /** Deletes the counts whose window is over. */
  sweep(): Promise<void>;
}

/** A guess under way, counted as wrong until it turns out to be right. */
interface Taken {
  readonly subject: Buffer;
  readonly wrong: number;
  readonly until: Date;
}

const digest = (name: string): string => `\\x${hash('sha256', name, 'hex')}`;

/**
 * Counts guesses for all processes of one database together, so that more processes allow no more of them, and a
 * restart none anew. What this process alone has had too many of costs the database nothing. `db` has connections of
 * its own: a request that holds one in its transaction waits here for another.
 */
export function createSharedGuesses(db: Kysely<Database>, limit: GuessLimit, now: () => Date): SharedGuesses {
  const ofThisProcess = createGuesses(limit, now);

  async function take(asked: readonly GuessSubject[]): Promise<Taken[]> {
    const allowed = new Map(asked.map(({ name, allowance = 1 }) => [digest(name), limit.max * allowance]));
    const at = now();
    const until = new Date(at.getTime() + limit.windowSeconds * 1000);
    return await db.transaction().execute(async (trx) => {
      // In one order, so that two never wait for each other.
      const { rows } = await sql<Taken>`
        insert into guesses as g (subject, wrong, until)
        select subject, 1, ${until}::timestamptz from unnest(${[...allowed.keys()]}::text[]::bytea[]) as asked (subject) order by subject
        on conflict (subject) do update
        set wrong = case when g.until <= ${at}::timestamptz then 1 else g.wrong + 1 end,
            until = case when g.until <= ${at}::timestamptz then excluded.until else g.until end
        returning subject, wrong, until`.execute(trx);
      const spent = rows.find(({ subject, wrong }) => wrong > allowed.get(`\\x${subject.toString('hex')}`)!);
      // Undoes what was just counted.
      if (spent) throw new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil((spent.until.getTime() - at.getTime()) / 1000)) });
      return rows;
    });
  }

  async function giveBack(taken: readonly Taken[]): Promise<void> {
    const subjects = taken.map(({ subject }) => `\\x${subject.toString('hex')}`);
    const untils = taken.map(({ until }) => until);
    await sql`
      with held as (
        select g.subject from guesses g
        join unnest(${subjects}::text[]::bytea[], ${untils}::timestamptz[]) as taken (subject, until) using (subject, until)
        order by g.subject for update of g
      )
      update guesses set wrong = wrong - 1 from held where guesses.subject = held.subject and wrong > 0`.execute(db);
  }

  return {
    judge: (subjects, compare) =>
      ofThisProcess.judge(subjects, async () => {
        const taken = await take(subjects);
        let wrong = false;
        try {
          const right = await compare();
          wrong = !right;
          return right;
        } finally {
          if (!wrong) await giveBack(taken);
        }
      }),
    async sweep() {
      await sql`
        delete from guesses where subject in (
          select subject from guesses where until < ${now()}::timestamptz for update skip locked
        )`.execute(db);
    },
  };
}
