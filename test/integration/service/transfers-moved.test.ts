import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealAuthorization } from '#service/connections/authorization.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import {
  askTransfer,
  changeTransfer,
  listTransfers,
  nowhere,
  putConnection,
  putTransfer,
  sentPackage,
  threeFiles,
  transferBecomes,
} from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

describe('a connection that is changed', () => {
  const moved = { ...nowhere, destination: 'another-bucket' };
  const move = async (id: string, authorization: Readonly<Record<string, string>>) => {
    const { db, seal } = t.service.services;
    await db
      .updateTable('cloud_connections')
      .set({ sealed_authorization: sealAuthorization(seal, id, authorization) })
      .where('id', '=', id)
      .execute();
  };

  it('to another bucket does not split a delivery that has begun: it is an error, and goes on once it leads back', async () => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name: 'Split' });
    const hold = Promise.withResolvers<void>();
    let completions = 0;
    clouds.before = async (call, _, signal) => {
      if (call !== 'complete' || ++completions === 1) return;
      await Promise.race([hold.promise, new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
    };
    const { body } = await askTransfer(t, sender, { cloud_connection_id: connection });
    await expect.poll(() => clouds.cloud.files.size).toBe(1);
    expect((await changeTransfer(t, body, 'cancel')).status).toBe(204);
    await expect.poll(() => clouds.cloud.uploads.size).toBe(0);
    hold.resolve();
    clouds.before = async () => undefined;
    await move(connection, moved);
    expect((await changeTransfer(t, body, 'retry')).status).toBe(204);
    expect((await transferBecomes(t, body, 'error')).error).toContain('leads to another place');
    expect(clouds.cloud.files.size).toBe(1);
    const { state } = await t.service.services.db
      .selectFrom('cloud_connections')
      .select('state')
      .where('id', '=', connection)
      .executeTakeFirstOrThrow();
    expect(state).toBe('ok');
    await move(connection, nowhere);
    expect((await changeTransfer(t, body, 'retry')).status).toBe(204);
    await transferBecomes(t, body, 'complete');
    expect(clouds.cloud.files.size).toBe(3);
  });

  it('before a delivery begins takes it along', async () => {
    const connection = await putConnection(t, {}, moved);
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Along' });
    const id = await putTransfer(t, { package_id: sender.package.id, cloud_connection_id: connection, due_at: new Date() });
    const [made] = await listTransfers(t, sender.package.id, sender.token);
    expect(made!.id).toBe(id);
    await transferBecomes(t, made!, 'complete');
  });
});
