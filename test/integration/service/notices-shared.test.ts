import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { ownerEmail } from '#test/support/service/owner.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

/** What is told of packages by two services on one database: once, whichever of them comes to it, and both at once. */

const recipients = Array.from({ length: 12 }, (_, n) => `r${n}@x.org`);
const day = 24 * 3_600_000;

let server: TestMailServer;
let t: TestService;
let offset = 0;
beforeAll(async () => {
  server = await startMailServer();
  t = await startTestService({
    processes: 2,
    now: () => new Date(Date.now() + offset),
    allowPrivateWebhooks: true,
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    mailFrom: 'files@harbour.example',
  });
});
afterAll(async () => {
  await t?.close();
  await server?.close();
});

/** The only file, by each link; calls go to both services in turn. */
async function downloadByAll(sender: Sender): Promise<void> {
  await Promise.all(
    (await sender.links()).map(async (link) => {
      const headers = { 'x-package-token': (await openLink(t, link)).body.package_token };
      const files = await t.call<{ id: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers });
      const path = `/v1/packages/${sender.package.id}/files/${files.body[0]!.id}/download`;
      expect((await t.call('GET', path, { headers })).status).toBe(200);
    }),
  );
}

/** The job at both services, several times at once: as queues give it out where one process is slow. */
const tellAtBoth = () =>
  Promise.all([...t.services, ...t.services, ...t.services].map(({ services }) => runJob(services, 'notices.tell', {})));

it('each notice is one mail to its sender and one call of a webhook', { timeout: 120_000 }, async () => {
  const heard: WebhookPayload[] = [];
  const receiver = await startHttpServer(async (request, response) => {
    heard.push(JSON.parse((await bodyOf(request)).toString()) as WebhookPayload);
    response.writeHead(204).end();
  });
  try {
    const headers = { 'x-api-key': t.apiKey };
    const events = ['package.downloaded', 'package.expires'];
    const hook = { active: true, events, method: 'POST', url: receiver.url, scope: 'team' };
    expect((await t.call('POST', `/v1/teams/${t.teamId}/custom_webhooks`, { headers, body: hook })).status).toBe(201);
    const { db } = t.service.services;
    // Told by a webhook alone, and by mail too.
    const senders = await Promise.all(
      [[], ['downloaded', 'expires']].map((notify, n) => newSender(t, { name: `Day ${n}`, recipients, notify })),
    );
    for (const sender of senders) {
      await sender.send('', 'a.txt', Buffer.from('hello'));
      expect((await sender.finalize()).status).toBe(204);
    }
    await Promise.all(senders.map(downloadByAll));
    const { expiry } = await db.selectFrom('packages').select('expiry').where('id', '=', senders[0]!.package.id).executeTakeFirstOrThrow();
    offset = expiry!.getTime() - day + 60_000 - Date.now();
    await tellAtBoth();

    // One may be with the job that comes each minute by itself.
    const untold = () => db.selectFrom('notices').select('id').where('told_at', 'is', null).execute();
    await expect.poll(untold, { timeout: 60_000 }).toEqual([]);
    const notices = await db.selectFrom('notices').select('kind').execute();
    expect(notices.map(({ kind }) => kind).sort()).toEqual([...Array<string>(24).fill('downloaded'), 'expires', 'expires']);
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(26);
    const mails = () =>
      server.received.filter(({ to }) => to[0] === ownerEmail).map(({ content }) => parseMail(content).headers.get('subject')!);
    const told = () =>
      mails()
        .filter((subject) => /downloaded|expires/.test(subject))
        .sort();
    await expect
      .poll(told, { timeout: 60_000 })
      .toEqual([...recipients.map((email) => `${email} downloaded “Day 1”`), '“Day 1” expires tomorrow'].sort());
    // Nothing is under way that would tell more.
    await expect.poll(async () => (await db.selectFrom('messages').select('id').where('state', '=', 'waiting').execute()).length).toBe(0);
    expect(new Set(heard.map(({ event_id: id }) => id)).size).toBe(26);
    expect(heard).toHaveLength(26);
  } finally {
    await receiver.close();
  }
});
