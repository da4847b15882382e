import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { type Bucket, secondsOverLimit } from './leaky-bucket.ts';

/** One counted request, which can be given back. */
interface Taken {
  readonly subject: string;
  readonly millisecondsEach: number;
  /** When the bucket would have been empty without later requests. Milliseconds since 1970. */
  readonly until: number;
}

/** Buckets shared by all processes of one database, so that more processes, or a restart, do not raise the limits. */
export interface SharedBuckets {
  /** Counts one in each bucket, or in none if one of them is full: `rate_limited` (429). */
  takeAll(buckets: readonly Bucket[]): Promise<Taken[]>;
  /** Counts one in each bucket that has room, and returns the names of those. */
  takeEach(buckets: readonly Bucket[]): Promise<ReadonlySet<string>>;
  giveBack(taken: readonly Taken[]): Promise<void>;
  /** Deletes empty buckets. */
  sweep(): Promise<void>;
}

/** Slots for each kind of bucket that strangers can fill: at 80 bytes each, a kind takes at most about 80 MB. */
const slotsPerKind = 2 ** 20;

/** `db` must have its own connections: a request that holds one in its transaction waits here for another. */
export function createSharedBuckets(db: Kysely<Database>, key: Uint8Array, now: () => Date): SharedBuckets {
  const subjectOf = ({ name, slotKind }: Bucket): string => {
    const digest = createHmac('sha256', key).update(name).digest();
    if (slotKind === undefined) return `\\x${digest.toString('hex')}`;
    return `\\x${Buffer.from(`${slotKind} ${digest.readUInt32BE() % slotsPerKind}`).toString('hex')}`;
  };
  /** Each bucket once, in a fixed order, so that two statements never deadlock. */
  const rowsOf = (buckets: readonly Bucket[], at: number) => {
    const bySubject = new Map(buckets.map((bucket) => [subjectOf(bucket), bucket]));
    const subjects = [...bySubject.keys()];
    const each = [...bySubject.values()];
    return {
      bySubject,
      values: sql`
        select subject, until, room
        from unnest(
          ${subjects}::text[]::bytea[],
          ${each.map(({ millisecondsEach }) => new Date(at + millisecondsEach))}::timestamptz[],
          ${each.map(({ max, millisecondsEach }) => new Date(at + max * millisecondsEach))}::timestamptz[]
        ) as asked (subject, until, room)`,
    };
  };
  interface Row {
    readonly subject: Buffer;
    readonly until: Date;
  }
  const nameOf = (subject: Buffer): string => `\\x${subject.toString('hex')}`;

  return {
    async takeAll(buckets) {
      const at = now().getTime();
      const { bySubject, values } = rowsOf(buckets, at);
      return await db.transaction().execute(async (trx) => {
        const { rows } = await sql<Row>`
          insert into buckets as b (subject, until) select subject, until from (${values}) as asked order by subject
          on conflict (subject) do update
          set until = greatest(b.until, ${new Date(at)}::timestamptz) + (excluded.until - ${new Date(at)}::timestamptz)
          returning subject, until`.execute(trx);
        const seconds = rows.map(({ subject, until }) => secondsOverLimit(until.getTime(), at, bySubject.get(nameOf(subject))!));
        // The error rolls back what was just counted.
        if (seconds.some((wait) => wait > 0)) throw new ApiError('rate_limited', { seconds: Math.max(...seconds) });
        return rows.map(({ subject, until }) => ({
          subject: nameOf(subject),
          millisecondsEach: bySubject.get(nameOf(subject))!.millisecondsEach,
          until: until.getTime(),
        }));
      });
    },
    async takeEach(buckets) {
      const at = now().getTime();
      const open = buckets.filter(({ max }) => max >= 1);
      if (open.length === 0) return new Set();
      const { bySubject, values } = rowsOf(open, at);
      const { rows } = await sql<Row>`
        with asked as materialized (${values})
        insert into buckets as b (subject, until) select subject, asked.until from asked order by subject
        on conflict (subject) do update
        set until = greatest(b.until, ${new Date(at)}::timestamptz) + (excluded.until - ${new Date(at)}::timestamptz)
        where greatest(b.until, ${new Date(at)}::timestamptz) + (excluded.until - ${new Date(at)}::timestamptz)
          <= (select room from asked where asked.subject = b.subject)
        returning subject, until`.execute(db);
      return new Set(rows.map(({ subject }) => bySubject.get(nameOf(subject))!.name));
    },
    async giveBack(taken) {
      const at = now().getTime();
      // A bucket that has drained since has nothing left to give back.
      const left = taken.filter(({ until }) => until > at);
      if (left.length === 0) return;
      await sql`
        with held as (
          select b.subject, given.milliseconds from buckets b
          join unnest(${left.map(({ subject }) => subject)}::text[]::bytea[], ${left.map(({ millisecondsEach }) => millisecondsEach)}::float8[])
            as given (subject, milliseconds) using (subject)
          order by b.subject for update of b
        )
        update buckets set until = until - held.milliseconds * interval '1 millisecond' from held where buckets.subject = held.subject`.execute(
        db,
      );
    },
    async sweep() {
      await sql`
        delete from buckets where subject in (
          select subject from buckets where until < ${now()}::timestamptz for update skip locked
        )`.execute(db);
    },
  };
}
