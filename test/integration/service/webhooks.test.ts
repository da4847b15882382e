import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedWebhook, ListedWebhook, Webhook, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { limits } from '#protocol/limits.ts';
import { newId } from '#service/ids.ts';
import { openSecret } from '#service/webhooks/sealed.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
let key: Record<string, string>;
beforeAll(async () => {
  t = await startTestService();
  key = { 'x-api-key': t.apiKey };
});
afterAll(async () => {
  await t?.close();
});

// An address of the public network that is never called here, so that no name has to be resolved.
const url = 'https://93.184.216.34/hook';
const request = { active: true, events: ['package.created', 'package.finalized'], method: 'POST', url };
/** What an answer has where the request leaves it out. */
const usual = { scope: 'portals' };
const create = (changes: object = {}, headers = key) =>
  t.call<CreatedWebhook & { message: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
    headers,
    body: { ...request, ...changes },
  });
const list = (headers = key) => t.call<ListedWebhook[]>('GET', `/v1/teams/${t.teamId}/custom_webhooks`, { headers });
const listed = async (id: string) => (await list()).body.find((one) => one.id === id);
const update = (id: string, body: object, headers = key) =>
  t.call<Webhook & { message: string }>('PUT', `/v1/custom_webhooks/${id}`, { headers, body });
const remove = (id: string, headers = key) => t.call('DELETE', `/v1/custom_webhooks/${id}`, { headers });
const deliveries = (id: string, headers = key) => t.call<WebhookDelivery[]>('GET', `/v1/custom_webhooks/${id}/deliveries`, { headers });

describe('webhooks', () => {
  it('are made with a secret that is shown once, and kept sealed like their headers', async () => {
    const headers = { Authorization: 'Bearer hidden-token' };
    const created = await create({ name: 'Ingest', headers, body_extras: { project: 'northlight · ü' }, colour: 'red' });
    const { id, secret, ...facts } = created.body;
    expect(created.status).toBe(201);
    expect(facts).toEqual({ ...usual, ...request, name: 'Ingest', headers, body_extras: { project: 'northlight · ü' } });
    expect(Buffer.from(/^whsec_(.{44})$/.exec(secret)![1]!, 'base64')).toHaveLength(32);
    expect(await listed(id)).toEqual({ id, ...facts, connections: 0 });
    const row = await t.service.services.db.selectFrom('custom_webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const stored = Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)));
    for (const text of stored) for (const hidden of ['hidden-token', secret, secret.slice(6)]) expect(text).not.toContain(hidden);
    const again = JSON.stringify([await list(), await update(id, request)]);
    for (const hidden of ['whsec_', secret.slice(6)]) expect(again).not.toContain(hidden);
    expect((await create()).body.secret).not.toBe(secret);
  });

  it('have another secret at another address, shown once', async () => {
    const { id, secret } = (await create({ name: 'Ingest' })).body;
    const sealed = async () =>
      openSecret(
        t.service.services.seal,
        await t.service.services.db.selectFrom('custom_webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      );
    expect((await update(id, { ...request, name: 'Renamed', active: false })).body).not.toHaveProperty('secret');
    expect(await sealed()).toBe(secret);
    for (const url of ['https://mine.example.org/', 'https://mine.example.org/other', request.url]) {
      const before = await sealed();
      const { body } = await update(id, { ...request, url });
      expect((body as { secret?: string }).secret).toMatch(/^whsec_.{44}$/);
      expect(await sealed()).toBe((body as { secret?: string }).secret);
      expect(await sealed()).not.toBe(before);
    }
    expect(JSON.stringify(await list())).not.toContain('whsec_');
  });

  it('hear of the packages of their Portals, or of all of the Team', async () => {
    const { id, scope } = (await create({ scope: 'team' })).body;
    expect([scope, (await listed(id))?.scope]).toEqual(['team', 'team']);
    expect((await update(id, { ...request, scope: 'team' })).body.scope).toBe('team');
    // The body is the whole of it.
    expect((await update(id, request)).body.scope).toBe('portals');
    expect((await update(id, { ...request, scope: 'all' })).body.message).toContain('The field scope must be one of portals, team');
  });

  it('are replaced whole by an update', async () => {
    const { id } = (await create({ name: 'Ingest', headers: { A: 'b' }, body_extras: { c: 'd' } })).body;
    const changed = { active: false, events: ['package.created'], method: 'PUT', url: 'http://[2606:4700::1]:8080/' };
    const expected = { id, ...usual, ...changed, name: '', headers: {}, body_extras: {} };
    expect(await update(id, changed)).toMatchObject({ status: 200, body: expected });
    expect(await listed(id)).toEqual({ ...expected, connections: 0 });
  });

  it('name what is wrong with them, and change nothing', async () => {
    const { id } = (await create({ name: 'As it was', headers: { A: 'b' } })).body;
    const before = await list();
    const wrong: [changes: object, detail: string][] = [
      [{ url: 'ftp://example.com/' }, 'The field url must begin with https:// or http://.'],
      [{ url: 'https://' }, 'url: this is not an address'],
      [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'The field url must have at most 2048 characters'],
      [{ url: 'https://mia:pw@example.com/' }, 'url: put credentials in headers'],
      [{ url: 7 }, 'The field url must be of type string'],
      [{ method: 'GET' }, 'The field method must be one of POST, PUT'],
      [{ events: [] }, 'The field events must not be empty'],
      [{ events: ['package.deleted'] }, 'The field events[0] must be one of'],
      [{ events: ['package.created', 'package.created'] }, 'The field events'],
      [{ active: 'yes' }, 'The field active must be of type boolean'],
      [{ active: undefined }, 'The field active is missing'],
      [{ headers: { 'X-A': 'one\r\nX-Evil: two' } }, 'headers: the value of "X-A" must be one line'],
      [{ headers: { 'X-A': 'one\nHost: evil' } }, 'headers: the value of "X-A" must be one line'],
      [{ headers: { 'X A': 'b' } }, 'headers: "X A" is not a header'],
      [{ headers: { Host: 'evil.example.com' } }, 'headers: "Host" is set by the service itself'],
      [{ headers: { 'webhook-signature': 'v1,x' } }, 'headers: "webhook-signature" is set by the service itself'],
      [{ headers: { A: 7 } }, 'The field headers.A must be of type string'],
      [{ headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`H${i}`, ''])) }, 'The field headers'],
      [{ body_extras: { ['x'.repeat(129)]: 'a' } }, 'The field body_extras has a name that is too long or empty: "xxx'],
      [{ body_extras: { '': 'a' } }, 'The field body_extras has a name that is too long or empty: ""'],
      [{ body_extras: { a: 1 } }, 'The field body_extras.a must be of type string'],
      [{ body_extras: { a: { b: 'c' } } }, 'The field body_extras.a must be of type string'],
      [{ body_extras: { a: 'x'.repeat(limits.textLength + 1) } }, 'The field body_extras.a must have at most'],
      [{ body_extras: { a: 'b\0' } }, 'The field body_extras.a must not contain NUL'],
      [{ body_extras: { a: '\ud800' } }, 'The field body_extras.a is not well-formed'],
      [{ name: '' }, 'The field name must not be empty'],
      [{ name: 'a\0b' }, 'NUL'],
    ];
    for (const [changes, detail] of wrong) {
      for (const answer of [await create(changes), await update(id, { ...request, ...changes })]) {
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(detail)]);
      }
    }
    expect((await list()).body).toEqual(before.body);
  });

  it('go to no private address', async () => {
    const { id } = (await create()).body;
    const hosts = [
      '169.254.169.254',
      '127.0.0.1',
      '2130706433',
      'localhost',
      'LOCALHOST.',
      '10.1.2.3:8080',
      '192.168.0.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[fe80::1]',
      '[fd00::1]',
    ];
    for (const host of hosts) {
      for (const answer of [
        await create({ url: `http://${host}/latest/meta-data/` }),
        await update(id, { ...request, url: `http://${host}/` }),
      ]) {
        expect([host, answer.status, answer.body.message]).toEqual([
          host,
          400,
          expect.stringContaining('url: this address leads into a private network'),
        ]);
      }
    }
    expect((await listed(id))?.url).toBe(url);
    // A name that does not resolve yet is checked when it is called.
    expect((await create({ url: 'https://nowhere.invalid/' })).status).toBe(201);
  });

  it('whose address has become private can be turned off', async () => {
    const { id } = (await create()).body;
    const { db } = t.service.services;
    await db.updateTable('custom_webhooks').set({ url: 'http://10.0.0.1/' }).where('id', '=', id).execute();
    expect((await update(id, { ...request, url: 'http://10.0.0.1/' })).status).toBe(400);
    expect((await update(id, { ...request, url: 'http://10.0.0.1/', active: false })).status).toBe(200);
    expect((await update(id, { ...request, url: 'http://10.0.0.2/', active: false })).status).toBe(400);
  });

  it('are counted by the Portals they are attached to, and deleted from them', async () => {
    const [one, two] = [(await create()).body, (await create()).body];
    const portals = [await newPortal(t, { custom_webhooks: [one, two] }), await newPortal(t, { custom_webhooks: [one] })];
    expect([(await listed(one.id))?.connections, (await listed(two.id))?.connections]).toEqual([2, 1]);
    expect((await remove(one.id)).status).toBe(204);
    for (const answer of [await update(one.id, request), await remove(one.id), await deliveries(one.id)]) {
      expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('no webhook') } });
    }
    expect(await listed(one.id)).toBeUndefined();
    for (const [index, rest] of [[{ id: two.id }], []].entries()) {
      const { body } = await t.call<{ custom_webhooks: unknown }>('GET', `/v1/portals/${portals[index]!.id}`, { headers: key });
      expect(body.custom_webhooks).toEqual(rest);
    }
    expect(
      (await t.call('PUT', `/v1/portals/${portals[1]!.id}`, { headers: key, body: { custom_webhooks: [{ id: one.id }] } })).status,
    ).toBe(404);
  });

  it('show their last attempts, newest first', async () => {
    const [{ id }, other] = [(await create()).body, (await create()).body];
    expect(await deliveries(id)).toMatchObject({ status: 200, body: [] });
    const { db } = t.service.services;
    const rows = Array.from({ length: limits.webhookDeliveriesListed + 5 }, (_, n) => ({
      id: newId(),
      webhook_id: id,
      event_id: newId(),
      event_type: 'package.created' as const,
      attempt: 1,
      state: 'failed' as const,
      status: n,
      error: 'It answered.',
      milliseconds: n,
      created_at: new Date(1_000 * n),
    }));
    await db
      .insertInto('webhook_deliveries')
      .values([...rows, { ...rows[0]!, id: newId(), webhook_id: other.id }])
      .execute();
    const { body } = await deliveries(id);
    expect(body.map((one) => one.id)).toEqual(
      rows
        .map((one) => one.id)
        .reverse()
        .slice(0, limits.webhookDeliveriesListed),
    );
    const { webhook_id: _, ...facts } = rows.at(-1)!;
    expect(body[0]).toEqual({ ...facts, test: false, replayable: false, created_at: facts.created_at.toISOString() });
  });

  it('are those of a Team, for those who manage its integrations', async () => {
    const { id } = (await create()).body;
    const stranger = { 'x-user-token': (await addUser(t, 'owner', await addTeam(t, 'Other'))).token };
    for (const answer of [
      await update(id, request, stranger),
      await remove(id, stranger),
      await deliveries(id, stranger),
      await remove(newId()),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('no webhook') } });
    }
    expect((await list(stranger)).status).toBe(404);
    expect((await create({}, stranger)).status).toBe(404);
    for (const [role, status] of [
      ['integration_manager', 200],
      ['admin', 200],
      ['member', 403],
      ['guest', 403],
    ] as const) {
      const headers = { 'x-user-token': (await addUser(t, role)).token };
      expect((await list(headers)).status).toBe(status);
      expect((await deliveries(id, headers)).status).toBe(status);
      expect((await create({}, headers)).status).toBe(status === 200 ? 201 : status);
    }
    expect(await listed(id)).toMatchObject({ active: true });
  });

  it('are limited in number for each Team', async () => {
    const { db } = t.service.services;
    const { id: template } = (await create()).body;
    const row = await db.selectFrom('custom_webhooks').selectAll().where('id', '=', template).executeTakeFirstOrThrow();
    const missing = limits.webhooksPerTeam - (await list()).body.length;
    const rows = Array.from({ length: missing }, () => ({ ...row, id: newId(), name: 'Filler', body_extras: '{}' }));
    await db.insertInto('custom_webhooks').values(rows).execute();
    const answer = await create();
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('at most 1000 webhooks')]);
  });
});
