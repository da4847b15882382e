import { expect, test } from 'vitest';
import { gathered } from '#service/gathered.ts';

/** All that can go on has. */
const turned = () => new Promise(setImmediate);

test('what comes while the one before is done is done together, and each hears of its own end', async () => {
  const calls: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const add = gathered<number>((items) => {
    calls.push(items);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  });
  const [first, ...others] = [add(1), add(2), add(3)];
  expect(calls).toEqual([[1]]);
  gates[0]!.resolve();
  await first;
  await turned();
  expect(calls).toEqual([[1], [2, 3]]);
  const late = add(4);
  gates[1]!.resolve();
  await Promise.all(others);
  await turned();
  gates[2]!.resolve();
  await late;
  await turned();
  expect(calls).toEqual([[1], [2, 3], [4]]);
  void add(5);
  expect(calls.at(-1)).toEqual([5]);
});

test('of several that fail together each is done by itself, and only those fail that do so alone', async () => {
  const calls: (readonly string[])[] = [];
  const add = gathered<string>(async (items) => {
    calls.push(items);
    await null;
    if (items.includes('bad')) throw new Error(`${items.length} at once`);
  });
  expect(await Promise.allSettled([add('first'), add('good'), add('bad'), add('good too')])).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: new Error('1 at once') },
    { status: 'fulfilled' },
  ]);
  expect(calls).toEqual([['first'], ['good', 'bad', 'good too'], ['good'], ['bad'], ['good too']]);
});
