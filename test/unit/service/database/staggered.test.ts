import { expect, it } from 'vitest';
import { firstToAnswer } from '#service/database/staggered.ts';

/** Servers that answer, and pauses that end, when a test says so. */
function scene(names: readonly string[]) {
  const asked: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const answers = new Map(names.map((name) => [name, Promise.withResolvers<string>()]));
  const pauses: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const result = firstToAnswer(
    names,
    (name, over) => {
      asked.push(name);
      signals.set(name, over);
      return answers.get(name)!.promise;
    },
    async (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      pauses.push({ signal, end: resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
      await promise;
    },
  );
  result.catch(() => undefined);
  return { asked, answers, pauses, result, isOver: (name: string) => signals.get(name)!.aborted };
}

/** All that follows from what a test has settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('one that answers at once is the only one that is asked', async () => {
  const { asked, answers, pauses, result } = scene(['a', 'b']);
  answers.get('a')!.resolve('it is a');
  await expect(result).resolves.toBe('it is a');
  expect(asked).toEqual(['a']);
  expect(pauses.map(({ signal }) => signal.aborted)).toEqual([true]);
});

it('beside one that is silent the next is asked, and once that answers the silent one is dropped', async () => {
  const { asked, answers, pauses, result, isOver } = scene(['a', 'b', 'c']);
  pauses[0]!.end();
  await settled();
  expect([asked, isOver('a')]).toEqual([['a', 'b'], false]);
  answers.get('b')!.resolve('it is b');
  await expect(result).resolves.toBe('it is b');
  await settled();
  expect([asked, isOver('a')]).toEqual([['a', 'b'], true]);
});

it('a slow one counts as long as no other has answered', async () => {
  const { asked, answers, pauses, result } = scene(['a', 'b']);
  pauses[0]!.end();
  await settled();
  answers.get('b')!.reject(new Error('b is a copy'));
  await settled();
  answers.get('a')!.resolve('it is a');
  await expect(result).resolves.toBe('it is a');
  expect(asked).toEqual(['a', 'b']);
});

it('after a failure the next is asked without a pause, each once', async () => {
  const { asked, answers, pauses, result } = scene(['a', 'b', 'c']);
  answers.get('a')!.reject(new Error('refused'));
  await settled();
  expect([asked, pauses.map(({ signal }) => signal.aborted)]).toEqual([
    ['a', 'b'],
    [true, false],
  ]);
  pauses[1]!.end();
  await settled();
  answers.get('b')!.reject(new Error('too late'));
  await settled();
  expect(asked).toEqual(['a', 'b', 'c']);
  answers.get('c')!.resolve('it is c');
  await expect(result).resolves.toBe('it is c');
});

it('where none answers, it tells of each why, in their order', async () => {
  const { answers, pauses, result } = scene(['a', 'b']);
  pauses[0]!.end();
  await settled();
  answers.get('b')!.reject(new Error('of b'));
  await settled();
  answers.get('a')!.reject(new Error('of a'));
  await expect(result).rejects.toMatchObject({ errors: [new Error('of a'), new Error('of b')] });
});
