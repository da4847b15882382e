import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, openDatabase } from '#service/database/database.ts';
import { createSharedGuesses } from '#service/http/shared-guesses.ts';
import { createLogger } from '#service/log.ts';
import { emptyTestDatabase } from '#test/support/postgres.ts';

const wrong = async () => false;
const right = async () => true;
const refused = { error: 'rate_limited' };

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
  await db.deleteFrom('guesses').execute();
});

/** Two processes' guesses, at a time of the test's own. */
function setUp(max = 3) {
  const clock = { at: new Date('2026-01-01T00:00:00Z') };
  const create = () => createSharedGuesses(db, { max, windowSeconds: 60 }, () => clock.at);
  return { clock, one: create(), two: create(), create };
}
const mia = [{ name: 'mia' }];
const counts = () => db.selectFrom('guesses').select('wrong').orderBy('wrong').execute();

describe('guesses at two processes', () => {
  it('count together, and in one that starts anew; the window is the same', async () => {
    const { clock, one, two, create } = setUp();
    expect(await one.judge(mia, wrong)).toBe(false);
    clock.at = new Date('2026-01-01T00:00:20Z');
    expect(await two.judge(mia, wrong)).toBe(false);
    expect(await two.judge(mia, wrong)).toBe(false);
    await expect(one.judge(mia, right)).rejects.toMatchObject({ ...refused, details: { seconds: 40 } });
    await expect(create().judge(mia, right)).rejects.toMatchObject(refused);
    expect(await one.judge([{ name: 'ben' }], right)).toBe(true);
    clock.at = new Date('2026-01-01T00:01:00Z');
    expect(await create().judge(mia, right)).toBe(true);
  });

  it('compare no more at once than one after another would', async () => {
    const { one, two } = setUp(10);
    let compared = 0;
    const attempts = Array.from({ length: 100 }, (_, n) =>
      [one, two][n % 2]!.judge(mia, async () => {
        compared += 1;
        return false;
      }),
    );
    const results = await Promise.allSettled(attempts);
    expect(compared).toBe(10);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(90);
  });

  it('cost nothing where they are right, are not made for lack of room, or cannot be made', async () => {
    const { one, two } = setUp(1);
    for (const guesses of [one, two, one, two]) expect(await guesses.judge(mia, right)).toBe(true);
    await expect(one.judge(mia, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
    expect(await counts()).toEqual([{ wrong: 0 }]);
    const both = [{ name: 'mia from a' }, { name: 'mia', allowance: 2 }];
    await one.judge(both, wrong);
    // Refused for the address alone: it does not count against the account.
    for (let n = 0; n < 5; n++) await expect(two.judge(both, wrong)).rejects.toMatchObject(refused);
    expect(await two.judge([{ name: 'mia', allowance: 2 }], wrong)).toBe(false);
    await expect(one.judge([{ name: 'mia', allowance: 2 }], right)).rejects.toMatchObject(refused);
  });

  it('that end in another window than they began in take nothing from it', async () => {
    const { clock, one, two } = setUp();
    const gate = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const slow = one.judge(mia, () => {
      begun.resolve();
      return gate.promise;
    });
    await begun.promise;
    clock.at = new Date('2026-01-01T00:02:00Z');
    await two.judge(mia, wrong);
    gate.resolve(true);
    expect(await slow).toBe(true);
    expect(await counts()).toEqual([{ wrong: 1 }]);
  });

  it('never wait for each other for ever, whatever the order of their subjects', async () => {
    const { one, two } = setUp(1_000);
    const pair = [{ name: 'a' }, { name: 'b' }];
    const judge = (n: number) => [one, two][n % 2]!.judge(n % 3 === 0 ? pair : pair.toReversed(), n % 5 === 0 ? wrong : right);
    await Promise.all(Array.from({ length: 200 }, (_, n) => judge(n)));
    expect(await counts()).toEqual([{ wrong: 40 }, { wrong: 40 }]);
  });

  it('are forgotten after their window', async () => {
    const { clock, one } = setUp();
    await one.judge(mia, wrong);
    await one.sweep();
    expect(await counts()).toHaveLength(1);
    clock.at = new Date('2026-01-01T00:01:01Z');
    await one.sweep();
    expect(await counts()).toEqual([]);
  });
});
