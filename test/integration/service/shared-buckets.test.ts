import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, openDatabase } from '#service/database/database.ts';
import { createSharedAttemptLimiter } from '#service/http/attempt-limiter.ts';
import { createKnownSources } from '#service/http/known-sources.ts';
import { createSharedBuckets } from '#service/http/shared-buckets.ts';
import { createLogger } from '#service/log.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';

const wrong = async () => false;
const right = async () => true;
const refused = { error: 'rate_limited' };
const key = Buffer.alloc(32, 7);

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let db: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  db = openDatabase({ connectionString: postgres.url }, createLogger('silent'), 2);
  await migrate(db, createLogger('silent'));
});
afterAll(async () => {
  await db?.destroy();
  await postgres?.close();
});
beforeEach(async () => {
  await db.deleteFrom('buckets').execute();
  await db.deleteFrom('known_sources').execute();
});

/** Two processes' guesses, at a time of the test's own: of three, one is forgotten each 20 s. */
function setUp(max = 3) {
  const clock = { at: new Date('2026-01-01T00:00:00Z') };
  const now = () => clock.at;
  const create = () => createSharedAttemptLimiter(createSharedBuckets(db, key, now), { max, windowSeconds: 60 }, now);
  return { clock, one: create(), two: create(), create, buckets: createSharedBuckets(db, key, now) };
}
const mia = [{ name: 'mia' }];
/** Milliseconds from the start until each bucket is empty. */
const levels = async () =>
  (await db.selectFrom('buckets').select('until').orderBy('until').execute()).map(({ until }) => until.getTime() - Date.UTC(2026, 0, 1));

describe('wrong answers at two processes', () => {
  it('share one limit, also after a restart; each that drains allows one more', async () => {
    const { clock, one, two, create } = setUp();
    expect(await one.attempt(mia, wrong)).toBe(false);
    expect(await two.attempt(mia, wrong)).toBe(false);
    expect(await two.attempt(mia, wrong)).toBe(false);
    clock.at = new Date('2026-01-01T00:00:05Z');
    await expect(one.attempt(mia, right)).rejects.toMatchObject({ ...refused, details: { seconds: 15 } });
    await expect(create().attempt(mia, right)).rejects.toMatchObject(refused);
    expect(await one.attempt([{ name: 'ben' }], right)).toBe(true);
    clock.at = new Date('2026-01-01T00:00:20Z');
    expect(await create().attempt(mia, right)).toBe(true);
    expect(await create().attempt(mia, wrong)).toBe(false);
    await expect(create().attempt(mia, right)).rejects.toMatchObject({ ...refused, details: { seconds: 20 } });
  });

  it('are limited alike, concurrent or in sequence', async () => {
    const { one, two } = setUp(10);
    let compared = 0;
    const attempts = Array.from({ length: 100 }, (_, n) =>
      [one, two][n % 2]!.attempt(mia, async () => {
        compared += 1;
        return false;
      }),
    );
    const results = await Promise.allSettled(attempts);
    expect(compared).toBe(10);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(90);
  });

  it('are not counted when the answer is right, refused or fails', async () => {
    const { one, two } = setUp(1);
    for (const limiter of [one, two, one, two]) expect(await limiter.attempt(mia, right)).toBe(true);
    await expect(one.attempt(mia, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
    expect(await levels()).toEqual([0]);
    const both = [{ name: 'mia from a' }, { name: 'mia', burstFactor: 2 }];
    await one.attempt(both, wrong);
    // Refused for the address alone: it does not count against the account.
    for (let n = 0; n < 5; n++) await expect(two.attempt(both, wrong)).rejects.toMatchObject(refused);
    expect(await two.attempt([{ name: 'mia', burstFactor: 2 }], wrong)).toBe(false);
    await expect(one.attempt([{ name: 'mia', burstFactor: 2 }], right)).rejects.toMatchObject(refused);
  });

  it('that end after they have drained give nothing back', async () => {
    const { clock, one, two } = setUp();
    const gate = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const slow = one.attempt(mia, () => {
      begun.resolve();
      return gate.promise;
    });
    await begun.promise;
    clock.at = new Date('2026-01-01T00:02:00Z');
    await two.attempt(mia, wrong);
    gate.resolve(true);
    expect(await slow).toBe(true);
    expect(await levels()).toEqual([140_000]);
  });

  it('never deadlock, in any order of their subjects', async () => {
    const { one, two } = setUp(1_000);
    const pair = [{ name: 'a' }, { name: 'b' }];
    const attempt = (n: number) => [one, two][n % 2]!.attempt(n % 3 === 0 ? pair : pair.toReversed(), n % 5 === 0 ? wrong : right);
    await Promise.all(Array.from({ length: 200 }, (_, n) => attempt(n)));
    // 40 wrong ones at 60 ms each.
    expect(await levels()).toEqual([2_400, 2_400]);
  });

  it('are deleted once they have drained', async () => {
    const { clock, one, buckets } = setUp();
    await one.attempt(mia, wrong);
    await buckets.sweep();
    expect(await levels()).toHaveLength(1);
    clock.at = new Date('2026-01-01T00:00:21Z');
    await buckets.sweep();
    expect(await levels()).toEqual([]);
  });
});

describe('shared buckets', () => {
  const bucket = (name: string, max = 2) => ({ name, max, millisecondsEach: 1_000 });

  it('take one of each that has room, at two processes at once too', async () => {
    const { clock, buckets } = setUp();
    const other = setUp().buckets;
    const both = [bucket('a', 3), bucket('b', 1), bucket('never', 0)];
    const taken = await Promise.all([buckets.takeEach(both), other.takeEach(both), buckets.takeEach(both), other.takeEach(both)]);
    expect(taken.filter((names) => names.has('a'))).toHaveLength(3);
    expect(taken.filter((names) => names.has('b'))).toHaveLength(1);
    expect(taken.filter((names) => names.has('never'))).toHaveLength(0);
    clock.at = new Date('2026-01-01T00:00:01Z');
    expect(await buckets.takeEach(both)).toEqual(new Set(['a', 'b']));
    expect(await buckets.takeEach([])).toEqual(new Set());
  });

  it('of strangers share a bounded number of slots, by a hash that nobody else can compute', async () => {
    const { buckets } = setUp();
    const names = Array.from({ length: 3_000 }, (_, n) => ({ ...bucket(`made up ${n}`), slotKind: 'from' }));
    await buckets.takeEach(names);
    const rows = await db.selectFrom('buckets').select('subject').execute();
    const slots = rows.map(({ subject }) => Number(/^from (\d+)$/.exec(subject.toString())![1]));
    expect(Math.max(...slots)).toBeLessThan(2 ** 20);
    await db.deleteFrom('buckets').execute();
    await createSharedBuckets(db, Buffer.alloc(32, 8), () => new Date()).takeEach(names.slice(0, 1));
    const [elsewhere] = await db.selectFrom('buckets').select('subject').execute();
    expect(rows[0]!.subject.equals(elsewhere!.subject)).toBe(false);
  });
});

describe('known sources', () => {
  it('are shared by all processes, stored as hashes, limited to the latest of each subject, and kept for 180 days', async () => {
    const clock = { at: Date.UTC(2026, 0, 1) };
    const create = () => createKnownSources(db, key, () => new Date(clock.at));
    const one = create();
    for (const source of ['a', 'b', 'c', 'a']) {
      clock.at += 1_000;
      await one.add('mia', source, 2);
    }
    expect(await create().among('mia', ['a', 'b', 'c', 'd'])).toEqual(new Set(['a', 'c']));
    expect(await create().among('ben', ['a'])).toEqual(new Set());
    const rows = await db.selectFrom('known_sources').selectAll().execute();
    for (const { subject, source } of rows) expect([subject.length, source.length]).toEqual([32, 32]);
    clock.at += 180 * 24 * 3_600_000 - 500;
    await one.add('ben', 'a', 2);
    await one.sweep();
    expect(await create().among('mia', ['a', 'c'])).toEqual(new Set(['a']));
    expect(await create().among('ben', ['a'])).toEqual(new Set(['a']));
  });
});
