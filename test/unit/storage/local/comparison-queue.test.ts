import { expect, test } from 'vitest';
import { ComparisonBudgets } from '#storage/local/comparison-budgets.ts';
import { ComparisonQueue } from '#storage/local/comparison-queue.ts';

/** One place, and comparisons that end when they are told to. */
function queueOfOne() {
  const budgets = new ComparisonBudgets({ now: () => 0 });
  const queue = new ComparisonQueue({ places: 1, placesOfOne: 1, budgets });
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const ask = (name: string, address: string, bytes = 1) =>
    queue.add({ address, isGone: () => false }, async (read) => {
      begun.push(name);
      const ended = Promise.withResolvers<void>();
      end.set(name, ended.resolve);
      await ended.promise;
      read(bytes);
    });
  return { begun, end: (name: string) => end.get(name)!(), ask };
}

test('the address for which the least was read is next, and of one address the part that waits longest', async () => {
  const { begun, end, ask } = queueOfOne();
  const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ({ name, ...ask(name, name[0]!, name[0] === 'b' ? 100 : 1) }));
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3', 'b2']) {
    await expect.poll(() => begun.at(-1)).toBe(name);
    end(name);
    await asked.find((one) => one.name === name)!.over;
  }
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'b2']);
});

test('a part that several wait for is read once, when the first of them has a place', async () => {
  const { begun, end, ask } = queueOfOne();
  const a1 = ask('a1', 'a');
  const a2 = ask('a2', 'a');
  const shared = ask('shared', 'a');
  shared.join({ address: 'b', isGone: () => false });
  end('a1');
  await a1.over;
  await expect.poll(() => begun).toEqual(['a1', 'shared']);
  end('shared');
  await shared.over;
  await expect.poll(() => begun).toEqual(['a1', 'shared', 'a2']);
  end('a2');
  await a2.over;
});

test('an error of a comparison is told, and its place is free again', async () => {
  const queue = new ComparisonQueue({ places: 1, placesOfOne: 1, budgets: new ComparisonBudgets() });
  const receiver = { address: 'a', isGone: () => false };
  const failing = queue.add(receiver, async () => {
    throw new Error('unreadable');
  });
  const next = queue.add(receiver, async () => undefined);
  await expect(failing.over).rejects.toThrow('unreadable');
  await next.over;
});
