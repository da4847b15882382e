import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import { type WebhookPayload, webhookEvents } from '#protocol/hosted/webhook-events.ts';
import type { CreatedWebhook, ListedWebhook, PackageDelivery, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { newId } from '#service/ids.ts';
import type { JobContext } from '#service/jobs/context.ts';
import { type JobData, jobKinds, type WebhookEvent } from '#service/jobs/kinds.ts';
import { newDelivering } from '#service/webhooks/deliver.ts';
import { newWebhookBatches, webhookJobs } from '#service/webhooks/jobs.ts';
import { newSecret } from '#service/webhooks/records.ts';
import { sealHeaders, sealSecret } from '#service/webhooks/sealed.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { hurryJobs, notedJobs, noteJobs, runBatch } from '#test/support/service/jobs.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { newSender, senderOf } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { bodyOf, startHttpServer, type TestServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';

inPairs();

interface Heard {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly payload: WebhookPayload;
}
interface Receiver extends TestServer {
  readonly heard: Heard[];
  /** Statuses to answer, one after the other; then 204. */
  readonly answers: number[];
}

let t: TestService;
let key: Record<string, string>;
const receivers: Receiver[] = [];
beforeAll(async () => {
  t = await startTestService({ allowPrivateWebhooks: true });
  key = { 'x-api-key': t.apiKey };
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(async () => {
  await t?.close();
});

async function newReceiver(): Promise<Receiver> {
  const heard: Heard[] = [];
  const answers: number[] = [];
  const server = await startHttpServer(async (request, response) => {
    const text = (await bodyOf(request)).toString();
    heard.push({ method: request.method!, headers: request.headers as Record<string, string>, text, payload: JSON.parse(text) });
    response.writeHead(answers.shift() ?? 204).end();
  });
  const receiver = { ...server, heard, answers };
  receivers.push(receiver);
  return receiver;
}

async function newWebhook(url: string, changes: object = {}): Promise<CreatedWebhook> {
  const body = { active: true, events: ['package.created', 'package.finalized'], method: 'POST', url, ...changes };
  const made = await t.call<CreatedWebhook>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, { headers: key, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body;
}
const deliveries = async (id: string) =>
  (await t.call<WebhookDelivery[]>('GET', `/v1/custom_webhooks/${id}/deliveries`, { headers: key })).body;
const isActive = async (id: string) =>
  (await t.call<ListedWebhook[]>('GET', `/v1/teams/${t.teamId}/custom_webhooks`, { headers: key })).body.find((one) => one.id === id)
    ?.active;

async function sendThrough(service: TestService, portalId: string): Promise<Package> {
  const made = await service.call<Package>('POST', `/v1/portals/${portalId}/packages`, {
    body: { name: 'Day 12', description: 'A and B', sender: 'mia@example.com' },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const sender = senderOf(service, made.body, { 'x-package-token': made.body.access_token });
  await sender.send('', 'a.txt', Buffer.from('hello'));
  const { status } = await sender.finalize();
  if (status !== 204) throw new Error(`not finalized: ${status}`);
  return made.body;
}

describe('events of a Portal', () => {
  it('reach the webhooks attached to it, as the contract has them and signed', async () => {
    const receiver = await newReceiver();
    const webhook = await newWebhook(`${receiver.url}/in?a=b`, {
      method: 'PUT',
      headers: { Authorization: 'Bearer abc' },
      body_extras: { project: 'northlight' },
    });
    const onlyFinalized = await newWebhook(`${receiver.url}/finalized`, { events: ['package.finalized'] });
    const off = await newWebhook(`${receiver.url}/off`, { active: false });
    const elsewhere = await newWebhook(`${receiver.url}/elsewhere`);
    const portal = await newPortal(t, { custom_webhooks: [webhook, onlyFinalized, off] });
    const sent = await sendThrough(t, portal.id);
    await eventually(
      'three deliveries',
      async () => (await deliveries(webhook.id)).length === 2 && (await deliveries(onlyFinalized.id)).length === 1,
    );

    expect([...receiver.requests].sort()).toEqual(['POST /finalized', 'PUT /in?a=b', 'PUT /in?a=b']);
    const of = (id: string) => receiver.heard.filter(({ payload }) => payload.custom_webhook_id === id);
    const events = new Map(of(webhook.id).map((one) => [one.payload.event_type, one]));
    const object = {
      type: 'package',
      id: sent.id,
      name: 'Day 12',
      portal_id: portal.id,
      sender: 'mia@example.com',
      created_at: sent.created_at,
    };
    for (const [type, facts] of [
      ['package.created', { size: 0, total_files: 0, state: 'new' }],
      ['package.finalized', { size: 5, total_files: 1, state: 'finalized' }],
    ] as const) {
      const { method, headers, text, payload } = events.get(type)!;
      expect(method).toBe('PUT');
      expect(headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json', 'webhook-id': payload.event_id });
      expect(new Verifier(webhook.secret).verify(text, headers)).toEqual(payload);
      expect(payload).toEqual({
        event_id: expect.any(String),
        event_time: expect.any(String),
        event_type: type,
        body_extras: { project: 'northlight' },
        object: { ...object, ...facts, updated_at: expect.any(String) },
        custom_webhook_id: webhook.id,
      });
    }
    const [another] = of(onlyFinalized.id);
    expect(another!.payload.event_id).toBe(events.get('package.finalized')!.payload.event_id);
    expect(new Verifier(onlyFinalized.secret).verify(another!.text, another!.headers)).toEqual(another!.payload);
    expect(() => new Verifier(webhook.secret).verify(another!.text, another!.headers)).toThrow();
    for (const { id } of [off, elsewhere]) expect(await deliveries(id)).toEqual([]);
    for (const row of await deliveries(webhook.id)) expect(row).toMatchObject({ attempt: 1, state: 'delivered', status: 204, error: '' });
  });
});

async function sendFromTeam(): Promise<Package> {
  const sender = await newSender(t, { name: 'Rushes' });
  await sender.send('', 'a.txt', Buffer.from('hello'));
  if ((await sender.finalize()).status !== 204) throw new Error('not finalized');
  return sender.package;
}

describe('events of the whole Team', () => {
  it('reach webhooks with that scope, of packages through a Portal or not, once each', async () => {
    const receiver = await newReceiver();
    const team = await newWebhook(`${receiver.url}/team`, { scope: 'team' });
    const attached = await newWebhook(`${receiver.url}/attached`, { scope: 'team' });
    const created = await newWebhook(`${receiver.url}/created`, { scope: 'team', events: ['package.created'] });
    const portals = await newWebhook(`${receiver.url}/portals`);
    const off = await newWebhook(`${receiver.url}/off`, { scope: 'team', active: false });
    const portal = await newPortal(t, { custom_webhooks: [attached] });
    const own = await sendFromTeam();
    const through = await sendThrough(t, portal.id);
    const told = async (id: string) => (await deliveries(id)).length;
    await eventually(
      'all deliveries',
      async () => (await told(team.id)) === 4 && (await told(attached.id)) === 4 && (await told(created.id)) === 2,
    );
    const heard = (id: string) =>
      receiver.heard
        .filter(({ payload }) => payload.custom_webhook_id === id)
        .map(({ payload: { event_type, object } }) => `${event_type} ${object.id} ${object.portal_id ?? 'none'}`)
        .sort();
    const all = [
      `package.created ${own.id} none`,
      `package.finalized ${own.id} none`,
      `package.created ${through.id} ${portal.id}`,
      `package.finalized ${through.id} ${portal.id}`,
    ].sort();
    expect(heard(team.id)).toEqual(all);
    expect(heard(attached.id)).toEqual(all);
    expect(heard(created.id)).toEqual(all.filter((one) => one.startsWith('package.created')));
    for (const { id } of [portals, off]) expect(await deliveries(id)).toEqual([]);
    const sample = receiver.heard.find(({ payload }) => payload.custom_webhook_id === team.id)!;
    expect(new Verifier(team.secret).verify(sample.text, sample.headers)).toEqual(sample.payload);
    for (const { id } of [team, attached, created]) await t.call('DELETE', `/v1/custom_webhooks/${id}`, { headers: key });
  });

  it('are nothing to webhooks of another Team, and cost a Team without such a webhook no job', async () => {
    const receiver = await newReceiver();
    const other = await addTeam(t, 'Other');
    const theirs = await newWebhook(`${receiver.url}/theirs`, { scope: 'team' });
    const { db } = t.service.services;
    await db.updateTable('custom_webhooks').set({ team_id: other }).where('id', '=', theirs.id).execute();
    await noteJobs(db);
    await sendFromTeam();
    expect(await notedJobs(db, 'webhooks.announce')).toEqual([]);
  });
});

const newEvent = (): WebhookEvent => ({
  event_id: newId(),
  event_time: new Date().toISOString(),
  event_type: 'package.created',
  object: {
    type: 'package',
    id: newId(),
    name: 'Day 12',
    portal_id: newId(),
    sender: 'mia@example.com',
    size: 0,
    state: 'new',
    total_files: 0,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
  },
});

interface Added {
  readonly name: string;
  readonly data: unknown;
  readonly startAfter: Date | undefined;
}

/** What jobs work with, at a time of the test's own, and with a queue that only writes down what is added. */
function jobContext(changes: Partial<JobContext> = {}): { readonly context: JobContext; readonly added: Added[] } {
  const added: Added[] = [];
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const context: JobContext = {
    ...t.service.services,
    log: quiet,
    signal: new AbortController().signal,
    jobs: {
      add: async (_, name, data, options) => void added.push({ name, data, startAfter: options?.startAfter }),
      addAll: async (_, name, jobs) => void added.push(...jobs.map(({ data, startAfter }) => ({ name, data, startAfter }))),
    },
    ...changes,
  };
  return { context, added };
}
const deliver = (data: JobData['webhooks.deliver'], context: JobContext) => runBatch(newDelivering('webhooks.deliver'), [data], context);

describe('an attempt', () => {
  it('that fails is retried four times with backoff, with the same id and a new signature', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(500, 404, 302, 429, 503);
    const { id, secret } = await newWebhook(receiver.url);
    const event = newEvent();
    let time = Date.now() - 3_600_000;
    const { context, added } = jobContext({ now: () => new Date(time) });
    const begun = time;
    const times: number[] = [];
    let data: JobData['webhooks.deliver'] | undefined = { webhook_id: id, attempt: 1, occasion: event };
    while (data) {
      times.push(time - begun);
      await deliver(data, context);
      const next = added.splice(0);
      expect(next.length).toBeLessThanOrEqual(1);
      data = next[0]?.data as typeof data;
      time = next[0]?.startAfter?.getTime() ?? time;
    }
    expect(times).toEqual([0, 10_000, 60_000, 600_000, 3_600_000]);
    expect(receiver.heard.map(({ headers }) => headers['webhook-id'])).toEqual(Array.from({ length: 5 }, () => event.event_id));
    expect(receiver.heard.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(
      times.map((after) => Math.floor((begun + after) / 1000)),
    );
    const last = receiver.heard.at(-1)!;
    expect(new Verifier(secret).verify(last.text, last.headers)).toEqual(last.payload);
    expect((await deliveries(id)).map(({ attempt, state, status, error }) => [attempt, state, status, error])).toEqual([
      [5, 'gave_up', 503, 'It answered 503.'],
      [4, 'failed', 429, 'It answered 429.'],
      [3, 'failed', 302, 'It answered 302; redirects are not followed.'],
      [2, 'failed', 404, 'It answered 404.'],
      [1, 'failed', 500, 'It answered 500.'],
    ]);
    expect(await isActive(id)).toBe(true);
  });

  it('that gets no answer says why', async () => {
    const receiver = await newReceiver();
    const { id } = await newWebhook(receiver.url);
    await receiver.close();
    const { context, added } = jobContext();
    await deliver({ webhook_id: id, attempt: 1, occasion: newEvent() }, context);
    expect(await deliveries(id)).toMatchObject([{ state: 'failed', status: 0, error: 'The connection was refused.' }]);
    expect(added).toHaveLength(1);
  });

  it('answered 410 turns the webhook off, and what waits for it ends', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(410);
    const { id } = await newWebhook(receiver.url);
    const { context, added } = jobContext();
    await deliver({ webhook_id: id, attempt: 1, occasion: newEvent() }, context);
    expect(await isActive(id)).toBe(false);
    await deliver({ webhook_id: id, attempt: 2, occasion: newEvent() }, context);
    expect(added).toEqual([]);
    expect(receiver.heard).toHaveLength(1);
    expect(await deliveries(id)).toMatchObject([
      { attempt: 2, state: 'gave_up', status: 0, error: 'The webhook was turned off before this attempt.' },
      { attempt: 1, state: 'gave_up', status: 410 },
    ]);
  });

  it('answered 410 does not turn off a webhook that was changed meanwhile', async () => {
    const { id } = await newWebhook('http://127.0.0.1:9/');
    const receiver = await startHttpServer(async (_, response) => {
      const body = { active: true, events: ['package.created'], method: 'POST', url: 'http://127.0.0.1:9/new' };
      await t.call('PUT', `/v1/custom_webhooks/${id}`, { headers: key, body });
      response.writeHead(410).end();
    });
    await t.service.services.db.updateTable('custom_webhooks').set({ url: receiver.url }).where('id', '=', id).execute();
    await deliver({ webhook_id: id, attempt: 1, occasion: newEvent() }, jobContext().context);
    await receiver.close();
    expect(await isActive(id)).toBe(true);
  });

  it('that is run twice counts once: nothing is sent after it is recorded, and of two concurrent ones one is recorded', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(500, 500, 500);
    const { id } = await newWebhook(receiver.url);
    const { context, added } = jobContext();
    const data = { webhook_id: id, attempt: 1, occasion: newEvent() };
    await Promise.all([deliver(data, context), deliver(data, context)]);
    const sent = receiver.heard.length;
    await deliver(data, context);
    expect(receiver.heard).toHaveLength(sent);
    expect(await deliveries(id)).toHaveLength(1);
    expect(added).toHaveLength(1);
  });

  it('is not written down when the next cannot be asked for, and is made again', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(500);
    const { id } = await newWebhook(receiver.url);
    const data = { webhook_id: id, attempt: 1, occasion: newEvent() };
    const gone = () => Promise.reject(new Error('the queue is gone'));
    const { context } = jobContext({ jobs: { add: gone, addAll: gone } });
    await expect(deliver(data, context)).rejects.toThrow('the queue is gone');
    expect(await deliveries(id)).toEqual([]);
    await deliver(data, jobContext().context);
    expect(await deliveries(id)).toMatchObject([{ attempt: 1, state: 'delivered' }]);
    expect(receiver.heard.map(({ headers }) => headers['webhook-id'])).toEqual([data.occasion.event_id, data.occasion.event_id]);
  });

  it('that the end of the service cuts off is no failed one, and is made again', async () => {
    const stopping = new AbortController();
    const silent = await startHttpServer(() => stopping.abort(new Error('stopping')));
    const { id } = await newWebhook(silent.url);
    const data = { webhook_id: id, attempt: 1, occasion: newEvent() };
    const { context, added } = jobContext({ signal: stopping.signal });
    await expect(deliver(data, context)).rejects.toThrow('stopping');
    await silent.close();
    expect([await deliveries(id), added]).toEqual([[], []]);
    const receiver = await newReceiver();
    await t.service.services.db.updateTable('custom_webhooks').set({ url: receiver.url }).where('id', '=', id).execute();
    await deliver(data, jobContext().context);
    expect(await deliveries(id)).toMatchObject([{ attempt: 1, state: 'delivered' }]);
  });

  it('of a deleted webhook is still made, until that is swept away', async () => {
    const receiver = await newReceiver();
    const { id } = await newWebhook(receiver.url);
    await t.call('DELETE', `/v1/custom_webhooks/${id}`, { headers: key });
    const { db } = t.service.services;
    const rows = () => db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id).execute();
    await deliver({ webhook_id: id, attempt: 2, occasion: newEvent() }, jobContext().context);
    expect(await rows()).toMatchObject([{ attempt: 2, state: 'delivered' }]);

    const later = (days: number) => jobContext({ now: () => new Date(Date.now() + days * 24 * 3600_000) }).context;
    await webhookJobs['webhooks.sweep']({}, later(1.9));
    expect(await rows()).toHaveLength(1);
    await webhookJobs['webhooks.sweep']({}, later(2.1));
    expect(await rows()).toEqual([]);
    await deliver({ webhook_id: id, attempt: 3, occasion: newEvent() }, jobContext().context);
    expect(receiver.heard).toHaveLength(1);
  });

  it('is shown for thirty days', async () => {
    const receiver = await newReceiver();
    const { id } = await newWebhook(receiver.url);
    await deliver({ webhook_id: id, attempt: 1, occasion: newEvent() }, jobContext().context);
    await webhookJobs['webhooks.sweep']({}, jobContext({ now: () => new Date(Date.now() + 29 * 24 * 3600_000) }).context);
    expect(await deliveries(id)).toHaveLength(1);
    await webhookJobs['webhooks.sweep']({}, jobContext({ now: () => new Date(Date.now() + 31 * 24 * 3600_000) }).context);
    expect(await deliveries(id)).toEqual([]);
    expect(await isActive(id)).toBe(true);
  });

  it('is not sent to a private address unless the operator allows it', async () => {
    const receiver = await newReceiver();
    const webhooks = [await newWebhook(receiver.url), await newWebhook(receiver.url.replace('127.0.0.1', 'localhost'))];
    const strict = await startTestService();
    try {
      const { context } = jobContext({ outbound: strict.service.services.outbound });
      for (const { id } of webhooks) {
        await deliver({ webhook_id: id, attempt: 5, occasion: newEvent() }, context);
        expect(await deliveries(id)).toMatchObject([
          { state: 'gave_up', status: 0, error: 'The address leads into a private network, which is not allowed.' },
        ]);
      }
    } finally {
      await strict.close();
    }
    expect(receiver.connections()).toBe(0);
  });
});

describe('a receiver that does not answer', () => {
  it('holds up nobody else, however much it has to hear, and hears all of it once it answers', async () => {
    const held = new Set<ServerResponse>();
    const heard: string[] = [];
    let isSilent = true;
    let cutOff = 0;
    const silent = await startHttpServer((request, response) => {
      heard.push(request.headers['webhook-id'] as string);
      if (!isSilent) return void response.writeHead(204).end();
      held.add(response);
      response.on('close', () => {
        held.delete(response);
        if (!response.writableFinished) cutOff += 1;
      });
    });
    const fast = await newReceiver();
    const [slow, other] = [await newWebhook(silent.url), await newWebhook(fast.url)];
    const { db, jobs } = t.service.services;
    // More than both services may have under way at once.
    const many = 2 * jobKinds['webhooks.deliver'].localConcurrency + 40;
    const to = ({ id }: CreatedWebhook) => ({ data: { webhook_id: id, attempt: 1, occasion: newEvent() } });
    await jobs.addAll(db, 'webhooks.deliver', [...Array.from({ length: many }, () => to(slow)), to(other)]);
    await eventually('the other hears', async () => fast.heard.length === 1);
    await eventually('it is written down', async () => (await deliveries(other.id)).length === 1);
    expect(held.size).toBeLessThanOrEqual(2 * 8);

    isSilent = false;
    for (const response of held) response.writeHead(204).end();
    await hurryJobs(db, 'webhooks.deliver');
    const made = () => db.selectFrom('webhook_deliveries').select(['attempt', 'state']).where('webhook_id', '=', slow.id).execute();
    await eventually('all are delivered', async () => {
      await hurryJobs(db, 'webhooks.deliver');
      return (await made()).filter(({ state }) => state === 'delivered').length === many;
    });
    // Whose time was up, as on a slow machine, was heard once more, and no other.
    expect([(await made()).length, heard.length, new Set(heard).size]).toEqual([many + cutOff, many + cutOff, many]);
    await silent.close();
  });
});

describe('more silent receivers than there are places', () => {
  it('hold up neither one that answers, nor a test or a replay that somebody asks for', async () => {
    const asked = new Set<unknown>();
    // Each until the service gives it up.
    const held = new Set<ServerResponse>();
    const silent = await startHttpServer((request, response) => {
      asked.add(request.headers['webhook-id']);
      held.add(response.on('close', () => held.delete(response)));
    });
    const fast = await newReceiver();
    const other = await newWebhook(fast.url);
    const { db, jobs } = t.service.services;
    const row = await db.selectFrom('custom_webhooks').selectAll().where('id', '=', other.id).executeTakeFirstOrThrow();
    const slow = Array.from({ length: 80 }, () => newId());
    // Their secrets are of another row, so they are sealed anew.
    const { seal } = t.service.services;
    await db
      .insertInto('custom_webhooks')
      .values(
        slow.map((id) => ({
          ...{ ...row, id, url: silent.url, body_extras: JSON.stringify(row.body_extras) },
          ...{ sealed_headers: sealHeaders(seal, id, {}), sealed_secret: sealSecret(seal, id, newSecret()) },
        })),
      )
      .execute();
    const to = (id: string) => ({ data: { webhook_id: id, attempt: 1, occasion: newEvent() } });
    // Eight of each at each of two services.
    const events = Array.from({ length: 16 }, () => slow.map(to)).flat();
    await jobs.addAll(db, 'webhooks.deliver', [...events, to(other.id)]);
    await eventually('the silent ones are asked', async () => asked.size > 0);
    const test = await t.call<{ event_id: string }>('POST', `/v1/custom_webhooks/${slow[0]}/test`, {
      headers: key,
      body: { event_type: 'package.created' },
    });
    expect(test.status).toBe(202);
    await eventually('the test is sent', async () => asked.has(test.body.event_id));
    await eventually('the one that answers hears', async () => fast.heard.length === 1);
    // As many at once as would have all places of both services.
    expect(held.size).toBeLessThan(2 * jobKinds['webhooks.deliver'].localConcurrency);
    await eventually('it is written down', async () => (await deliveries(other.id)).length === 1);
    const [told] = (await deliveries(other.id)) as [WebhookDelivery];
    const replayed = await t.call('POST', `/v1/custom_webhooks/${other.id}/deliveries/${told.id}/replay`, { headers: key });
    expect(replayed.status).toBe(202);
    await eventually('it hears of it again', async () => fast.heard.length === 2);
    await db.deleteFrom('custom_webhooks').where('id', 'in', slow).execute();
    await silent.close();
  });
});

describe('events that are told together', () => {
  it('have each its webhooks, and one that cannot be told of fails alone', async () => {
    const [a, b] = [await newWebhook('http://127.0.0.1:9/'), await newWebhook('http://127.0.0.1:9/', { scope: 'team' })];
    const [one, both] = [await newPortal(t, {}), await newPortal(t, { custom_webhooks: [a] })];
    const through = async (portalId: string) => {
      const { object, ...event } = newEvent();
      const path = `/v1/portals/${portalId}/packages`;
      const { body } = await t.call<Package>('POST', path, { body: { name: 'Day', description: '', sender: 'mia@example.com' } });
      return { ...event, object: { ...object, id: body.id, portal_id: portalId } } as WebhookEvent;
    };
    const [first, second] = [await through(one.id), await through(both.id)];
    const broken = { ...first, object: { ...first.object, id: 'no id' } } as WebhookEvent;
    const { context, added } = jobContext();
    await expect(runBatch(newWebhookBatches()['webhooks.announce'], [first, broken, second], context)).rejects.toThrow('no id');
    const told = added.map(({ data }) => data as JobData['webhooks.deliver']);
    expect(told.filter(({ webhook_id }) => [a.id, b.id].includes(webhook_id))).toEqual([
      { webhook_id: b.id, attempt: 1, occasion: first },
      { webhook_id: a.id, attempt: 1, occasion: second },
      { webhook_id: b.id, attempt: 1, occasion: second },
    ]);
    await t.call('DELETE', `/v1/custom_webhooks/${b.id}`, { headers: key });
  });
});

describe('trying a webhook', () => {
  const post = (path: string, body?: unknown) =>
    t.call<{ event_id: string; attempt: number; secret: string; message: string }>('POST', `/v1/custom_webhooks/${path}`, {
      headers: key,
      body,
    });
  const outcomeOf = async (id: string, { event_id, attempt }: { readonly event_id: string; readonly attempt: number }) => {
    const found = async () => (await deliveries(id)).find((one) => one.event_id === event_id && one.attempt === attempt);
    await eventually('the attempt', async () => (await found()) !== undefined);
    return (await found())!;
  };

  it('by a test sends a made-up event of each type once, signed and marked, also where it is off', async () => {
    const receiver = await newReceiver();
    const webhook = await newWebhook(`${receiver.url}/off`, { active: false, body_extras: { project: 'northlight' } });
    for (const event_type of webhookEvents) {
      const { status, body } = await post(`${webhook.id}/test`, { event_type });
      expect(status).toBe(202);
      expect(await outcomeOf(webhook.id, body)).toMatchObject({ event_type, state: 'delivered', test: true, replayable: false });
      const { text, headers } = receiver.heard.at(-1)!;
      const payload = new Verifier(webhook.secret).verify(text, headers);
      expect(payload).toMatchObject({ event_type, test: true, body_extras: { project: 'northlight' }, event_id: body.event_id });
    }
    expect(receiver.heard).toHaveLength(webhookEvents.length);
  });

  it('by a test that is refused neither tries again nor turns it off', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(410, 500);
    const webhook = await newWebhook(`${receiver.url}/gone`);
    for (const status of [410, 500]) {
      const { body } = await post(`${webhook.id}/test`, { event_type: 'package.created' });
      const outcome = await outcomeOf(webhook.id, body);
      expect(outcome).toMatchObject({ state: 'gave_up', status, test: true });
      expect((await post(`${webhook.id}/deliveries/${outcome.id}/replay`)).status).toBe(409);
    }
    expect(await isActive(webhook.id)).toBe(true);
    expect(receiver.heard).toHaveLength(2);
  });

  it('by a replay sends the same under the same id, as the next attempt, and an attempt that was due is not made twice', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(500);
    const webhook = await newWebhook(`${receiver.url}/again`, { events: ['package.created'] });
    const portal = await newPortal(t, { custom_webhooks: [webhook] });
    await sendThrough(t, portal.id);
    await eventually('the first attempt', async () => (await deliveries(webhook.id)).length === 1);
    const [failed] = (await deliveries(webhook.id)) as [WebhookDelivery];
    expect(failed).toMatchObject({ state: 'failed', attempt: 1, replayable: true, test: false });
    const { status, body } = await post(`${webhook.id}/deliveries/${failed.id}/replay`);
    expect([status, body]).toEqual([202, { event_id: failed.event_id, attempt: 2 }]);
    expect(await outcomeOf(webhook.id, body)).toMatchObject({ state: 'delivered', attempt: 2, replayable: true });
    const [first, second] = receiver.heard as [Heard, Heard];
    expect(second.text).toBe(first.text);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    // The attempt that backoff had planned finds that it was made.
    await hurryJobs(t.service.services.db, 'webhooks.deliver');
    const again = await post(`${webhook.id}/deliveries/${failed.id}/replay`);
    expect(again.body.attempt).toBe(3);
    await outcomeOf(webhook.id, again.body);
    expect(receiver.heard).toHaveLength(3);
  });

  it('by a replay wants one that is on, is its own, and whose content is kept', async () => {
    const receiver = await newReceiver();
    const webhook = await newWebhook(`${receiver.url}/kept`, { events: ['package.created'] });
    const other = await newWebhook(`${receiver.url}/other`);
    const portal = await newPortal(t, { custom_webhooks: [webhook] });
    await sendThrough(t, portal.id);
    await eventually('a delivery', async () => (await deliveries(webhook.id)).length === 1);
    const [{ id }] = (await deliveries(webhook.id)) as [WebhookDelivery];
    expect((await post(`${other.id}/deliveries/${id}/replay`)).status).toBe(404);
    const { db } = t.service.services;
    const setActive = (active: boolean) => db.updateTable('custom_webhooks').set({ active }).where('id', '=', webhook.id).execute();
    await setActive(false);
    expect((await post(`${webhook.id}/deliveries/${id}/replay`)).body.message).toContain('turned off');
    await setActive(true);
    await db.updateTable('webhook_deliveries').set({ event: null }).where('id', '=', id).execute();
    expect((await deliveries(webhook.id))[0]).toMatchObject({ replayable: false });
    expect((await post(`${webhook.id}/deliveries/${id}/replay`)).body.message).toContain('not kept');
  });

  it('with another secret signs by that one from then on', async () => {
    const receiver = await newReceiver();
    const webhook = await newWebhook(`${receiver.url}/renewed`);
    const { status, body } = await post(`${webhook.id}/secret`);
    expect([status, body.secret]).toEqual([200, expect.stringMatching(/^whsec_.{44}$/)]);
    expect(body.secret).not.toBe(webhook.secret);
    await outcomeOf(webhook.id, (await post(`${webhook.id}/test`, { event_type: 'package.created' })).body);
    const { text, headers } = receiver.heard[0]!;
    expect(new Verifier(body.secret).verify(text, headers)).toMatchObject({ test: true });
    expect(() => new Verifier(webhook.secret).verify(text, headers)).toThrow();
  });
});

describe('the deliveries of a package', () => {
  const list = (packageId: string, headers: Record<string, string> = key) =>
    t.call<PackageDelivery[]>('GET', `/v1/teams/${t.teamId}/packages/${packageId}/webhook_deliveries`, { headers });

  it('are those of all webhooks that were told of it, with the webhook and no address, and can be sent again', async () => {
    const receiver = await newReceiver();
    const [one, other] = [
      await newWebhook(`${receiver.url}/secret-part`, { scope: 'team', name: 'Slack' }),
      await newWebhook(receiver.url, { scope: 'team', events: ['package.finalized'] }),
    ];
    const sender = await newSender(t);
    await sender.finalize();
    const another = await newSender(t);
    const { id } = sender.package;
    await eventually('three deliveries', async () => (await list(id)).body.length === 3);
    const { body } = await list(id);
    expect(body.map(({ event_type, webhook }) => `${event_type} ${webhook.id}`).toSorted()).toEqual(
      [`package.created ${one.id}`, `package.finalized ${one.id}`, `package.finalized ${other.id}`].toSorted(),
    );
    const { host } = new URL(receiver.url);
    expect(body.find(({ webhook }) => webhook.id === one.id)?.webhook).toEqual({ id: one.id, name: 'Slack', host, active: true });
    expect(JSON.stringify(body)).not.toContain('secret-part');
    await eventually('one of the other package', async () => (await list(another.package.id)).body.length === 1);
    const again = body.find(({ event_type }) => event_type === 'package.created')!;
    expect((await t.call('POST', `/v1/custom_webhooks/${one.id}/deliveries/${again.id}/replay`, { headers: key })).status).toBe(202);
    await eventually('its second attempt', async () => (await list(id)).body.some(({ attempt }) => attempt === 2));
    for (const webhook of [one, other]) await t.call('DELETE', `/v1/custom_webhooks/${webhook.id}`, { headers: key });
    expect((await list(id)).body).toEqual([]);
  });

  it('are for those who manage webhooks and see the package', async () => {
    const { id } = (await newSender(t)).package;
    const as = async (role: 'integration_manager' | 'member') =>
      (await list(id, { 'x-user-token': (await addUser(t, role)).token })).status;
    // The one may manage webhooks, and does not see what another has sent.
    expect([await as('integration_manager'), await as('member')]).toEqual([404, 403]);
    expect((await list(newId())).status).toBe(404);
  });
});

describe('the next attempt', () => {
  it('is in the queue exactly when the one before is written down, and outlives the service', async () => {
    const receiver = await newReceiver();
    receiver.answers.push(500);
    const webhook = await newWebhook(receiver.url, { events: ['package.created'] });
    const portal = await newPortal(t, { custom_webhooks: [webhook] });
    const before = Date.now();
    await sendThrough(t, portal.id);
    await eventually('the first attempt', async () => (await deliveries(webhook.id)).length === 1);
    await t.stop();
    const kept = await startTestService({ dataDir: t.dataDir, databaseUrl: t.databaseUrl, allowPrivateWebhooks: true });
    try {
      const { db } = kept.service.services;
      const waiting = () =>
        sql<{ start_after: Date; data: JobData['webhooks.deliver'] }>`
          select start_after, data from jobs.job where name = 'webhooks.deliver' and data->>'webhook_id' = ${webhook.id} and state in ('created', 'retry')`.execute(
          db,
        );
      const { rows } = await waiting();
      // Unless starting took so long that it was due.
      if (rows.length > 0) {
        expect(rows).toHaveLength(1);
        expect(rows[0]!.data).toMatchObject({ webhook_id: webhook.id, attempt: 2 });
        expect(rows[0]!.start_after.getTime()).toBeGreaterThan(before + 9_000);
      }
      await hurryJobs(db, 'webhooks.deliver');
      const attempts = () =>
        db.selectFrom('webhook_deliveries').select(['attempt', 'state']).where('webhook_id', '=', webhook.id).orderBy('attempt').execute();
      await eventually('the second attempt', async () => (await attempts()).length === 2);
      expect(await attempts()).toEqual([
        { attempt: 1, state: 'failed' },
        { attempt: 2, state: 'delivered' },
      ]);
      expect(new Set(receiver.heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    } finally {
      await kept.close();
    }
  });
});
