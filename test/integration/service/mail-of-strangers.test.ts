import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { askForm, askPortalPackage, askResponse, formField, newPortal } from '#test/support/service/portals.ts';
import { newSender, senderOf } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';

const lure = 'You have won! Claim it at www.evil.example/prize now';

let server: TestMailServer;
let t: TestService;
const start = Date.now();
let offset = 0;
beforeAll(async () => {
  server = await startMailServer();
  t = await startTestService({
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    mailFrom: 'files@harbour.example',
    trustProxy: 'loopback',
    now: () => new Date(start + offset),
    limits: { senders: { packagesPerHour: 20, announcementsPerDay: 30, mailsPerRecipientAndDay: 12, receiptsPerAddressAndDay: 5 } },
  });
});
afterAll(async () => {
  await t?.close();
  await server?.close();
});
beforeEach(() => {
  server.received.length = 0;
});

const from = (address: string) => ({ 'x-forwarded-for': address });

const begin = (portalId: string, address: string, sender: string) =>
  askPortalPackage(t, portalId, { name: lure, description: lure, sender }, from(address));

/** Sends a package through a Portal, with a file or none. Gives its id. */
async function send(portalId: string, address: string, victim: string, withFile = true): Promise<string> {
  const { body, status } = await begin(portalId, address, victim);
  expect(status).toBe(201);
  const sender = senderOf(t, body, { 'x-package-token': body.access_token, ...from(address) });
  if (withFile) await sender.send('', 'a.txt', Buffer.from('hello'));
  expect((await sender.finalize()).status).toBe(204);
  return body.id;
}

const jobsAreDone = () =>
  eventually('all jobs are done', async () => {
    const { rows } = await sql`select 1 from jobs.job where name like 'mail.%' and state in ('created', 'retry', 'active')`.execute(
      t.service.services.db,
    );
    return rows.length === 0;
  });

/** The messages of packages, once there is nothing more to do for them. */
async function messagesOf(packageIds: readonly string[]) {
  await jobsAreDone();
  const { db } = t.service.services;
  return await db.selectFrom('messages').selectAll().where('package_id', 'in', packageIds).orderBy('id').execute();
}

const sent = async (ids: readonly string[], kind: string) =>
  (await messagesOf(ids)).filter((message) => message.kind === kind && message.state === 'sent').length;

describe('a stranger who sends through a Portal', () => {
  it('makes few receipts for an address that is not theirs, and writes none of their words', async () => {
    const { id } = await newPortal(t, { name: 'Northlight', recipients: ['post@harbour.example'] });
    const ids = [];
    for (let n = 0; n < 20; n++) ids.push(await send(id, '198.51.100.1', n % 2 === 0 ? 'victim@x.example' : 'Victim@X.example'));
    const messages = await messagesOf(ids);
    expect(messages.filter(({ kind, state }) => kind === 'receipt' && state === 'sent')).toHaveLength(5);
    expect(messages.filter(({ kind, state }) => kind === 'link' && state === 'sent')).toHaveLength(12);
    const held = messages.filter(({ state }) => state === 'withdrawn');
    expect(held).toHaveLength(23);
    for (const { last_error: reason } of held) expect(reason).toMatch(/^Held back: /);
    const receipts = server.received.filter(({ to }) => to.join().toLowerCase() === 'victim@x.example');
    expect(receipts).toHaveLength(5);
    for (const { content } of receipts) {
      const mail = parseMail(content);
      expect(mail.headers.get('subject')).toBe('Your upload to Northlight has arrived');
      expect(mail.text + mail.html).not.toMatch(/won|prize|evil|Claim|victim/i);
    }
    const [told] = server.received.filter(({ to }) => to.includes('post@harbour.example'));
    // The Team reads what the sender wrote, and no mail program makes a link of it.
    const { html, text } = parseMail(told!.content);
    expect(text).toContain(lure);
    expect(html.slice(html.indexOf('<body'))).not.toMatch(/www\.evil|evil\.example/);
    expect(html).toContain('www<span>.</span>evil<span>.</span>example/prize');
  });

  it('is limited in packages per hour, by /64 network and Portal', async () => {
    const [{ id }, other] = [await newPortal(t), await newPortal(t)];
    for (let n = 0; n < 20; n++) expect((await begin(id, `2001:db8::${n}`, 'a@x.example')).status).toBe(201);
    const refused = await begin(id, '2001:db8::ffff', 'a@x.example');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '180']);
    expect((await begin(id, '2001:db8:1::1', 'a@x.example')).status).toBe(201);
    expect((await begin(other.id, '2001:db8::1', 'a@x.example')).status).toBe(201);
    offset += 180_000;
    expect((await begin(id, '2001:db8::1', 'a@x.example')).status).toBe(201);
    expect((await begin(id, '2001:db8::1', 'a@x.example')).status).toBe(429);
  });

  it('answers forms twice as often, before there is a package; who has an account is not counted', async () => {
    const { id } = await newPortal(t);
    expect((await askForm(t, id, { fields: [formField('camera')] })).status).toBe(201);
    const answer = (address: string, credential: Record<string, string> = { 'x-access-code': 'any' }) =>
      askResponse(t, id, { camera: { value: 'A' } }, { ...credential, ...from(address) });
    for (let n = 0; n < 40; n++) expect((await answer(`2001:db8:7:7::${n}`)).status).toBe(201);
    expect(await answer('2001:db8:7:7::41')).toMatchObject({ status: 429, body: { message: expect.stringContaining('90 s') } });
    expect((await answer('2001:db8:7:8::1')).status).toBe(201);
    expect((await answer('2001:db8:7:7::42', { 'x-api-key': t.apiKey })).status).toBe(201);
    const { rows } = await sql<{ kept: number }>`select count(*) as kept from form_responses where portal_id = ${id}`.execute(
      t.service.services.db,
    );
    expect(rows).toEqual([{ kept: 42 }]);
  });

  it('still creates packages over the limit of mail, which is held back', async () => {
    const { id } = await newPortal(t, { recipients: ['dailies@harbour.example'] });
    const ids = [];
    for (let n = 0; n < 32; n++) {
      offset += 180_000;
      ids.push(await send(id, '198.51.100.2', `somebody-${n}@x.example`));
    }
    const messages = await messagesOf(ids);
    // 30, and one that ran out in the 93 minutes that it took.
    expect(messages.filter(({ kind, state }) => kind === 'receipt' && state === 'sent')).toHaveLength(31);
    offset += 180_000;
    const more = [];
    for (let n = 0; n < 5; n++) more.push(await send(id, '198.51.100.2', `another-${n}@x.example`));
    expect(await sent(more, 'receipt')).toBeLessThan(5);
    expect(await sent([await send(id, '198.51.100.3', 'last@x.example')], 'receipt')).toBe(1);
  });

  it('causes no mail by a package without a file', async () => {
    const { id } = await newPortal(t, { recipients: ['empty@harbour.example'] });
    expect(await messagesOf([await send(id, '198.51.100.4', 'victim-of-nothing@x.example', false)])).toEqual([]);
    expect(await messagesOf([await send(id, '198.51.100.4', 'victim-of-nothing@x.example')])).toHaveLength(2);
    expect(server.received).toHaveLength(2);
  });
});

it('a Team’s package without a file causes no mail', async () => {
  const sender = await newSender(t, { recipients: ['a@x.example'] });
  expect((await sender.finalize()).status).toBe(204);
  expect(await messagesOf([sender.package.id])).toEqual([]);
});
