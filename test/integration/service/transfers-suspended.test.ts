import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { changeTeamState } from '#service/admin/teams.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import {
  askTransfer,
  nowhere,
  putConnection,
  putTransfer,
  readTransfer,
  sendAll,
  sentPackage,
  threeFiles,
  transferBecomes,
  transferring,
} from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

const turn = async (state: 'active' | 'inactive'): Promise<void> => {
  const { db, credentials, now } = t.service.services;
  await changeTeamState(db, t.teamId, state, now());
  credentials.invalidateAll();
};

const rowOf = (id: string) =>
  t.service.services.db.selectFrom('cloud_transfers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Parts wait until they are let go; `begun` resolves when the first does. */
function holdParts() {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  clouds.before = async (call) => {
    if (call !== 'putPart') return;
    begun.resolve();
    await gate.promise;
  };
  return { begun: begun.promise, letGo: gate.resolve };
}

describe('a Team that is suspended in the middle of transfers', () => {
  it('has what moves arrive, and what waits begin when it is active again', async () => {
    const connection = await putConnection(t);
    const [moving, waiting] = [await sentPackage(t, threeFiles, { name: 'Moves' }), await sentPackage(t, threeFiles, { name: 'Waits' })];
    const { begun, letGo } = holdParts();
    const first = (await askTransfer(t, moving, { cloud_connection_id: connection })).body;
    await begun;
    const second = await putTransfer(t, { package_id: waiting.package.id, cloud_connection_id: connection, state: 'pending' });
    const { db } = t.service.services;
    await turn('inactive');
    try {
      await db
        .updateTable('cloud_transfers')
        .set({ due_at: new Date(0) })
        .where('id', '=', second)
        .execute();
      const refused = await t.call<{ message: string }>('GET', `/v1/transfers/${first.id}`, {
        headers: { 'x-transfer-token': first.access_token },
      });
      expect(refused.status).toBe(402);
      expect(refused.body.message).toMatch(/inactive/);
      letGo();
      await vi.waitFor(async () => expect((await rowOf(first.id)).state).toBe('complete'), { timeout: 10_000 });
      for (const { transfers } of t.services.map(({ services }) => services)) transfers.wake();
      expect(await rowOf(second)).toMatchObject({ state: 'pending', lease_id: null });
    } finally {
      await turn('active');
    }
    const token = await transferring(t, second, waiting.package.id);
    await transferBecomes(t, { id: second, access_token: token['x-transfer-token']! }, 'complete');
    expect([...clouds.cloud.files.keys()].filter((name) => name.endsWith('a.mov')).toSorted()).toEqual([
      'Longshore/Moves/a.mov',
      'Longshore/Waits/a.mov',
    ]);
  });

  it('has its recipients take their files along as before, and see how far that is', async () => {
    const sender = await newSender(t, { name: 'Taken', recipients: ['r@example.com'] });
    await sendAll(sender, threeFiles);
    const [link] = await sender.links();
    const reader = { 'x-package-token': (await openLink(t, link!)).body.package_token };
    await turn('inactive');
    try {
      const { status, body } = await askTransfer(t, sender, { single_use: { provider: 'generic_s3', authorization: nowhere } }, reader);
      expect(status).toBe(201);
      expect(await transferBecomes(t, body, 'complete')).toMatchObject({ progress: { files: 3 } });
      // What a member of the Team got for the same transfer ends with the Team's activity.
      const members = await t.call('GET', `/v1/transfers/${body.id}`, { headers: await transferring(t, body.id, sender.package.id) });
      expect(members.status).toBe(402);
    } finally {
      await turn('active');
    }
  });
});

describe('an API key that is revoked in the middle of a transfer', () => {
  it('ends nothing that was begun with it', async () => {
    const made = await t.call<CreatedApiKey>('POST', `/v1/teams/${t.teamId}/api_keys`, {
      headers: { 'x-user-token': t.userToken },
      body: { name: 'Ingest', state: 'active' },
    });
    const sender = await newSender({ ...t, apiKey: made.body.key }, { name: 'Revoked' });
    await sendAll(sender, threeFiles);
    const { begun, letGo } = holdParts();
    const { body: transfer } = await askTransfer(t, sender, { cloud_connection_id: await putConnection(t) });
    await begun;
    const gone = await t.call('DELETE', `/v1/api_keys/${made.body.id}`, { headers: { 'x-user-token': t.userToken } });
    expect(gone.status).toBe(204);
    const refused = await t.call<{ message: string }>('GET', `/v1/teams/${t.teamId}/packages`, { headers: { 'x-api-key': made.body.key } });
    expect(refused.status).toBe(401);
    letGo();
    expect(await transferBecomes(t, transfer, 'complete')).toMatchObject({ attempts: 1, progress: { files: 3 } } satisfies Partial<
      Record<keyof CloudTransfer, unknown>
    >);
    expect((await readTransfer(t, transfer)).state).toBe('complete');
  });
});
