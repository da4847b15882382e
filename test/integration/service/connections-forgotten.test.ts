import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { askTransfer, changeTransfer, putConnection, sentPackage, threeFiles, transferBecomes } from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

const remove = async (id: string) => {
  expect((await t.call('DELETE', `/v1/cloud_connections/${id}`, { headers: { 'x-api-key': t.apiKey } })).status).toBe(204);
};

/** Bytes of secrets that the database holds of it. */
async function kept(id: string): Promise<number> {
  const row = await t.service.services.db
    .selectFrom('cloud_connections')
    .select('sealed_authorization')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.sealed_authorization.length;
}

it('the credentials of a connection are forgotten with it, where no transfer uses it', async () => {
  const [gone, other] = [await putConnection(t), await putConnection(t)];
  await remove(gone);
  expect(await kept(gone)).toBe(0);
  await runJob(t.service.services, 'connections.sweep', {});
  expect(await kept(other)).toBeGreaterThan(0);
});

it('those of a transfer under way are kept until it is over', async () => {
  const connection = await putConnection(t);
  const hold = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  clouds.before = async (call) => {
    if (call !== 'begin') return;
    begun.resolve();
    await hold.promise;
  };
  const sender = await sentPackage(t, threeFiles, { name: 'Under way' });
  const { body } = await askTransfer(t, sender, { cloud_connection_id: connection });
  await begun.promise;
  await remove(connection);
  await runJob(t.service.services, 'connections.sweep', {});
  expect(await kept(connection)).toBeGreaterThan(0);
  hold.resolve();
  await transferBecomes(t, body, 'complete');
  await runJob(t.service.services, 'connections.sweep', {});
  expect(await kept(connection)).toBe(0);
});

it('what a failed transfer has left for a retry is removed first', async () => {
  const connection = await putConnection(t);
  clouds.before = async (call) => {
    if (call === 'complete') throw new ProviderError('full', 'The bucket is full.');
  };
  const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Failed' });
  const { body } = await askTransfer(t, sender, { cloud_connection_id: connection });
  await transferBecomes(t, body, 'error');
  expect(clouds.cloud.uploads.size).toBe(1);
  await remove(connection);
  await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
  await expect
    .poll(async () => {
      await runJob(t.service.services, 'connections.sweep', {});
      return await kept(connection);
    })
    .toBe(0);
  expect(await transferBecomes(t, body, 'error')).toMatchObject({ error: 'The bucket is full.' });
  expect(await changeTransfer(t, body, 'retry')).toMatchObject({ status: 409, body: { message: expect.stringContaining('was deleted') } });
});
