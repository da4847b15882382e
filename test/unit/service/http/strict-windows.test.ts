import { expect, it } from 'vitest';
import type { Bucket } from '#service/http/leaky-bucket.ts';
import { createStrictWindows } from '#service/http/strict-windows.ts';

const never = (error: unknown) => expect.unreachable(String(error));
const seen = async (count: (key: string) => Promise<void>, key: string, times: number) => {
  const answers: (number | 'ok')[] = [];
  for (let index = 0; index < times; index += 1) {
    answers.push(
      await count(key).then(
        () => 'ok' as const,
        ({ details }) => details.seconds,
      ),
    );
  }
  return answers;
};

it('one process counts in memory, a key by itself', async () => {
  let at = 0;
  const count = createStrictWindows({ shared: null, failed: never, now: () => at })('sign-ins', 2);
  expect(await seen(count, 'a', 3)).toEqual(['ok', 'ok', 60]);
  expect(await seen(count, 'b', 1)).toEqual(['ok']);
  at = 60_000;
  expect(await seen(count, 'a', 1)).toEqual(['ok']);
});

it('several processes count together, and what one has refused costs the database nothing', async () => {
  const asked: Bucket[] = [];
  const left = new Map<string, number>();
  const shared = {
    async takeEach([bucket]: readonly Bucket[]) {
      asked.push(bucket!);
      const room = left.get(bucket!.name) ?? bucket!.max;
      left.set(bucket!.name, room - 1);
      return new Set(room > 0 ? [bucket!.name] : []);
    },
  };
  const [one, two] = [1, 2].map(() => createStrictWindows({ shared, failed: never, now: () => 0 })('sign-ins', 3));
  expect(await seen(one!, 'a', 2)).toEqual(['ok', 'ok']);
  expect(await seen(two!, 'a', 3)).toEqual(['ok', 20, 20]);
  expect(asked).toHaveLength(5);
  expect(await seen(two!, 'a', 50)).toEqual(Array(50).fill(60));
  expect(asked).toHaveLength(5);
  expect(asked[0]).toEqual({ name: 'sign-ins a', max: 3, millisecondsEach: 20_000, slotKind: 'sign-ins' });
});

it('while the database does not answer each process counts by itself', async () => {
  const failures: unknown[] = [];
  const shared = { takeEach: () => Promise.reject(new Error('away')) };
  const count = createStrictWindows({ shared, failed: (error) => failures.push(error), now: () => 0 })('refusals', 2);
  expect(await seen(count, 'a', 3)).toEqual(['ok', 'ok', 60]);
  expect(failures).toHaveLength(2);
});
