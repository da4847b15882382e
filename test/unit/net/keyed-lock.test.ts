import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KeyedLock } from '#net/keyed-lock.ts';

test('work with the same key runs one at a time, other keys do not wait, and a failure does not end the queue', async () => {
  const lock = new KeyedLock();
  const steps: string[] = [];
  const work =
    (name: string, fail = false) =>
    async () => {
      steps.push(`${name} begins`);
      await nextTurn();
      steps.push(`${name} ends`);
      if (fail) throw new Error(name);
    };
  const all = [lock.run('x', work('first', true)), lock.run('x', work('second')), lock.run('y', work('other'))];
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(steps.indexOf('second begins')).toBeGreaterThan(steps.indexOf('first ends'));
  expect(steps.indexOf('other begins')).toBeLessThan(steps.indexOf('first ends'));
});
