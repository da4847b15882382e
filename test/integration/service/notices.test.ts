import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { ownerEmail } from '#test/support/service/owner.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

let server: TestMailServer;
let t: TestService;
beforeAll(async () => {
  server = await startMailServer();
  t = await startTestService({
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    mailFrom: 'files@harbour.example',
    publicUrl: 'https://files.harbour.example',
    allowPrivateWebhooks: true,
  });
});
afterAll(async () => {
  await t?.close();
  await server?.close();
});
afterEach(() => {
  server.answer = () => null;
  server.received.length = 0;
});

const day = 24 * 3_600_000;

async function sent(fields: Record<string, unknown>): Promise<Sender> {
  const sender = await newSender(t, fields);
  await sender.send('', 'a.txt', Buffer.from('hello'));
  await sender.send('', 'b.txt', Buffer.from('hello'));
  expect((await sender.finalize()).status).toBe(204);
  return sender;
}

/** Everything that a link offers, with a token of its own. */
async function download(sender: Sender, email: string): Promise<void> {
  const link = (await sender.links()).find((one) => one.email === email)!;
  const opened = await openLink(t, link);
  const headers = { 'x-package-token': opened.body.package_token };
  const { body: files } = await t.call<{ id: string; kind: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers });
  for (const file of files.filter(({ kind }) => kind === 'file')) {
    expect((await t.call('GET', `/v1/packages/${sender.package.id}/files/${file.id}/download`, { headers })).status).toBe(200);
  }
}

const noticesOf = (id: string) =>
  t.service.services.db
    .selectFrom('notices')
    .select(['kind', 'told_at', 'reason'])
    .where('package_id', '=', id)
    .orderBy('created_at')
    .execute();
const mails = (subject: RegExp) =>
  server.received
    .map(({ to, content }) => ({ to: to[0]!, ...parseMail(content) }))
    .filter(({ headers }) => subject.test(headers.get('subject')!));
const at = (time: Date) => runJob(t.service.services, 'notices.tell', {}, { instead: { now: () => time } });

describe('who has sent a package', () => {
  it('is told of the first download by each link, not of each file, nor of each opening', async () => {
    const sender = await sent({ name: 'Day 12', recipients: ['a@x.org', 'b@x.org'], notify: ['downloaded'] });
    await download(sender, 'a@x.org');
    await download(sender, 'a@x.org');
    await expect.poll(() => mails(/downloaded/).length).toBe(1);
    await download(sender, 'b@x.org');
    await expect.poll(() => mails(/downloaded/).length).toBe(2);
    const [first] = mails(/^a@x.org downloaded “Day 12”$/);
    expect(first!.to).toBe(ownerEmail);
    expect(first!.text).toContain(`https://files.harbour.example/t/${t.teamId}/packages/${sender.package.id}`);
    expect(await noticesOf(sender.package.id)).toHaveLength(2);
  });

  it('is told nothing that was not chosen, and what the Team has chosen where they say nothing', async () => {
    const quiet = await sent({ recipients: ['a@x.org'], notify: [] });
    await download(quiet, 'a@x.org');
    expect(await noticesOf(quiet.package.id)).toEqual([]);
    const key = { 'x-api-key': t.apiKey };
    await t.call('PUT', `/v1/teams/${t.teamId}`, { headers: key, body: { notify_default: ['downloaded', 'failed'] } });
    const sender = await sent({ recipients: ['a@x.org'] });
    expect(sender.package.notify).toEqual(['downloaded', 'failed']);
    const changed = await t.call<Package>('PUT', `/v1/packages/${sender.package.id}`, {
      headers: sender.token,
      body: { name: 'Dailies', notify: ['expires'] },
    });
    expect(changed.body.notify).toEqual(['expires']);
    await download(sender, 'a@x.org');
    expect(await noticesOf(sender.package.id)).toEqual([]);
    await t.call('PUT', `/v1/teams/${t.teamId}`, { headers: key, body: { notify_default: [] } });
  });

  it('is told a day before it expires, once for each expiry, and not of what was deleted', async () => {
    const sender = await sent({ name: 'Soon', recipients: [], notify: ['expires'] });
    const gone = await sent({ name: 'Gone', recipients: [], notify: ['expires'] });
    const short = await sent({ name: 'Short', recipients: [], notify: ['expires'] });
    const expiryOf = async (one: Sender) =>
      new Date((await t.call<Package>('GET', `/v1/packages/${one.package.id}`, { headers: one.token })).body.expiry);
    const setExpiry = (one: Sender, expiry: Date) =>
      t.call('PUT', `/v1/packages/${one.package.id}/expiry`, { headers: one.token, body: { expiry: expiry.toISOString() } });
    await setExpiry(short, new Date(Date.now() + day / 2));
    expect((await t.call('DELETE', `/v1/packages/${gone.package.id}`, { headers: gone.token })).status).toBe(204);
    const expiry = await expiryOf(sender);
    await at(new Date(expiry.getTime() - day - 1_000));
    expect(await noticesOf(sender.package.id)).toEqual([]);
    for (const _ of [1, 2]) await at(new Date(expiry.getTime() - day));
    expect(await noticesOf(sender.package.id)).toMatchObject([{ kind: 'expires', told_at: expect.any(Date) }]);
    expect([...(await noticesOf(gone.package.id)), ...(await noticesOf(short.package.id))]).toEqual([]);
    const later = new Date(expiry.getTime() + 3 * day);
    await setExpiry(sender, later);
    await at(new Date(expiry.getTime() - day + 60_000));
    expect(await noticesOf(sender.package.id)).toHaveLength(1);
    await at(new Date(later.getTime() - day));
    expect(await noticesOf(sender.package.id)).toHaveLength(2);
  });

  it('is told that the mail with a link could not be delivered, and why', async () => {
    server.answer = (recipient) => (recipient === 'gone@x.org' ? { code: 550, text: 'No such <b>mailbox</b>' } : null);
    await sent({ name: 'Lost', recipients: ['gone@x.org'], notify: ['failed'] });
    await expect.poll(() => mails(/Lost” failed/)).toMatchObject([{ to: ownerEmail }]);
    const [mail] = mails(/Lost” failed/);
    expect(mail!.text).toContain('The mail with the link for gone@x.org could not be delivered.');
    expect(mail!.text).toContain('No such <b>mailbox</b>');
    expect(mail!.html).not.toContain('<b>');
  });

  it('turns it off by the address in the mail, for this package alone', async () => {
    const sender = await sent({ name: 'Loud', recipients: ['a@x.org', 'b@x.org'], notify: ['downloaded'] });
    await download(sender, 'a@x.org');
    await expect.poll(() => mails(/downloaded “Loud”/).length).toBe(1);
    const { headers } = mails(/downloaded “Loud”/)[0]!;
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const { pathname, search } = new URL(headers.get('list-unsubscribe')!.slice(1, -1));
    const stop = (path: string) =>
      fetch(`${t.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    expect((await stop(`${pathname}${search}x`)).status).toBe(404);
    expect((await stop(pathname + search)).status).toBe(204);
    // No other endpoint takes a form.
    expect((await stop('/v1/auth')).status).toBe(415);
    await download(sender, 'b@x.org');
    await expect.poll(() => noticesOf(sender.package.id)).toMatchObject([{}, { told_at: expect.any(Date) }]);
    const told = await t.service.services.db
      .selectFrom('messages')
      .innerJoin('notices', 'notices.id', 'messages.notice_id')
      .select('messages.id')
      .where('notices.package_id', '=', sender.package.id)
      .execute();
    expect(told).toHaveLength(1);
  });

  it('turns it off by hand on a page, and on again', async () => {
    const sender = await sent({ name: 'By hand', recipients: ['a@x.org', 'b@x.org'], notify: ['downloaded'] });
    await download(sender, 'a@x.org');
    await expect.poll(() => mails(/downloaded “By hand”/).length).toBe(1);
    const { headers, text, html } = mails(/downloaded “By hand”/)[0]!;
    const [, id, token] = /\/unsubscribe#([\w-]+)\.([\w-]+)/.exec(text)!;
    expect(html).toContain(`/unsubscribe#${id}.${token}"`);
    const call = (method: string, path = '') => t.call(method, `/v1/notices/${id}${path}?token=${token}`);
    const open = { package_name: 'By hand', email: ownerEmail };
    expect((await call('GET')).body).toEqual({ ...open, stopped: false });
    for (const _ of [1, 2]) expect((await call('POST', '/stop')).status).toBe(204);
    expect((await call('GET')).body).toEqual({ ...open, stopped: true });
    for (const _ of [1, 2]) expect((await call('POST', '/resume')).status).toBe(204);
    expect((await call('GET')).body).toEqual({ ...open, stopped: false });
    await download(sender, 'b@x.org');
    await expect.poll(() => mails(/downloaded “By hand”/).length).toBe(2);

    // Programs that know no one-click unsubscribing open the header's address; that alone turns nothing off.
    const { pathname, search } = new URL(headers.get('list-unsubscribe')!.slice(1, -1));
    const opened = await fetch(`${t.url}${pathname}${search}`, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining(`/unsubscribe#${id}.${token}`)]);
    expect((await call('GET')).body).toEqual({ ...open, stopped: false });
    for (const path of ['', '/stop', '/resume']) {
      const wrong = await t.call(path === '' ? 'GET' : 'POST', `/v1/notices/${id}${path}?token=${token}x`);
      expect(wrong.status).toBe(404);
    }

    // However late they do it.
    const { db } = t.service.services;
    await db
      .updateTable('messages')
      .set({ created_at: new Date('2026-01-01') })
      .where('id', '=', id!)
      .execute();
    await runJob(t.service.services, 'accounts.sweep', {});
    expect((await call('POST', '/stop')).status).toBe(204);
    expect((await call('GET')).body).toEqual({ ...open, stopped: true });
  });
});

describe('a webhook', () => {
  it('hears what happens to packages, whatever their senders have chosen', async () => {
    const all: WebhookPayload[] = [];
    const receiver = await startHttpServer(async (request, response) => {
      all.push(JSON.parse((await bodyOf(request)).toString()) as WebhookPayload);
      response.writeHead(204).end();
    });
    try {
      const events = ['package.downloaded', 'package.expires', 'package.failed'];
      const { body: webhook } = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
        headers: { 'x-api-key': t.apiKey },
        body: { active: true, events, method: 'POST', url: receiver.url, scope: 'team' },
      });
      server.answer = (recipient) => (recipient === 'gone@x.org' ? { code: 550, text: 'No such mailbox' } : null);
      const sender = await sent({ name: 'Heard', recipients: ['a@x.org', 'gone@x.org'], notify: [] });
      // Other packages are told to expire, too.
      const heard = () => all.filter(({ object }) => object.id === sender.package.id);
      await expect.poll(() => heard().length).toBe(1);
      await download(sender, 'a@x.org');
      await expect.poll(() => heard().length).toBe(2);
      const { body } = await t.call<Package>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token });
      await at(new Date(Date.parse(body.expiry) - day));
      await expect.poll(() => heard().length).toBe(3);
      const common = { type: 'package', id: sender.package.id, name: 'Heard', state: 'finalized', expiry: body.expiry };
      expect(heard().map(({ event_type }) => event_type)).toEqual(['package.failed', 'package.downloaded', 'package.expires']);
      expect(heard()[0]!.object).toMatchObject({ ...common, failure: { reason: expect.stringContaining('No such mailbox') } });
      expect(heard()[1]!.object).toMatchObject({ ...common, link: { email: 'a@x.org' } });
      expect(heard()[2]!.object).toMatchObject(common);
      expect(mails(/(downloaded|expires|failed).*Heard|Heard.*(downloaded|expires|failed)/)).toEqual([]);
      await t.call('DELETE', `/v1/custom_webhooks/${webhook.id}`, { headers: { 'x-api-key': t.apiKey } });
    } finally {
      await receiver.close();
    }
  });
});
