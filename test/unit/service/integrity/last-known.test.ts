import { expect, it } from 'vitest';
import type { Integrity } from '#service/integrity/check-state.ts';
import { integrityCheck, lastKnown } from '#service/integrity/scrub.ts';

it('what checks of a bucket have found is told without waiting for the database, and stays known while it is away', async () => {
  const answers: PromiseWithResolvers<Integrity>[] = [];
  const check = integrityCheck(
    lastKnown(() => {
      answers.push(Promise.withResolvers<Integrity>());
      return answers.at(-1)!.promise;
    }),
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  expect(await check()).toBeNull();
  expect(await check()).toBeNull();
  expect(answers).toHaveLength(1);
  answers[0]!.resolve({ last: null, begun: null, counts: { damaged: 2, orphan: 7 } });
  await settled();
  expect(await check()).toMatchObject({ error: 'storage_damaged', message: expect.stringContaining('2 stored files') });
  answers[1]!.reject(new Error('the database is away'));
  await settled();
  expect(await check()).toMatchObject({ error: 'storage_damaged' });
  answers[2]!.resolve({ last: null, begun: null, counts: {} });
  await settled();
  expect(await check()).toBeNull();
});
