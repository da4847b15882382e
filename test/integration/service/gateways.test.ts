import { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StorageGateway } from '#protocol/hosted/gateways.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import {
  askPoll,
  connectBy,
  connectionOf,
  offline,
  ok,
  only,
  poll,
  putGateway,
  report,
  type TaskOf,
  type TestGateway,
} from '#test/support/service/gateways.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { askTransfer, changeTransfer, listTransfers, readTransfer, sentPackage, threeFiles } from '#test/support/service/transfers.ts';
import { addTeam } from '#test/support/service/users.ts';

/** Storage gateways at the service: contract/gateways.md §1 to §5, with a gateway that is played by the test. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 2 });
});
afterAll(() => t?.close());

let gateway: TestGateway;
beforeEach(async () => {
  await t.service.services.db.deleteFrom('storage_gateways').execute();
  gateway = await putGateway(t);
});

const byKey = () => ({ 'x-api-key': t.apiKey });
const stateOf = async (connection: { readonly id: string }) => {
  const { state, state_message } = await connectionOf(t, connection);
  return [state, state_message];
};
const total = { bytes: 3_200, total_bytes: 3_200, files: 3, total_files: 3 };

describe('registering', () => {
  it('gives a token once, which asks for work, and ends with the gateway', async () => {
    const made = await t.call<StorageGateway & { access_token: string }>('POST', `/v1/teams/${t.teamId}/storage_gateways`, {
      headers: byKey(),
      body: { name: 'Machine room', platform: 'linux', version: '0.1.0' },
    });
    expect(made).toMatchObject({ status: 201, body: { state: 'offline', last_seen_at: unsetDateTime } });
    const { access_token, ...record } = made.body;
    const mine = { id: record.id, headers: { 'x-gateway-token': access_token } };
    const list = async () => (await t.call<StorageGateway[]>('GET', `/v1/teams/${t.teamId}/storage_gateways`, { headers: byKey() })).body;
    expect((await list()).find(({ id }) => id === mine.id)).toEqual(record);
    expect(await poll(t, mine, {})).toEqual({ tasks: [], cancelled: [] });
    expect((await list()).find(({ id }) => id === mine.id)).toMatchObject({
      state: 'online',
      last_seen_at: expect.not.stringMatching(unsetDateTime),
    });

    expect((await t.call('DELETE', `/v1/storage_gateways/${mine.id}`, { headers: byKey() })).status).toBe(204);
    for (const { services } of t.services) services.credentials.invalidateAll();
    expect((await askPoll(t, mine, {})).status).toBe(401);
    expect((await list()).map(({ id }) => id)).not.toContain(mine.id);
  });

  it('ends a poll that waits when the gateway is removed', async () => {
    const waiting = askPoll(t, gateway, { wait: 60 });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    expect((await t.call('DELETE', `/v1/storage_gateways/${gateway.id}`, { headers: byKey() })).status).toBe(204);
    expect((await waiting).status).toBe(401);
  });
});

const isWaiting = async ({ id }: TestGateway): Promise<boolean> => {
  const { db } = t.service.services;
  const row = await db.selectFrom('storage_gateways').select('poll_id').where('id', '=', id).executeTakeFirst();
  return (row?.poll_id ?? null) !== null;
};

describe('connections', () => {
  it('have a gateway of their own Team only, and no other provider has one', async () => {
    const foreign = await putGateway(t, await addTeam(t, 'Others'));
    for (const id of [foreign.id, newId(), 'none'])
      await expect(connectBy(t, gateway, { storage_gateway_id: id })).rejects.toThrow(/404.*storage_gateway_id/);
    const connection = await connectBy(t, gateway, { storage_gateway_id: undefined });
    expect(await stateOf(connection)).toEqual(['offline', 'No storage gateway is connected to it.']);
    const bind = (id: string) =>
      t.call('PUT', `/v1/cloud_connections/${connection.id}`, { headers: byKey(), body: { storage_gateway_id: id } });
    expect((await bind(foreign.id)).status).toBe(404);
    expect(await bind(gateway.id)).toMatchObject({ status: 200, body: { storage_gateway_id: gateway.id, state: 'offline' } });
  });

  it('are as their gateway says, and what it says of others is left out of account', async () => {
    const [first, second, third] = [await connectBy(t, gateway), await connectBy(t, gateway), await connectBy(t, gateway)];
    const other = await putGateway(t);
    const others = await connectBy(t, other);
    await poll(t, gateway, { mounts: [ok(first), offline(second, 'The disk is full.'), ok(others)] });
    expect(await stateOf(first)).toEqual(['ok', '']);
    expect(await stateOf(second)).toEqual(['offline', 'The disk is full.']);
    expect(await stateOf(third)).toEqual(['offline', expect.stringContaining('has no folder for it')]);
    expect(await stateOf(others)).toEqual(['offline', expect.stringContaining('has no folder for it')]);
    await poll(t, gateway, { mounts: [offline(first, '')] });
    expect(await stateOf(first)).toEqual(['offline', expect.stringContaining('did not say why')]);
  });

  it('go offline when the gateway asks no more, or was removed', async () => {
    const connection = await connectBy(t, gateway);
    await poll(t, gateway, { mounts: [ok(connection)] });
    await t.service.services.db
      .updateTable('storage_gateways')
      .set({ online_until: new Date(0) })
      .where('id', '=', gateway.id)
      .execute();
    await expect.poll(() => stateOf(connection), { timeout: 20_000 }).toEqual(['offline', expect.stringContaining('does not answer')]);
    await poll(t, gateway, { mounts: [ok(connection)] });
    expect(await stateOf(connection)).toEqual(['ok', '']);
    await t.call('DELETE', `/v1/storage_gateways/${gateway.id}`, { headers: byKey() });
    expect(await connectionOf(t, connection)).toMatchObject({ state: 'offline', state_message: 'No storage gateway is connected to it.' });
    expect(await connectionOf(t, connection)).not.toHaveProperty('storage_gateway_id');
  });
});

describe('a gateway whose machine has lost its power', () => {
  it('has no time left to ask again', async () => {
    const connection = await connectBy(t, gateway);
    const probes = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const broken = askPoll(t, gateway, { mounts: [ok(connection)], wait: 60 }).then(
      () => false,
      () => true,
    );
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    const own = probes.mock.calls.findIndex(([options]) => typeof options === 'object');
    // As the kernel ends the connection.
    (probes.mock.contexts[own] as Socket).destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
    probes.mockRestore();
    expect(await broken).toBe(true);
    await expect.poll(() => isWaiting(gateway)).toBe(false);
    const { body } = await t.call<StorageGateway[]>('GET', `/v1/teams/${t.teamId}/storage_gateways`, { headers: byKey() });
    expect(body.find(({ id }) => id === gateway.id)).toMatchObject({ state: 'offline' });
    await expect.poll(() => stateOf(connection)).toEqual(['offline', expect.stringContaining('does not answer')]);
  });
});

describe('a poll', () => {
  it('waits, and work wakes it in whichever process it is', async () => {
    const connection = await connectBy(t, gateway);
    const sender = await sentPackage(t, threeFiles);
    for (let turn = 0; turn < 4; turn++) {
      const waiting = poll(t, gateway, { mounts: [ok(connection)], wait: 60 });
      await expect.poll(() => isWaiting(gateway)).toBe(true);
      await expect.poll(() => stateOf(connection)).toEqual(['ok', '']);
      const made = await askTransfer(t, sender, { cloud_connection_id: connection.id });
      const task = only(await waiting, 'deliver');
      expect(task).toMatchObject({
        cloud_connection_id: connection.id,
        transfer_id: made.body.id,
        attempt: 1,
        total_bytes: 3_200,
        total_files: 3,
      });
      expect((await report(t, task, 'complete', { progress: total })).status).toBe(200);
    }
  });

  it('is answered when a newer one comes', async () => {
    const first = poll(t, gateway, { wait: 60 });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    const second = poll(t, gateway, { wait: 60 });
    expect(await first).toEqual({ tasks: [], cancelled: [] });
    expect(await poll(t, gateway, { wait: 0 })).toEqual({ tasks: [], cancelled: [] });
    expect(await second).toEqual({ tasks: [], cancelled: [] });
  });

  it('ends when its process stops, within the time that a stop takes', async () => {
    const one = await startTestService({ processes: 1 });
    try {
      const mine = await putGateway(one);
      const waiting = poll(one, mine, { wait: 60 });
      const { db } = one.service.services;
      await expect
        .poll(async () => (await db.selectFrom('storage_gateways').select('poll_id').executeTakeFirstOrThrow()).poll_id)
        .not.toBeNull();
      await one.stop();
      expect(await waiting).toEqual({ tasks: [], cancelled: [] });
    } finally {
      await one.close();
    }
  });

  it('gives tasks of its own connections alone, and two of each at most', async () => {
    const [mine, other] = [await connectBy(t, gateway), await putGateway(t)];
    const theirs = await connectBy(t, other);
    const sender = await sentPackage(t, threeFiles);
    await askTransfer(t, sender, { cloud_connection_id: theirs.id });
    for (let n = 0; n < 3; n++) await askTransfer(t, sender, { cloud_connection_id: mine.id });
    const first = await poll(t, gateway, { mounts: [ok(mine), ok(theirs)] });
    expect(first.tasks.map((task) => task.cloud_connection_id)).toEqual([mine.id, mine.id]);
    const renew = first.tasks.map(({ id }) => id);
    expect(await poll(t, gateway, { mounts: [ok(mine)], renew })).toEqual({ tasks: [], cancelled: [] });
    expect(await poll(t, other, { mounts: [ok(theirs)], renew })).toMatchObject({ tasks: [{ kind: 'deliver' }], cancelled: renew });
    // One that ends makes room for the next.
    const waiting = poll(t, gateway, { mounts: [ok(mine)], renew: renew.slice(1), wait: 60 });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    await report(t, first.tasks[0] as TaskOf<'deliver'>, 'complete', { progress: total });
    expect(only(await waiting, 'deliver')).toMatchObject({ cloud_connection_id: mine.id, attempt: 1 });
  });
});

describe('a transfer', () => {
  async function handedOut(fields: Record<string, unknown> = {}) {
    const connection = await connectBy(t, gateway, fields);
    const sender = await sentPackage(t, threeFiles, { name: 'Day 12' });
    const made = (await askTransfer(t, sender, { cloud_connection_id: connection.id })).body;
    const mounts = [ok(connection)];
    return { connection, sender, made, mounts, task: only(await poll(t, gateway, { mounts }), 'deliver') };
  }

  it('lands as with clouds, and follows what is reported, never backwards', async () => {
    const { made, task } = await handedOut({ target_directory_id: 'in/{portal}/{package}' });
    expect(task.target_directory_id).toBe('in/Day 12');
    expect(await readTransfer(t, made)).toMatchObject({ state: 'started', attempts: 1, progress: { total_bytes: 3_200, total_files: 3 } });
    await report(t, task, 'started', { progress: { bytes: 2_500, files: 1 } });
    const later = await report(t, task, 'started', { progress: { bytes: 5, files: 0 } });
    expect(later).toMatchObject({ status: 200, body: { state: 'started' } });
    expect(await readTransfer(t, made)).toMatchObject({ progress: { bytes: 2_500, files: 1 } });
    expect(await report(t, task, 'waiting', { error: 'The folder is away.' })).toMatchObject({ body: { state: 'pending' } });
    expect(await readTransfer(t, made)).toMatchObject({
      state: 'pending',
      state_message: 'The folder is away.',
      progress: { bytes: 2_500 },
    });
    expect(await report(t, task, 'complete', { progress: total, renamed: [{ from: 'a', to: 'b' }] })).toMatchObject({
      body: { state: 'complete', leased_until: unsetDateTime },
    });
    expect(await report(t, task, 'complete', { progress: total })).toMatchObject({ status: 200, body: { state: 'complete' } });
    expect(await report(t, task, 'started')).toMatchObject({ status: 409 });
    expect(await readTransfer(t, made)).toMatchObject({
      state: 'complete',
      state_message: expect.stringContaining('A file has'),
      renamed: [{ from: 'a', to: 'b' }],
      progress: total,
    });
  });

  it('of which something is missing when it is called complete has failed: it is handed out again, and ends in these words', async () => {
    const { made, task, mounts } = await handedOut();
    const few = { bytes: 3_199, files: 3 };
    const { db } = t.service.services;
    const isDue = () =>
      db
        .updateTable('cloud_transfers')
        .set({ due_at: new Date(0) })
        .where('id', '=', made.id)
        .execute();
    const missing = 'Of 3 files with 3200 bytes only 3 with 3199 have arrived.';
    expect(await report(t, task, 'complete', { progress: few })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining(missing) },
    });
    expect(await readTransfer(t, made)).toMatchObject({
      state: 'pending',
      state_message: expect.stringMatching(`${missing} It is tried again`),
      progress: { bytes: 3_199 },
    });
    // Its lease is gone at once, and it waits for its pause.
    expect(await report(t, task, 'complete', { progress: total })).toMatchObject({ status: 409 });
    expect((await poll(t, gateway, { mounts })).tasks).toEqual([]);
    await isDue();
    for (let attempt = 2; ; attempt++) {
      const [next] = (await poll(t, gateway, { mounts })).tasks;
      expect(next).toMatchObject({ kind: 'deliver', attempt });
      await report(t, next as TaskOf<'deliver'>, 'complete', { progress: few });
      const { state, error } = await readTransfer(t, made);
      if (state === 'error') {
        expect(error).toContain(missing);
        break;
      }
      await isDue();
    }
    expect((await changeTransfer(t, made, 'retry')).status).toBe(204);
    const last = only(await poll(t, gateway, { mounts }), 'deliver');
    expect(await report(t, last, 'complete', { progress: total })).toMatchObject({ body: { state: 'complete' } });
  });

  it('that fails says why, and goes on when it is taken up again', async () => {
    const { made, task, mounts } = await handedOut();
    await report(t, task, 'error', { error: 'Somebody has to make room.', progress: { bytes: 700, files: 1 } });
    expect(await readTransfer(t, made)).toMatchObject({ state: 'error', error: 'Somebody has to make room.', progress: { bytes: 700 } });
    const waiting = poll(t, gateway, { mounts, wait: 60 });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    expect((await changeTransfer(t, made, 'retry')).status).toBe(204);
    expect(only(await waiting, 'deliver')).toMatchObject({ transfer_id: made.id, attempt: 2 });
  });

  it('that is cancelled ends a poll that waits with it, and the tokens of its task', async () => {
    const { made, task, mounts, sender } = await handedOut();
    const waiting = poll(t, gateway, { mounts, wait: 60, renew: [task.id] });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    expect((await changeTransfer(t, made, 'cancel')).status).toBe(204);
    expect(await waiting).toEqual({ tasks: [], cancelled: [task.id] });
    expect(await report(t, task, 'complete', { progress: total })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('cancelled') },
    });
    for (const { services } of t.services) services.credentials.invalidateAll();
    const listed = await t.call('GET', `/v1/packages/${sender.package.id}/files`, { headers: { 'x-package-token': task.read_token } });
    expect(listed.status).toBe(401);
  });

  it('that was begun is told to be over once it is, also where its task is forgotten', async () => {
    const { made, mounts } = await handedOut();
    const other = (await handedOut()).made;
    const partial = [made.id, other.id];
    const waiting = poll(t, gateway, { mounts, wait: 60, partial });
    await expect.poll(() => isWaiting(gateway)).toBe(true);
    expect((await changeTransfer(t, made, 'cancel')).status).toBe(204);
    expect(await waiting).toEqual({ tasks: [], cancelled: [made.id] });
    // Another's is none of its own.
    expect((await poll(t, await putGateway(t), { partial: [other.id] })).cancelled).toEqual([other.id]);
  });

  it('whose package is deleted, or whose connection is, is cancelled in words', async () => {
    const first = await handedOut();
    await t.call('DELETE', `/v1/packages/${first.sender.package.id}`, { headers: first.sender.token });
    const second = await handedOut();
    await t.call('DELETE', `/v1/cloud_connections/${second.connection.id}`, { headers: byKey() });
    const renew = [first.task.id, second.task.id];
    expect(await poll(t, gateway, { renew })).toEqual({ tasks: [], cancelled: renew });
    expect(await readTransfer(t, second.made)).toMatchObject({ state: 'cancelled', state_message: 'Its connection was deleted.' });
  });

  it('that was left behind is handed out again, as another task', async () => {
    const { task, mounts, made } = await handedOut();
    expect(await poll(t, gateway, { mounts })).toEqual({ tasks: [], cancelled: [] });
    const lapse = () =>
      t.service.services.db
        .updateTable('cloud_transfers')
        .set({ due_at: new Date(0) })
        .where('id', '=', made.id)
        .execute();
    await lapse();
    // Its first holder comes back before anybody else has it.
    expect(await poll(t, gateway, { mounts, renew: [task.id] })).toEqual({ tasks: [], cancelled: [] });
    await lapse();
    expect((await report(t, task, 'started')).status).toBe(200);
    await lapse();
    const again = only(await poll(t, gateway, { mounts }), 'deliver');
    expect(again).toMatchObject({ attempt: 2, transfer_id: made.id });
    expect(again.id).not.toBe(task.id);
    expect((await report(t, task, 'started')).status).toBe(409);
    expect((await poll(t, gateway, { mounts, renew: [task.id, again.id] })).cancelled).toEqual([task.id]);
  });

  it('of a connection that is offline waits, says why, and goes on by itself', async () => {
    const connection = await connectBy(t, gateway);
    const sender = await sentPackage(t, threeFiles);
    await poll(t, gateway, { mounts: [offline(connection, 'The folder is not mounted.')] });
    const made = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    expect(made.body).toMatchObject({ state: 'pending', state_message: 'The folder is not mounted.' });
    expect((await poll(t, gateway, { mounts: [offline(connection, 'It is full.')] })).tasks).toEqual([]);
    expect(await readTransfer(t, made.body)).toMatchObject({ state: 'pending', state_message: 'It is full.' });
    only(await poll(t, gateway, { mounts: [ok(connection)] }), 'deliver');
    expect(await readTransfer(t, made.body)).toMatchObject({ state: 'started', state_message: '' });
    // Its gateway leaves it behind, and is gone.
    const { db } = t.service.services;
    await db
      .updateTable('cloud_transfers')
      .set({ due_at: new Date(0) })
      .where('id', '=', made.body.id)
      .execute();
    await db
      .updateTable('storage_gateways')
      .set({ online_until: new Date(0) })
      .where('id', '=', gateway.id)
      .execute();
    await expect
      .poll(() => readTransfer(t, made.body), { timeout: 20_000 })
      .toMatchObject({ state: 'pending', state_message: expect.stringContaining('does not answer') });
    expect(only(await poll(t, gateway, { mounts: [ok(connection)] }), 'deliver')).toMatchObject({ transfer_id: made.body.id });
  });

  it('is over at once where there is nothing to deliver', async () => {
    const connection = await connectBy(t, gateway);
    const sender = await sentPackage(t, {});
    const made = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    expect((await poll(t, gateway, { mounts: [ok(connection)] })).tasks).toEqual([]);
    expect(await readTransfer(t, made.body)).toMatchObject({ state: 'complete', state_message: 'The package holds no files.' });
  });
});

it('lists transfers of gateways among the others', async () => {
  const connection = await connectBy(t, gateway);
  const sender = await sentPackage(t, threeFiles);
  await askTransfer(t, sender, { cloud_connection_id: connection.id });
  expect(await listTransfers(t, (sender.package as Package).id, sender.token)).toMatchObject([
    { provider: 'storage_gateway', state: 'pending' },
  ]);
});
