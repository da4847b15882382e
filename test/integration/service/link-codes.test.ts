import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Download } from '#protocol/hosted/downloads.ts';
import type { Link, LinkCode } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import { type LinkedPackage, linkedPackage } from '#test/support/service/download-link.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { linkCode } from '#test/support/service/link-codes.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';

/** Links that ask for a mailed code: two services over one database, as limits have to hold in all of them together. */

let server: TestMailServer;
let t: TestService;
let offset = 0;
const minutes = (count: number) => {
  offset += count * 60_000;
};

beforeAll(async () => {
  server = await startMailServer();
  t = await startTestService({
    processes: 2,
    now: () => new Date(Date.now() + offset),
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    mailFrom: 'files@harbour.example',
  });
});
afterAll(async () => {
  await t?.close();
  await server?.close();
});
/** Limits on one address and source are a test's own. */
beforeEach(() => minutes(24 * 60));
afterEach(() => {
  server.answer = () => null;
  server.received.length = 0;
});

type Asked = Pick<Link, 'id' | 'download_secret'>;
let people = 0;
const askingLink = (fields: Record<string, unknown> = {}): Promise<LinkedPackage> =>
  linkedPackage(t, { 'a.txt': 'hello' }, { link: { email: `post${++people}@example.com`, verify_recipient: true, ...fields } });

const askForCode = (link: Asked, headers: Record<string, string> = {}): Promise<TestAnswer<LinkCode & { message: string }>> =>
  t.call('POST', `/v1/links/${link.id}/codes?secret=${encodeURIComponent(link.download_secret)}`, { headers });

const openWith = (link: Asked, code: string, headers: Record<string, string> = {}) =>
  openLink(t, link, undefined, { ...headers, 'x-link-code': code });

const codeFor = (link: Asked): Promise<string> => linkCode(t, link.id);

const wrong = (code: string): string => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;
const names = ({ status, body }: TestAnswer<unknown>): [number, number] => [status, (body as { code: number }).code & 0xffff];
const [required, isWrong, isOver] = [
  [401, 15],
  [401, 16],
  [401, 17],
];

/** To one person: another test's mail may still be under way. */
const mailedTo = (person: string) =>
  server.received.filter(({ to }) => to[0] === person).map(({ to, content }) => ({ to: to[0]!, ...parseMail(content) }));

describe('a link that asks for a code', () => {
  it('opens with the one that was mailed to its address, and its downloads have a name', async () => {
    const { sender, link } = await askingLink({ email: 'mia@example.com' });
    expect(link).toMatchObject({ email: 'mia@example.com', verify_recipient: true });
    const closed = await openLink(t, link);
    expect(names(closed)).toEqual(required);
    expect(closed.body).toMatchObject({ message: expect.stringContaining('m…@example.com') });
    expect(JSON.stringify(closed.body)).not.toContain('mia@');
    expect(await askForCode(link)).toMatchObject({
      status: 202,
      body: { recipient: 'm…@example.com', valid_seconds: 600, pause_seconds: 60 },
    });
    await expect.poll(() => mailedTo(link.email).length).toBe(1);
    const [mail] = mailedTo(link.email);
    expect(mail!.to).toBe('mia@example.com');
    const code = /\b\d{4} \d{4}\b/.exec(mail!.text)![0];
    expect(mail!.html).toContain(code);
    expect(mail!.headers.get('subject')).toBe('Your code for “Dailies”');
    const opened = await openWith(link, code);
    expect(opened.status).toBe(200);
    const headers = { 'x-package-token': opened.body.package_token };
    const files = await t.call<{ id: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers });
    expect((await t.call('GET', `/v1/packages/${sender.package.id}/files/${files.body[0]!.id}/download`, { headers })).status).toBe(200);
    const { body } = await t.call<{ records: Download[] }>('GET', `/v1/packages/${sender.package.id}/downloads`, { headers: sender.token });
    expect(body.records).toMatchObject([{ email: 'mia@example.com', verified: true }]);
  });

  it('writes in the language of whoever asks, unless the Team has chosen one', async () => {
    const { link } = await askingLink();
    await askForCode(link, { 'accept-language': 'de-AT,de;q=0.9' });
    await expect.poll(() => mailedTo(link.email)[0]?.headers.get('subject')).toBe('Ihr Code für „Dailies“');
  });

  it('takes a code once, and its proof for twelve hours, by nobody for another link', async () => {
    const { link } = await askingLink();
    const other = await askingLink();
    await askForCode(link);
    const code = await codeFor(link);
    const { proof = '' } = (await openWith(link, code)).body;
    expect(names(await openWith(link, code))).toEqual(isOver);
    expect((await openWith(link, proof)).body.proof).toBe(proof);
    expect(names(await openWith(other.link, proof))).toEqual(required);
    minutes(12 * 60 + 1);
    expect(names(await openWith(link, proof))).toEqual(required);
  });

  it('counts only the newest code, and that for ten minutes', async () => {
    const { link } = await askingLink();
    await askForCode(link);
    const first = await codeFor(link);
    const soon = await askForCode(link);
    expect(soon.status).toBe(429);
    expect(Number(soon.headers.get('retry-after'))).toBeLessThanOrEqual(limits.linkCodePauseSeconds);
    minutes(1);
    expect((await askForCode(link)).status).toBe(202);
    expect(names(await openWith(link, first))).toEqual(isWrong);
    const second = await codeFor(link);
    minutes(10);
    expect(names(await openWith(link, second))).toEqual(isOver);
  });

  it('mails no code that was replaced before its mail could leave', async () => {
    server.answer = () => ({ code: 451, text: 'Later.' });
    const { link } = await askingLink();
    await askForCode(link);
    const { db } = t.service.services;
    const messages = () => db.selectFrom('messages').selectAll().where('link_id', '=', link.id).orderBy('id').execute();
    await expect.poll(async () => (await messages())[0]?.last_error).toContain('Later.');
    server.answer = () => null;
    minutes(1);
    await askForCode(link);
    const [first] = await messages();
    await runJob(t.service.services, 'mail.send', { message_id: first!.id });
    await expect.poll(async () => (await messages()).map(({ state }) => state)).toEqual(['withdrawn', 'sent']);
    expect(mailedTo(link.email)).toHaveLength(1);
  });

  it('asks for its password first, before it mails anything', async () => {
    const { link } = await askingLink({ password: 'harbour' });
    expect(names(await askForCode(link))).toEqual([401, 7]);
    expect(names(await openWith(link, '12345678'))).toEqual([401, 7]);
    expect((await askForCode(link, { 'x-link-password': 'harbour' })).status).toBe(202);
    expect((await openWith(link, await codeFor(link), { 'x-link-password': 'harbour' })).status).toBe(200);
  });

  it('mails no more than its limits, whichever service is asked', async () => {
    const { link } = await askingLink();
    const statuses: number[] = [];
    for (let at = 0; at < 7; at++) {
      statuses.push((await askForCode(link)).status);
      minutes(1);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429]);
  });

  it('makes one code of many calls at once', async () => {
    const { link } = await askingLink();
    const answers = await Promise.all(Array.from({ length: 8 }, () => askForCode(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(7).fill(429)]);
  });

  it('says nothing of a link to whoever has no secret, and asks for none where none is asked for', async () => {
    const { link } = await askingLink();
    expect((await askForCode({ ...link, download_secret: `${link.download_secret}x` })).status).toBe(404);
    const plain = await askingLink({ verify_recipient: false });
    expect(plain.link.verify_recipient).toBe(false);
    expect((await askForCode(plain.link)).status).toBe(409);
    expect((await openWith(plain.link, '12345678')).status).toBe(200);
  });
});

it('compares at most five answers, however many come at once to both services', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 6, maxLength: 14 }), async (rights) => {
      minutes(24 * 60);
      const { link } = await askingLink();
      await askForCode(link);
      const code = await codeFor(link);
      const answers = await Promise.all(rights.map((right) => openWith(link, right ? code : wrong(code))));
      const opened = answers.filter(({ status }) => status === 200).length;
      const compared = answers.filter((answer) => names(answer)[1] === 16).length + opened;
      expect(compared).toBeLessThanOrEqual(limits.linkCodeGuesses);
      expect(opened).toBeLessThanOrEqual(1);
      if (!rights.includes(true)) expect(compared).toBe(limits.linkCodeGuesses);
      if (!rights.includes(false)) expect(opened).toBe(1);
      // With the right answer among the first five at the latest it is over for all that follow.
      expect(names(await openWith(link, opened === 0 && compared < limits.linkCodeGuesses ? wrong(code) : code))[0]).toBe(401);
    }),
    { numRuns: 12 },
  );
});

describe('where it is chosen', () => {
  it('is for links with an address alone', async () => {
    const sender = await newSender(t);
    const made = await t.call('POST', `/v1/packages/${sender.package.id}/links`, {
      headers: sender.token,
      body: { verify_recipient: true },
    });
    expect(made).toMatchObject({ status: 400, body: { message: expect.stringContaining('verify_recipient') } });
    const body = { name: 'P', description: '', recipients: [], verify_recipient: true };
    expect(await t.call('POST', `/v1/teams/${t.teamId}/packages`, { headers: { 'x-api-key': t.apiKey }, body })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('verify_recipient') },
    });
  });

  it('a package passes it on to the links of its recipients, and to those that say nothing else', async () => {
    const { sender } = await linkedPackage(t, { a: 'a' }, { package: { recipients: ['r@example.com'], verify_recipient: true } });
    const { body } = await t.call<Package>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token });
    expect(body.verify_recipient).toBe(true);
    for (const fields of [{ email: 'next@example.com' }, { email: 'free@example.com', verify_recipient: false }, {}])
      await t.call('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body: fields });
    const links = (await sender.links()).map(({ email, verify_recipient: verified }) => [email, verified]);
    expect(new Map(links as [string, boolean][])).toEqual(
      new Map([
        ['r@example.com', true],
        ['', false],
        ['next@example.com', true],
        ['free@example.com', false],
      ]),
    );
  });
});
