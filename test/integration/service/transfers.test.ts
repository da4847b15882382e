import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Filter } from '#protocol/hosted/filters.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { ProviderError } from '#providers/errors.ts';
import { newId } from '#service/ids.ts';
import { managing } from '#test/support/service/packages.ts';
import { askForm, askResponse, newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { nowhere, putConnection, readTransfer } from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

const names = (): string[] => [...clouds.cloud.files.keys()].toSorted();

/** A finalized package with these files. */
async function sent(files: Readonly<Record<string, Uint8Array>>, fields: Record<string, unknown> = {}): Promise<Sender> {
  const sender = await newSender(t, fields);
  await sendAll(sender, files);
  return sender;
}

async function sendAll(sender: Sender, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [path, bytes] of Object.entries(files)) {
    const slash = path.lastIndexOf('/');
    await sender.send(path.slice(0, Math.max(0, slash)), path.slice(slash + 1), bytes);
  }
  expect((await sender.finalize()).status).toBe(204);
}

const start = (sender: Sender, body: Record<string, unknown>, headers: Readonly<Record<string, string>> = sender.token) =>
  t.call<CloudTransfer>('POST', `/v1/packages/${sender.package.id}/transfer`, { headers, body });

const list = async (packageId: string, headers: Readonly<Record<string, string>>): Promise<CloudTransfer[]> =>
  (await t.call<CloudTransfer[]>('GET', `/v1/packages/${packageId}/transfer`, { headers })).body;

const change = (transfer: CloudTransfer, what: 'retry' | 'cancel'): Promise<TestAnswer<{ message: string }>> =>
  t.call('PUT', `/v1/transfers/${transfer.id}/${what}`, { headers: { 'x-transfer-token': transfer.access_token } });

const becomes = (transfer: Pick<CloudTransfer, 'id' | 'access_token'>, state: CloudTransfer['state']): Promise<CloudTransfer> =>
  vi.waitFor(
    async () => {
      const now = await readTransfer(t, transfer);
      expect(now.state, now.error || now.state_message).toBe(state);
      return now;
    },
    { timeout: 20_000, interval: 50 },
  );

const three = { 'a.mov': randomBytes(2_500), 'roll/b.mov': randomBytes(700), 'roll/c.wav': Buffer.alloc(0) };

describe('a delivery', () => {
  it('brings the files of a package to the folder of its name, and says how far it is', async () => {
    const connection = await putConnection(t);
    const sender = await sent(three, { name: 'Day 12' });
    const made = await start(sender, { cloud_connection_id: connection });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      package_id: sender.package.id,
      cloud_connection_id: connection,
      state: 'pending',
      progress: { bytes: 0, total_bytes: 3_200, files: 0, total_files: 3 },
      attempts: 0,
    });
    const done = await becomes(made.body, 'complete');
    expect(done).toMatchObject({
      progress: { bytes: 3_200, total_bytes: 3_200, files: 3, total_files: 3 },
      attempts: 1,
      error: '',
      state_message: '',
    });
    expect(names()).toEqual(['Longshore/Day 12/a.mov', 'Longshore/Day 12/roll/b.mov', 'Longshore/Day 12/roll/c.wav']);
    expect(clouds.cloud.files.get('Longshore/Day 12/a.mov')!.bytes).toEqual(three['a.mov']);
    expect(await list(sender.package.id, sender.token)).toMatchObject([{ id: made.body.id, state: 'complete' }]);
  });

  it('goes to a folder of its own each time, also when two begin at once', async () => {
    const [one, other] = [await putConnection(t), await putConnection(t)];
    const senders = [
      await sent({ 'a.mov': three['a.mov'] }, { name: 'Same' }),
      await sent({ 'a.mov': three['roll/b.mov'] }, { name: 'Same' }),
    ];
    const transfers = await Promise.all([
      start(senders[0]!, { cloud_connection_id: one }),
      start(senders[1]!, { cloud_connection_id: other }),
      start(senders[1]!, { cloud_connection_id: one }),
    ]);
    for (const { body } of transfers) await becomes(body, 'complete');
    expect(names()).toEqual(['Longshore/Same (2)/a.mov', 'Longshore/Same (3)/a.mov', 'Longshore/Same/a.mov']);
  });

  it('lands where the connection says, with names in place of the placeholders', async () => {
    const connection = await putConnection(t, { target_directory_id: 'in/{date}/{portal}/{package} by {sender}' });
    const sender = await sent({ 'a.mov': three['a.mov'] }, { name: 'A/B cam' });
    const made = await start(sender, { cloud_connection_id: connection });
    await becomes(made.body, 'complete');
    expect(names()).toEqual([`in/${made.body.created_at.slice(0, 10)}/A_x002F_B cam by owner@example.com/a.mov`]);
  });

  it('goes by the credentials of a recipient, for this one time', async () => {
    const sender = await sent({ 'a.mov': three['a.mov'] }, { name: 'For you', recipients: ['r@example.com'], access_limit: 1 });
    const [link] = await sender.links();
    const { package_token: token } = (await openLink(t, link!)).body;
    const headers = { 'x-package-token': token };
    const connection = await putConnection(t);
    expect(await start(sender, { cloud_connection_id: connection }, headers)).toMatchObject({ status: 403 });
    const made = await start(
      sender,
      { single_use: { provider: 'generic_s3', authorization: nowhere, target_directory_id: 'mine' } },
      headers,
    );
    expect(made).toMatchObject({ status: 201, body: { cloud_connection_id: '', provider: 'generic_s3' } });
    await becomes(made.body, 'complete');
    expect(names()).toEqual(['mine/a.mov']);
    const row = await t.service.services.db
      .selectFrom('cloud_transfers')
      .selectAll()
      .where('id', '=', made.body.id)
      .executeTakeFirstOrThrow();
    expect(row.sealed_authorization).toBeNull();
    // It has taken the one download of the link.
    const second = await openLink(t, link!);
    const again = await start(
      sender,
      { single_use: { provider: 'generic_s3', authorization: nowhere } },
      { 'x-package-token': second.body.package_token },
    );
    expect(again.status).toBe(410);
  });

  it.each([
    ['neither a connection nor credentials', {}, 400],
    ['both', { cloud_connection_id: newId(), single_use: { provider: 'generic_s3', authorization: nowhere } }, 400],
    ['a gateway', { single_use: { provider: 'desktop_sg', authorization: {} } }, 400],
    [
      'a role',
      {
        single_use: {
          provider: 'amazon_s3',
          authorization: { destination: 'b', region: 'eu', role_arn: 'arn:aws:iam::123456789012:role/r', external_id: 'x' },
        },
      },
      400,
    ],
    ['credentials that are not whole', { single_use: { provider: 'generic_s3', authorization: { destination: 'b' } } }, 400],
    ['a folder that leads out', { single_use: { provider: 'generic_s3', authorization: nowhere, target_directory_id: '../x' } }, 400],
    ['a connection that is not there', { cloud_connection_id: newId() }, 404],
  ])('is refused with %s', async (_, body, status) => {
    const sender = await sent({ 'a.mov': three['a.mov'] });
    expect((await start(sender, body)).status).toBe(status);
    expect(await list(sender.package.id, sender.token)).toEqual([]);
  });

  it('needs a package that is finalized and not over', async () => {
    const connection = await putConnection(t);
    const sender = await newSender(t);
    expect((await start(sender, { cloud_connection_id: connection })).status).toBe(409);
    await sendAll(sender, { 'a.mov': three['a.mov'] });
    await t.service.services.db
      .updateTable('packages')
      .set({ expiry: new Date(Date.now() - 1) })
      .where('id', '=', sender.package.id)
      .execute();
    expect((await start(sender, { cloud_connection_id: connection })).status).toBe(410);
  });
});

describe('a package through a Portal', () => {
  it('goes to each attached connection, to each what its filter lets through, with the answers to the form', async () => {
    const [all, some, none] = [
      await putConnection(t, {}, { ...nowhere, destination: 'all' }),
      await putConnection(t),
      await putConnection(t),
    ];
    const filter = async (values: string[]) =>
      (
        await t.call<Filter>('POST', `/v1/teams/${t.teamId}/filters`, {
          headers: { 'x-api-key': t.apiKey },
          body: { name: 'F', rules: [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values }] },
        })
      ).body.id;
    const [movies, nothing] = [await filter(['\\.mov$']), await filter(['\\.never$'])];
    const portal = await newPortal(t, {
      name: 'Dailies in',
      configure_cloud_connections: true,
      cloud_connections: [
        { id: all, target_action: 'transfer' },
        { id: some, target_action: 'transfer', filter_id: movies },
        { id: none, target_action: 'transfer', filter_id: nothing },
      ],
    });
    await askForm(t, portal.id, { fields: [] });
    const { body: response } = await askResponse(t, portal.id, {});
    const sender = await portalSender(t, portal.id, { form_data_id: response.id });
    await sendAll(sender, three);
    // What the filter is afterwards does not matter.
    await t.call('PUT', `/v1/filters/${movies}`, {
      headers: { 'x-api-key': t.apiKey },
      body: { rules: [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['nothing any more'] }] },
    });
    const transfers = await list(sender.package.id, await managing(t, sender.package.id));
    expect(transfers.map((one) => one.cloud_connection_id)).toEqual([all, some, none]);
    const done = [];
    for (const transfer of transfers) done.push(await becomes(transfer, 'complete'));
    expect(done.map(({ progress }) => [progress.files, progress.total_files])).toEqual([
      [4, 4],
      [2, 2],
      [0, 0],
    ]);
    expect(done[2]!.state_message).toContain('filter');
    const folder = 'Portal Downloads/Dailies in/Day 12';
    expect(names().filter((name) => name.endsWith('metadata.json'))).toHaveLength(1);
    expect(names().filter((name) => name.endsWith('.mov'))).toHaveLength(4);
    expect(names().every((name) => name.startsWith(folder))).toBe(true);
  });
});

describe('an attempt that fails', () => {
  it('is an error at once where the connection is to blame, which says so too, and goes on by retry', async () => {
    const connection = await putConnection(t);
    const sender = await sent(three, { name: 'Refused' });
    clouds.before = async (call) => {
      if (call === 'complete' && clouds.cloud.files.size === 1)
        throw new ProviderError('credentials_refused', 'The key was withdrawn. Enter a new one.');
    };
    const made = await start(sender, { cloud_connection_id: connection });
    const failed = await becomes(made.body, 'error');
    expect(failed.error).toBe('The key was withdrawn. Enter a new one.');
    const row = await t.service.services.db
      .selectFrom('cloud_connections')
      .selectAll()
      .where('id', '=', connection)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'error', state_message: 'The key was withdrawn. Enter a new one.' });
    expect((await change(made.body, 'cancel')).status).toBe(409);
    clouds.before = async () => undefined;
    expect((await change(made.body, 'retry')).status).toBe(204);
    expect(await becomes(made.body, 'complete')).toMatchObject({ attempts: 2, progress: { files: 3 } });
    expect(names()).toEqual(['Longshore/Refused/a.mov', 'Longshore/Refused/roll/b.mov', 'Longshore/Refused/roll/c.wav']);
    expect((await change(made.body, 'retry')).status).toBe(409);
  });

  it('waits for another one where it may pass', async () => {
    const connection = await putConnection(t);
    const sender = await sent({ 'a.mov': three['a.mov'] }, { name: 'Busy' });
    clouds.before = async () => {
      throw new ProviderError('busy', 'The provider is busy.');
    };
    const made = await start(sender, { cloud_connection_id: connection });
    const waiting = await vi.waitFor(async () => {
      const now = await readTransfer(t, made.body);
      expect(now).toMatchObject({ state: 'pending', attempts: 1 });
      return now;
    });
    expect(waiting.state_message).toBe('The provider is busy. It is tried again by itself.');
    expect(
      (await t.service.services.db.selectFrom('cloud_connections').select('state').where('id', '=', connection).executeTakeFirstOrThrow())
        .state,
    ).toBe('ok');
    clouds.before = async () => undefined;
    const { db } = t.service.services;
    await db
      .updateTable('cloud_transfers')
      .set({ due_at: new Date(0) })
      .where('id', '=', made.body.id)
      .execute();
    expect(await becomes(made.body, 'complete')).toMatchObject({ attempts: 2, state_message: '' });
  });

  it('with credentials for one time leaves nothing of them, and cannot be tried again', async () => {
    const sender = await sent({ 'a.mov': three['a.mov'] });
    clouds.before = async (call) => {
      if (call === 'putPart') throw new ProviderError('full', 'The bucket is full.');
    };
    const made = await start(sender, { single_use: { provider: 'generic_s3', authorization: nowhere } });
    await becomes(made.body, 'error');
    await vi.waitFor(async () => {
      const row = await t.service.services.db
        .selectFrom('cloud_transfers')
        .selectAll()
        .where('id', '=', made.body.id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ sealed_authorization: null, due_at: null, lease_id: null, cleanup: false });
    });
    expect(clouds.cloud.uploads.size).toBe(0);
    expect(await change(made.body, 'retry')).toMatchObject({ status: 409, body: { message: expect.stringContaining('one use') } });
  });
});

describe('a transfer that is cancelled', () => {
  it('ends under way, leaves no unfinished upload, keeps complete files, and goes on by retry', async () => {
    const connection = await putConnection(t);
    const sender = await sent(three, { name: 'Stopped' });
    const begun = Promise.withResolvers<void>();
    clouds.before = async (call, request, signal) => {
      if (call !== 'putPart' || (request as { number: number }).number !== 2) return;
      begun.resolve();
      await sleep(60_000, undefined, { signal });
    };
    const made = await start(sender, { cloud_connection_id: connection });
    await begun.promise;
    expect(clouds.cloud.uploads.size).toBe(1);
    expect((await change(made.body, 'cancel')).status).toBe(204);
    expect((await readTransfer(t, made.body)).state).toBe('cancelled');
    await vi.waitFor(() => expect(clouds.cloud.uploads.size).toBe(0), { timeout: 5_000 });
    expect((await change(made.body, 'cancel')).status).toBe(409);
    clouds.before = async () => undefined;
    expect((await change(made.body, 'retry')).status).toBe(204);
    await becomes(made.body, 'complete');
    expect(names()).toEqual(['Longshore/Stopped/a.mov', 'Longshore/Stopped/roll/b.mov', 'Longshore/Stopped/roll/c.wav']);
  });

  it('before its turn never begins', async () => {
    const connection = await putConnection(t);
    const hold = new AbortController();
    clouds.before = (_call, _request, signal) =>
      sleep(60_000, undefined, { signal: AbortSignal.any([signal, hold.signal]) }).catch(() => undefined);
    const sender = await sent({ 'a.mov': three['a.mov'] }, { name: 'Third' });
    // Two of a connection at once: the third waits.
    const transfers = [];
    for (let n = 0; n < 3; n++) transfers.push((await start(sender, { cloud_connection_id: connection })).body);
    await becomes(transfers[0]!, 'started');
    await becomes(transfers[1]!, 'started');
    expect((await readTransfer(t, transfers[2]!)).state).toBe('pending');
    expect((await change(transfers[2]!, 'cancel')).status).toBe(204);
    clouds.before = async () => undefined;
    hold.abort();
    await becomes(transfers[0]!, 'complete');
    await becomes(transfers[1]!, 'complete');
    expect(await readTransfer(t, transfers[2]!)).toMatchObject({ state: 'cancelled', attempts: 0 });
    expect(names()).toEqual(['Longshore/Third (2)/a.mov', 'Longshore/Third/a.mov']);
  });
});
