import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Filter } from '#protocol/hosted/filters.ts';
import { newId } from '#service/ids.ts';
import { managing } from '#test/support/service/packages.ts';
import { askForm, askResponse, newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import {
  askTransfer,
  listTransfers,
  nowhere,
  putConnection,
  sendAll,
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

const names = (): string[] => [...clouds.cloud.files.keys()].toSorted();

describe('a delivery', () => {
  it('brings the files of a package to the folder of its name, and says how far it is', async () => {
    const connection = await putConnection(t);
    const sender = await sentPackage(t, threeFiles, { name: 'Day 12' });
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      package_id: sender.package.id,
      cloud_connection_id: connection,
      state: 'pending',
      progress: { bytes: 0, total_bytes: 3_200, files: 0, total_files: 3 },
      attempts: 0,
    });
    const done = await transferBecomes(t, made.body, 'complete');
    expect(done).toMatchObject({
      progress: { bytes: 3_200, total_bytes: 3_200, files: 3, total_files: 3 },
      attempts: 1,
      error: '',
      state_message: '',
    });
    expect(names()).toEqual(['Longshore/Day 12/a.mov', 'Longshore/Day 12/roll/b.mov', 'Longshore/Day 12/roll/c.wav']);
    expect(clouds.cloud.files.get('Longshore/Day 12/a.mov')!.bytes).toEqual(threeFiles['a.mov']);
    expect(await listTransfers(t, sender.package.id, sender.token)).toMatchObject([{ id: made.body.id, state: 'complete' }]);
  });

  it('goes to a folder of its own each time, also when two begin at once', async () => {
    const [one, other] = [await putConnection(t), await putConnection(t)];
    const senders = [
      await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Same' }),
      await sentPackage(t, { 'a.mov': threeFiles['roll/b.mov'] }, { name: 'Same' }),
    ];
    const transfers = await Promise.all([
      askTransfer(t, senders[0]!, { cloud_connection_id: one }),
      askTransfer(t, senders[1]!, { cloud_connection_id: other }),
      askTransfer(t, senders[1]!, { cloud_connection_id: one }),
    ]);
    for (const { body } of transfers) await transferBecomes(t, body, 'complete');
    expect(names()).toEqual(['Longshore/Same (2)/a.mov', 'Longshore/Same (3)/a.mov', 'Longshore/Same/a.mov']);
  });

  it('lands where the connection says, with names in place of the placeholders', async () => {
    const connection = await putConnection(t, { target_directory_id: 'in/{date}/{portal}/{package} by {sender}' });
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'A/B cam' });
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    await transferBecomes(t, made.body, 'complete');
    expect(names()).toEqual([`in/${made.body.created_at.slice(0, 10)}/A_x002F_B cam by owner@example.com/a.mov`]);
  });

  it('goes by the credentials of a recipient, for this one time', async () => {
    const sender = await sentPackage(
      t,
      { 'a.mov': threeFiles['a.mov'] },
      { name: 'For you', recipients: ['r@example.com'], access_limit: 1 },
    );
    const [link] = await sender.links();
    const { package_token: token } = (await openLink(t, link!)).body;
    const headers = { 'x-package-token': token };
    const connection = await putConnection(t);
    expect(await askTransfer(t, sender, { cloud_connection_id: connection }, headers)).toMatchObject({ status: 403 });
    const made = await askTransfer(
      t,
      sender,
      { single_use: { provider: 'generic_s3', authorization: nowhere, target_directory_id: 'mine' } },
      headers,
    );
    expect(made).toMatchObject({ status: 201, body: { cloud_connection_id: '', provider: 'generic_s3' } });
    await transferBecomes(t, made.body, 'complete');
    expect(names()).toEqual(['mine/a.mov']);
    const row = await t.service.services.db
      .selectFrom('cloud_transfers')
      .selectAll()
      .where('id', '=', made.body.id)
      .executeTakeFirstOrThrow();
    expect(row.sealed_authorization).toBeNull();
    // It has taken the one download of the link.
    const second = await openLink(t, link!);
    const again = await askTransfer(
      t,
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
    const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] });
    expect((await askTransfer(t, sender, body)).status).toBe(status);
    expect(await listTransfers(t, sender.package.id, sender.token)).toEqual([]);
  });

  it('needs a package that is finalized and not over', async () => {
    const connection = await putConnection(t);
    const sender = await newSender(t);
    expect((await askTransfer(t, sender, { cloud_connection_id: connection })).status).toBe(409);
    await sendAll(sender, { 'a.mov': threeFiles['a.mov'] });
    await t.service.services.db
      .updateTable('packages')
      .set({ expiry: new Date(Date.now() - 1) })
      .where('id', '=', sender.package.id)
      .execute();
    expect((await askTransfer(t, sender, { cloud_connection_id: connection })).status).toBe(410);
  });
});

describe('a package through a Portal', () => {
  it('goes to each attached connection, to each what its filter lets through, with the answers to the form', async () => {
    const [all, some, none] = [await putConnection(t), await putConnection(t), await putConnection(t)];
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
    await sendAll(sender, threeFiles);
    // What the filter is afterwards does not matter.
    await t.call('PUT', `/v1/filters/${movies}`, {
      headers: { 'x-api-key': t.apiKey },
      body: { rules: [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['nothing any more'] }] },
    });
    const transfers = await listTransfers(t, sender.package.id, await managing(t, sender.package.id));
    expect(transfers.map((one) => one.cloud_connection_id)).toEqual([all, some, none]);
    const done = [];
    for (const transfer of transfers) done.push(await transferBecomes(t, transfer, 'complete'));
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
