import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventParser } from '#client/server-sent-events.ts';
import type { ConnectionCheck, ConnectionCheckEvent } from '#protocol/hosted/connections.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { Context } from '#service/handler.ts';
import type { AnyPackageToken } from '#service/packages/access.ts';
import { requireReader } from '#service/realtime/reader.ts';
import {
  answer,
  askPoll,
  connectBy,
  offline,
  ok,
  only,
  poll,
  putGateway,
  report,
  type TaskOf,
  type TestGateway,
} from '#test/support/service/gateways.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, senderOf } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import {
  askTransfer,
  changeTransfer,
  listTransfers,
  readTransfer,
  sendAll,
  sentPackage,
  threeFiles,
} from '#test/support/service/transfers.ts';

import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

/** What the tasks of gateways carry, and what their tokens are good for: contract/gateways.md §4 to §6. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 2, allowPrivateWebhooks: true });
});
afterAll(() => t?.close());

let gateway: TestGateway;
beforeEach(async () => {
  await t.service.services.db.deleteFrom('storage_gateways').execute();
  gateway = await putGateway(t);
});

const byKey = () => ({ 'x-api-key': t.apiKey });
const filesOf = (packageId: string, token: string) =>
  t.call<File[]>('GET', `/v1/packages/${packageId}/files`, { headers: { 'x-package-token': token } });
const addressOf = (packageId: string, fileId: string, token: string) =>
  t.call<{ url: string; message: string }>('GET', `/v1/packages/${packageId}/files/${fileId}/download`, {
    headers: { 'x-package-token': token },
  });

describe('a delivery', () => {
  it('of a Portal brings what its filter lets through, and its token opens nothing else', async () => {
    const connection = await connectBy(t, gateway);
    const filter = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/filters`, {
      headers: byKey(),
      body: { name: 'Movies', rules: [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['\\.mov$'] }] },
    });
    expect(filter.status, JSON.stringify(filter.body)).toBe(201);
    const portal = await newPortal(t, {
      configure_cloud_connections: true,
      cloud_connections: [{ id: connection.id, target_action: 'transfer', filter_id: filter.body.id }],
    });
    const sender = await portalSender(t, portal.id);
    await sendAll(sender, threeFiles);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)] }), 'deliver');
    expect(task).toMatchObject({
      total_files: 2,
      total_bytes: 3_200,
      target_directory_id: expect.stringMatching(/^Portal Downloads\/.+\/.+$/),
    });

    const { body: listed } = await filesOf(task.package_id, task.read_token);
    expect(listed.map(({ name }) => name).toSorted()).toEqual(['a.mov', 'b.mov']);
    for (const { id, name, path } of listed) {
      const { body } = await addressOf(task.package_id, id, task.read_token);
      const bytes = Buffer.from(await (await fetch(body.url)).arrayBuffer());
      expect(bytes.equals(threeFiles[(path === '' ? name : `${path}/${name}`) as keyof typeof threeFiles])).toBe(true);
    }
    const { db } = t.service.services;
    const left = await db
      .selectFrom('files')
      .select('id')
      .where('package_id', '=', task.package_id)
      .where('name', '=', 'c.wav')
      .executeTakeFirstOrThrow();
    expect((await addressOf(task.package_id, left.id, task.read_token)).status).toBe(404);
    const many = await t.call<{ files: { url?: string; error?: object }[] }>(
      'POST',
      `/v1/packages/${task.package_id}/files/batch/download`,
      {
        headers: { 'x-package-token': task.read_token },
        body: { file_ids: [listed[0]!.id, left.id] },
      },
    );
    expect(
      many.body.files.map(({ url }) => url !== undefined),
      JSON.stringify(many.body),
    ).toEqual([true, false]);
    // It reads and downloads, and does nothing else: a receipt names what the filter has left out, too.
    const receipt = await t.call('GET', `/v1/packages/${task.package_id}/receipt`, { headers: { 'x-package-token': task.read_token } });
    expect(receipt.status).toBe(403);
    expect(
      (await t.call('POST', `/v1/packages/${task.package_id}/transfer`, { headers: { 'x-package-token': task.read_token }, body: {} }))
        .status,
    ).toBe(403);
    expect(
      (await t.call('GET', `/v1/transfers/${task.transfer_id}`, { headers: { 'x-transfer-token': task.transfer_token } })).status,
    ).toBe(403);
    const { services } = t.service;
    const claims = (await services.tokens.verify('package', task.read_token))!;
    const credential = { kind: 'package:read', ...claims, verified: false, task: await services.credentials.task(claims.task!), token: '' };
    const reads = () => requireReader({ ...services, credential } as unknown as Context<AnyPackageToken>, task.package_id);
    await reads();
    await report(t, task, 'complete', { progress: { bytes: 3_200, files: 2 } });
    services.credentials.invalidateAll();
    // An event stream that was opened by it, too.
    await expect(reads()).rejects.toMatchObject({ error: 'credential_invalid' });
    expect(await listTransfers(t, task.package_id, await managing(task.package_id))).toMatchObject([
      { state: 'complete', progress: { bytes: 3_200, total_bytes: 3_200, files: 2, total_files: 2 } },
    ]);
  });

  const managing = async (packageId: string) => ({
    'x-package-token': await t.service.services.tokens.sign('package', {
      packageId,
      variant: 'manage',
      tokenId: packageId,
      linkId: null,
      userId: t.userId,
    }),
  });

  it('goes on from a package that has expired and is kept for it', async () => {
    const connection = await connectBy(t, gateway);
    const sender = await sentPackage(t, threeFiles);
    await askTransfer(t, sender, { cloud_connection_id: connection.id });
    const task = only(await poll(t, gateway, { mounts: [ok(connection)] }), 'deliver');
    const { db } = t.service.services;
    await db
      .updateTable('packages')
      .set({ expiry: new Date(Date.now() - 60_000) })
      .where('id', '=', task.package_id)
      .execute();
    const [first] = (await filesOf(task.package_id, task.read_token)).body;
    expect((await addressOf(task.package_id, first!.id, task.read_token)).status).toBe(200);
    expect((await report(t, task, 'complete', { progress: { bytes: 3_200, files: 3 } })).status).toBe(200);
  });

  it('tells webhooks when it begins and when it is over, once each', async () => {
    const heard: WebhookPayload[] = [];
    const receiver = await startHttpServer(async (request, response) => {
      heard.push(JSON.parse((await bodyOf(request)).toString()) as WebhookPayload);
      response.writeHead(204).end();
    });
    try {
      const hook = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
        headers: byKey(),
        body: {
          ...{ active: true, method: 'POST', url: receiver.url, scope: 'team' },
          events: ['transfer.started', 'transfer.complete', 'transfer.error'],
        },
      });
      expect(hook.status, JSON.stringify(hook.body)).toBe(201);
      const connection = await connectBy(t, gateway);
      const sender = await sentPackage(t, threeFiles);
      const made = (await askTransfer(t, sender, { cloud_connection_id: connection.id })).body;
      const mounts = [ok(connection)];
      const task = only(await poll(t, gateway, { mounts }), 'deliver');
      await report(t, task, 'started');
      await report(t, task, 'waiting', { error: 'Wait.' });
      await report(t, task, 'error', { error: 'Make room.' });
      await changeTransfer(t, made, 'retry');
      await report(t, only(await poll(t, gateway, { mounts }), 'deliver'), 'complete', { progress: { bytes: 3_200, files: 3 } });
      await vi.waitFor(() => expect(heard).toHaveLength(3), { timeout: 20_000 });
      expect(heard.map(({ event_type }) => event_type).toSorted()).toEqual(['transfer.complete', 'transfer.error', 'transfer.started']);
      expect(heard.find(({ event_type }) => event_type === 'transfer.error')!.object).toMatchObject({ id: made.id, error: 'Make room.' });
      await t.call('DELETE', `/v1/custom_webhooks/${hook.body.id}`, { headers: byKey() });
    } finally {
      await receiver.close();
    }
  });
});

describe('a collection', () => {
  const items = [
    { id: 'in/a.mov', name: 'a.mov', kind: 'file' },
    { id: 'in/roll', name: 'roll', kind: 'directory' },
  ];

  async function collecting() {
    const connection = await connectBy(t, gateway, { direction: 'cloud_to_service', source_directory_ids: ['in'] });
    const sender = await newSender(t);
    const made = await askTransfer(t, sender, { cloud_connection_id: connection.id, files: items });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)] }), 'collect');
    return { connection, sender, made: made.body, task, own: senderOf(t, sender.package, { 'x-package-token': task.write_token }) };
  }

  it('adds files, is complete when they are finalized, and leaves it to others to finalize the package', async () => {
    const { task, own, sender, made, connection } = await collecting();
    expect(task).toMatchObject({ files: items, source_directory_ids: ['in'] });
    await own.send('', 'a.mov', threeFiles['a.mov']);
    const begun = await own.begin('roll', 'b.mov', { size: 700 });
    const etag = await begun.put(0, threeFiles['roll/b.mov']);
    expect((await report(t, task, 'started', { progress: { bytes: 2_500, files: 1, total_bytes: 3_200, total_files: 2 } })).status).toBe(
      200,
    );
    expect(await readTransfer(t, made)).toMatchObject({ progress: { bytes: 2_500, files: 1, total_bytes: 3_200, total_files: 2 } });
    const all = { bytes: 3_200, files: 2, total_bytes: 3_200, total_files: 2 };
    expect(await report(t, task, 'complete', { progress: all })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('1 files') },
    });
    const again = async () => {
      await t.service.services.db
        .updateTable('cloud_transfers')
        .set({ due_at: new Date(0) })
        .where('id', '=', made.id)
        .execute();
      const next = only(await poll(t, gateway, { mounts: [ok(connection)] }), 'collect');
      return { task: next, own: senderOf(t, sender.package, { 'x-package-token': next.write_token }) };
    };
    const second = await again();
    const finalized = await t.call('POST', `/v1/packages/${sender.package.id}/files/${begun.file.id}/finalize`, {
      headers: second.own.token,
      body: {
        chunk_extras: [{ part_number: '1', etag }],
        file_extras: { upload_id: begun.uploadId },
        size: 700,
        chunk_size: begun.file.chunk_size,
      },
    });
    expect(finalized.status).toBe(204);
    expect(await report(t, second.task, 'complete', { progress: { ...all, bytes: 3_201 } })).toMatchObject({ status: 409 });
    const third = await again();
    expect((await third.own.finalize()).status).toBe(403);
    expect((await sender.finalize()).status).toBe(409);
    expect(await report(t, third.task, 'complete', { progress: all })).toMatchObject({ body: { state: 'complete' } });
    expect((await sender.finalize()).status).toBe(204);
    expect(await readTransfer(t, made)).toMatchObject({ state: 'complete', progress: all });
  });

  it('that is cancelled leaves nothing unfinished in the package, adds nothing more, and touches no file of others', async () => {
    const { own, sender, made } = await collecting();
    const others = await sender.begin('', 'other.mov', { size: 5 });
    await own.send('', 'a.mov', threeFiles['a.mov']);
    await own.begin('roll', 'b.mov', { size: 700 });
    expect((await t.call('DELETE', `/v1/packages/${sender.package.id}/files/${others.file.id}`, { headers: own.token })).status).toBe(403);
    expect((await changeTransfer(t, made, 'cancel')).status).toBe(204);
    // Also where a process still remembers the token.
    for (let turn = 0; turn < 2; turn++) expect((await own.create({ name: `late ${turn}.mov`, size: 1 })).status).toBe(401);
    const names = async () => {
      const { db } = t.service.services;
      const rows = await db.selectFrom('files').select('name').where('package_id', '=', sender.package.id).orderBy('name').execute();
      return rows.map(({ name }) => name);
    };
    await expect.poll(names, { timeout: 20_000 }).toEqual(['a.mov', 'other.mov']);
    await others.remove();
    await expect.poll(async () => (await sender.finalize()).status, { timeout: 20_000 }).toBe(204);
  });

  it('brings nothing from outside of the folders that the connection allows', async () => {
    const { connection, sender } = await collecting();
    const files = [{ id: 'out/a.mov', name: 'x.mov', kind: 'file' }];
    expect(await askTransfer(t, sender, { cloud_connection_id: connection.id, files })).toMatchObject({ status: 400 });
  });
});

describe('a picker', () => {
  const browse = (connection: { readonly id: string }, query: string) =>
    t.call<{ records: { id: string }[]; prev_key: string; message: string }>(
      'GET',
      `/v1/cloud_connections/${connection.id}/files?${query}`,
      {
        headers: byKey(),
      },
    );

  it("shows a folder of the gateway's, page by page, and nothing outside of its folders", async () => {
    const connection = await connectBy(t, gateway, { direction: 'cloud_to_service', source_directory_ids: ['in'] });
    await poll(t, gateway, { mounts: [ok(connection)] });
    expect((await browse(connection, 'prefix=out')).status).toBe(404);
    const page = async (query: string, next_key: string, asked: Partial<TaskOf<'browse'>>) => {
      const shown = browse(connection, query);
      const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'browse');
      expect(task).toMatchObject(asked);
      const inside = { id: 'in/a.mov', name: 'a.mov', kind: 'file', size: 5, last_modified: '2026-11-20T18:04:11.000Z' } as const;
      const outside = { id: 'etc/shadow', name: 'shadow', kind: 'file' } as const;
      expect((await answer(t, gateway, task.id, { items: [inside, outside], next_key })).status).toBe(204);
      const { status, body } = await shown;
      expect([status, body.records]).toEqual([200, [inside]]);
      return body.prev_key;
    };
    const key = await page('prefix=in&count=1', 'after a', { prefix: 'in', prev_key: '', count: 1 });
    expect(key).not.toContain('after');
    expect(await page(`prefix=in&count=1&prev_key=${key}`, '', { prefix: 'in', prev_key: 'after a', count: 1 })).toBe('');
  });

  it('says why where the gateway cannot look, and whoever answers is the one that was asked', async () => {
    const connection = await connectBy(t, gateway, { direction: 'cloud_to_service' });
    expect(await browse(connection, 'prefix=x')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('no folder for it') },
    });
    await poll(t, gateway, { mounts: [offline(connection, 'The NAS is\u202e off.')] });
    expect(await browse(connection, 'prefix=x')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('The NAS is\ufffd off') },
    });
    await poll(t, gateway, { mounts: [ok(connection)] });
    const shown = browse(connection, 'prefix=gone');
    const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'browse');
    expect((await answer(t, await putGateway(t), task.id, { items: [], next_key: '' })).status).toBe(404);
    expect((await answer(t, gateway, task.id, { steps: [{ step: 'list', ok: true, message: '' }] })).status).toBe(409);
    expect((await answer(t, gateway, task.id, { items: [], error: 'No.' })).status).toBe(400);
    expect((await answer(t, gateway, task.id, {})).status).toBe(400);
    expect((await answer(t, gateway, task.id, { error: 'There is no such folder.', not_found: true })).status).toBe(204);
    expect((await shown).status).toBe(404);
    expect((await answer(t, gateway, task.id, { items: [], next_key: '' })).status).toBe(404);
    const second = browse(connection, 'prefix=hangs');
    only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'browse');
    await t.call('DELETE', `/v1/storage_gateways/${gateway.id}`, { headers: byKey() });
    expect(await second).toMatchObject({ status: 503, body: { message: expect.stringContaining('removed') } });
  });
});

describe('a validation', () => {
  const validate = (connection: { readonly id: string }) =>
    t.call<ConnectionCheck>('POST', `/v1/cloud_connections/${connection.id}/validate`, { headers: byKey() });

  it('is done by the gateway, in the folder that packages go to', async () => {
    const connection = await connectBy(t, gateway, { target_directory_id: 'in/{package}' });
    expect((await validate(connection)).body).toMatchObject({
      ok: false,
      steps: [{ step: 'put', message: expect.stringContaining('no folder for it') }],
    });
    await poll(t, gateway, { mounts: [ok(connection)] });
    const steps = [
      { step: 'put' as const, ok: true, message: '' },
      { step: 'get' as const, ok: false, message: 'It holds other bytes.' },
    ];
    const asked = validate(connection);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'check');
    expect(task).toMatchObject({ folders: ['in'], write: true });
    const [put, get] = steps;
    await answer(t, gateway, task.id, { steps: [put!, { ...get!, message: 'It holds\u001b[2J other\nbytes.' }] });
    expect((await asked).body).toEqual({ ok: false, steps: [put, { ...get, message: 'It holds\ufffd[2J other\ufffdbytes.' }], notes: [] });
  });

  /** Validates, and reads the events until there has been such a one. */
  async function listen(connection: { readonly id: string }) {
    const events = await fetch(`${t.url}/v1/cloud_connections/${connection.id}/validate/events`, { method: 'POST', headers: byKey() });
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser();
    const heard: string[] = [];
    const hear = async (text: string): Promise<void> => {
      while (!heard.includes(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended after ${heard.join(', ')}`);
        for (const { data } of parser.push(value)) {
          const event = JSON.parse(data) as ConnectionCheckEvent;
          heard.push(event.type === 'ended' ? 'ended' : `${event.type} ${event.step}`);
        }
      }
    };
    return { heard, hear, cancel: () => reader.cancel() };
  }
  const allOk = (['put', 'list', 'get', 'delete'] as const).map((step) => ({ step, ok: true, message: '' }));

  it('tells each step as it ends, and what is told after the answer comes too late', async () => {
    const connection = await connectBy(t, gateway, { target_directory_id: '' });
    await poll(t, gateway, { mounts: [ok(connection)] });
    const { heard, hear, cancel } = await listen(connection);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'check');
    const [put, list, get, gone] = allOk;
    expect((await answer(t, gateway, task.id, { error: 'No.', more: true })).status).toBe(400);
    expect((await answer(t, gateway, task.id, { steps: [put!], more: true })).status).toBe(204);
    // Heard before the gateway has answered.
    await hear('step_ended put');
    await hear('step_began list');
    await answer(t, gateway, task.id, { steps: [put!, list!, get!], more: true });
    await hear('step_ended get');
    expect((await answer(t, gateway, task.id, { steps: [put!, list!, get!, gone!] })).status).toBe(204);
    await hear('ended');
    expect(heard).toEqual([
      ...['step_began put', 'step_ended put', 'step_began list', 'step_ended list', 'step_ended get', 'step_began delete'],
      ...['step_ended delete', 'ended'],
    ]);
    await cancel();
  });

  it('of a gateway that has told of each step and is gone then says what was told', async () => {
    const connection = await connectBy(t, gateway, { target_directory_id: '' });
    await poll(t, gateway, { mounts: [ok(connection)] });
    const { heard, hear, cancel } = await listen(connection);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'check');
    await answer(t, gateway, task.id, { steps: allOk, more: true });
    await hear('step_ended delete');
    await t.call('DELETE', `/v1/storage_gateways/${gateway.id}`, { headers: byKey() });
    await hear('ended');
    expect(heard).toEqual(['step_began put', ...allOk.map(({ step }) => `step_ended ${step}`), 'ended']);
    await cancel();
  });

  it('of one that collects writes nothing', async () => {
    const connection = await connectBy(t, gateway, { direction: 'cloud_to_service', source_directory_ids: ['in', 'more'] });
    await poll(t, gateway, { mounts: [ok(connection)] });
    const asked = validate(connection);
    const task = only(await poll(t, gateway, { mounts: [ok(connection)], wait: 30 }), 'check');
    expect(task).toMatchObject({ folders: ['in', 'more'], write: false });
    await answer(t, gateway, task.id, { error: 'The disk hangs.' });
    expect((await asked).body).toMatchObject({ ok: false, steps: [{ step: 'list', message: 'The disk hangs.' }] });
    expect((await askPoll(t, gateway, { mounts: [ok(connection)] })).body.tasks).toEqual([]);
  });
});
