import { expect, test } from 'vitest';
import { createPoll } from '#service/realtime/poll.ts';
import type { Progress } from '#service/realtime/progress.ts';

/** How thousands of watched packages are looked at, without a database. */

const progressOf = (total: number): Progress => ({
  ...{ state: 'new', expiry: null },
  ...{ files: { total, finalized: 0 }, bytes: { total, finalized: 0 } },
});

function scene(count: number) {
  const heard = new Map<string, Progress | null | Error>();
  const reads: { readonly ids: readonly string[]; readonly answer: PromiseWithResolvers<ReadonlyMap<string, Progress>> }[] = [];
  const watches = new Map(
    Array.from({ length: count }, (_, n) => {
      const id = `p${n}`;
      const poll = (read?: () => Promise<Progress | null>) =>
        void read!().then(
          (progress) => heard.set(id, progress),
          (error: Error) => heard.set(id, error),
        );
      return [id, { poll }];
    }),
  );
  const poll = createPoll(watches, (ids) => {
    const answer = Promise.withResolvers<ReadonlyMap<string, Progress>>();
    reads.push({ ids, answer });
    return answer.promise;
  });
  return { heard, reads, watches, poll };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('many are read at once, and never two batches beside each other', async () => {
  const { heard, reads, watches, poll } = scene(250);
  const done = poll();
  for (let batch = 0; batch < 3; batch++) {
    await settled();
    expect(reads).toHaveLength(batch + 1);
    const { ids, answer } = reads[batch]!;
    answer.resolve(new Map(ids.map((id) => [id, progressOf(Number(id.slice(1)))])));
  }
  await done;
  expect(reads.map(({ ids }) => ids.length)).toEqual([100, 100, 50]);
  expect([...heard]).toEqual([...watches.keys()].map((id) => [id, progressOf(Number(id.slice(1)))]));
});

test('a package that is gone is told of to its watch, and what failed to all of its batch; the others go on', async () => {
  const { heard, reads, poll } = scene(101);
  const done = poll();
  reads[0]!.answer.reject(new Error('the database is gone'));
  await settled();
  reads[1]!.answer.resolve(new Map());
  await done;
  expect(heard.get('p0')).toEqual(new Error('the database is gone'));
  expect(heard.get('p100')).toBeNull();
});

test('one that is asked for during another is none', async () => {
  const { reads, poll } = scene(1);
  const done = poll();
  await poll();
  expect(reads).toHaveLength(1);
  reads[0]!.answer.resolve(new Map());
  await done;
  void poll();
  expect(reads).toHaveLength(2);
});
