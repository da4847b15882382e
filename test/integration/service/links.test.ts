import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '#protocol/errors.ts';
import type { Link } from '#protocol/hosted/links.ts';
import { limits } from '#protocol/limits.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';

inPairs();

const hello = Buffer.from('hello');
const hour = 3600_000;
const day = 24 * hour;
let t: TestService;
let offset = 0;
const now = () => new Date(Date.now() + offset);

beforeAll(async () => {
  t = await startTestService({ now, limits: { attempts: { max: 3, windowSeconds: 600 } } });
});
afterAll(async () => {
  await t?.close();
});

interface Finished {
  readonly sender: Sender;
  readonly fileId: string;
}

async function finished(fields: Record<string, unknown> = {}): Promise<Finished> {
  const sender = await newSender(t, fields);
  const upload = await sender.send('', 'übung 1.txt', hello);
  await sender.finalize();
  return { sender, fileId: upload.file.id };
}

const makeLink = (sender: Sender, body: Record<string, unknown> = {}): Promise<TestAnswer<Link>> =>
  t.call('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body });

const removeLink = (sender: Sender, id: string) =>
  t.call('DELETE', `/v1/packages/${sender.package.id}/links/${id}`, { headers: sender.token });

/** Asks for a file's address with a read token. */
const download = ({ sender, fileId }: Finished, token: string, query = '') =>
  t.call<{ url: string; method: string; message: string }>('GET', `/v1/packages/${sender.package.id}/files/${fileId}/download${query}`, {
    headers: { 'x-package-token': token },
  });

/** Seconds from now until a signed address stops working. */
const secondsLeft = (url: string): number => Number(new URL(url).searchParams.get('expires')) - now().getTime() / 1000;

describe('making a link', () => {
  it("takes the package's password and limit unless its own are given", async () => {
    const { sender } = await finished({ password: 'harbour', access_limit: 4 });
    expect((await makeLink(sender)).body).toMatchObject({ email: '', password: '****', access_limit: 4, access_limit_enabled: true });
    const own = await makeLink(sender, { email: 'a@x.org', password: '', access_limit: 0 });
    expect(own).toMatchObject({
      status: 201,
      body: { email: 'a@x.org', password: '', access_limit: 0, access_limit_enabled: false, active: true },
    });
    expect((await openLink(t, own.body)).status).toBe(200);
    expect((await sender.links()).map((link) => link.id)).toContain(own.body.id);
  });

  it('is one of so many of its package, disabled ones too', async () => {
    const { sender } = await finished();
    const first = await makeLink(sender);
    const { id } = sender.package;
    await sql`
      insert into links (id, package_id, email, secret, access_limit, created_at, disabled_at)
      select gen_random_uuid(), ${id}, '', gen_random_uuid()::text, 0, now(), now()
      from generate_series(2, ${sql.lit(limits.linksPerPackage)})`.execute(t.service.services.db);
    expect(await makeLink(sender)).toMatchObject({ status: 400, body: { message: expect.stringContaining('at most 10000 links') } });
    expect((await openLink(t, first.body)).status).toBe(200);
    expect((await makeLink((await finished()).sender)).status).toBe(201);
  });

  it('of a new package waits until that is finalized', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a', hello);
    const { body: link } = await makeLink(sender);
    expect(link.active).toBe(false);
    expect(await openLink(t, link)).toMatchObject({ status: 409, body: { message: expect.stringContaining('still being uploaded') } });
    await sender.finalize();
    expect((await sender.links())[0]).toMatchObject({ id: link.id, active: true });
    expect((await openLink(t, link)).status).toBe(200);
  });

  it('ends with the package at the latest', async () => {
    const { sender } = await finished();
    const [inAnHour, inAYear] = [new Date(now().getTime() + hour).toISOString(), new Date(now().getTime() + 365 * day).toISOString()];
    const packageEnd = (await makeLink(sender)).body.expiry;
    expect((await makeLink(sender, { expiry: inAnHour })).body.expiry).toBe(inAnHour);
    expect((await makeLink(sender, { expiry: inAYear })).body.expiry).toBe(packageEnd);
    const unlimited = await finished({ unlimited_storage: true });
    expect((await makeLink(unlimited.sender)).body.expiry).toBe(unsetDateTime);
    const past = await makeLink(sender, { expiry: new Date(now().getTime() - 1_000).toISOString() });
    expect(past).toMatchObject({ status: 400, body: { message: expect.stringContaining('expiry') } });
  });
});

describe('opening a link', () => {
  it('gives each concurrent caller their own', async () => {
    const addresses = Array.from({ length: 6 }, (_, index) => `r${index}@x.org`);
    const { sender } = await finished();
    const links = await Promise.all(addresses.map(async (email) => (await makeLink(sender, { email })).body));
    const gone = { id: newId(), download_secret: 'x' };
    const asked = [...links, gone, ...links, gone];
    const answers = await Promise.all(asked.map((link) => openLink(t, link)));
    expect(answers.map(({ status, body }) => [status, body.recipient_email])).toEqual(
      [...addresses, null, ...addresses, null].map((email) => (email === null ? [404, undefined] : [200, email])),
    );
    expect(new Set(answers.flatMap(({ body }) => body.package_token ?? [])).size).toBe(2 * addresses.length);
  });

  it('tells a wrong secret and an unknown link the same', async () => {
    const { sender } = await finished();
    const { body: link } = await makeLink(sender);
    const answers = await Promise.all([
      openLink(t, { ...link, download_secret: `${link.download_secret}x` }),
      openLink(t, { ...link, download_secret: link.download_secret.toUpperCase() }),
      openLink(t, { ...link, id: newId() }),
      openLink(t, { ...link, id: 'nothing' }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: answers[0]!.body });
  });

  it('deleted, ends its tokens at once; an address given out before stands until its package is deleted', async () => {
    const { sender, fileId } = await finished();
    const { body: link } = await makeLink(sender);
    const headers = { 'x-package-token': (await openLink(t, link)).body.package_token };
    const at = `/v1/packages/${sender.package.id}`;
    const given = await t.call<{ url: string }>('GET', `${at}/files/${fileId}/download`, { headers });
    expect((await removeLink(sender, link.id)).status).toBe(204);
    expect((await t.call('GET', `${at}/files/${fileId}/download`, { headers })).status).toBe(410);
    const fetched = await fetch(given.body.url);
    expect([fetched.status, await fetched.text()]).toEqual([200, 'hello']);
    expect((await t.call('DELETE', at, { headers: sender.token })).status).toBe(204);
    await eventually('the bytes are gone', async () => (await fetch(given.body.url)).status === 404);
  });

  it('takes a password as it was chosen, URI-encoded or not', async () => {
    const { sender } = await finished();
    const raw = (text: string) => Buffer.from(text).toString('latin1');
    for (const [password, sent] of [
      ['100%41', ['100%41', '100%2541']],
      ['50%', ['50%', '50%25']],
      ['Grüße 日本', [raw('Grüße 日本'), encodeURIComponent('Grüße 日本')]],
      ['Käse 100%41', [raw('Käse 100%41'), encodeURIComponent('Käse 100%41')]],
      ['100A', ['100A', '100%41']],
    ] as const) {
      const { body: link } = await makeLink(sender, { password });
      for (const one of sent) expect((await openLink(t, link, one)).status, `${password} as ${one}`).toBe(200);
      expect((await openLink(t, link, `${password.codePointAt(0)}`)).status).toBe(401);
    }
  });

  it('asks for the password, and limits wrong ones', async () => {
    const { sender } = await finished();
    const { body: link } = await makeLink(sender, { password: 'harbour' });
    expect((await openLink(t, link)).status).toBe(401);
    expect((await openLink(t, link, 'Harbour')).status).toBe(401);
    expect((await openLink(t, link, 'harbour')).status).toBe(200);
    // Three anew: from here somebody has opened it.
    for (let guess = 0; guess < 3; guess++) expect((await openLink(t, link, `guess ${guess}`)).status).toBe(401);
    const refused = await openLink(t, link, 'harbour');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    offset += 200_000;
    expect((await openLink(t, link, 'harbour')).status).toBe(200);
  });

  it('never shows a secret, a hash or another recipient', async () => {
    const { sender } = await finished({ recipients: ['a@x.org', 'b@x.org'], password: 'harbour' });
    const [link] = await sender.links();
    const text = JSON.stringify((await openLink(t, link!, 'harbour')).body);
    expect(text).toContain('a@x.org');
    for (const hidden of ['b@x.org', 'argon2', 'harbour', link!.download_secret]) expect(text).not.toContain(hidden);
  });

  it('is over when the link is, for tokens given before too', async () => {
    const done = await finished();
    const { body: link } = await makeLink(done.sender, { expiry: new Date(now().getTime() + hour).toISOString() });
    const { body: info } = await openLink(t, link);
    expect((await download(done, info.package_token)).status).toBe(200);
    offset += hour + 1_000;
    expect(await openLink(t, link)).toMatchObject({ status: 410, body: { message: expect.stringContaining('link has expired') } });
    expect([401, 410]).toContain((await download(done, info.package_token)).status);
  });
});

describe('a link whose package is over', () => {
  it('says to whoever has its secret, and to nobody else, whether it was deleted or its time was over', async () => {
    const [deleted, expired] = [await finished(), await finished()];
    const [ofDeleted, ofExpired] = [(await makeLink(deleted.sender)).body, (await makeLink(expired.sender)).body];
    await t.call('DELETE', `/v1/packages/${deleted.sender.package.id}`, { headers: deleted.sender.token });
    await t.service.services.db.updateTable('packages').set({ expiry: now() }).where('id', '=', expired.sender.package.id).execute();
    expect(await openLink(t, ofDeleted)).toMatchObject({ status: 410, body: { code: errorCatalogue.package_deleted.code } });
    expect(await openLink(t, ofExpired)).toMatchObject({ status: 410, body: { code: errorCatalogue.package_expired.code } });
    const wrong = { ...ofDeleted, download_secret: ofExpired.download_secret };
    expect(await openLink(t, wrong)).toMatchObject({ status: 404, body: { code: errorCatalogue.not_found.code } });
    // Disabled stays the first of all answers.
    await removeLink(deleted.sender, ofDeleted.id);
    expect(await openLink(t, ofDeleted)).toMatchObject({ status: 410, body: { code: errorCatalogue.link_inactive.code } });
  });
});

describe('disabling a link', () => {
  it('ends it and its tokens, and keeps its record', async () => {
    const done = await finished();
    const { body: link } = await makeLink(done.sender);
    const { body: info } = await openLink(t, link);
    expect((await removeLink(done.sender, link.id)).status).toBe(204);
    expect((await removeLink(done.sender, link.id)).status).toBe(204);
    const at = `/v1/packages/${done.sender.package.id}`;
    const headers = { 'x-package-token': info.package_token };
    const gone = [
      await openLink(t, link),
      await download(done, info.package_token),
      await t.call('GET', at, { headers }),
      await t.call('GET', `${at}/files`, { headers }),
    ];
    for (const answer of gone) expect(answer).toMatchObject({ status: 410, body: { message: expect.stringContaining('disabled') } });
    expect((await done.sender.links()).find((one) => one.id === link.id)).toMatchObject({ active: false });
  });

  it("does not reach another package's links", async () => {
    const [one, other] = [await finished(), await finished()];
    const { body: link } = await makeLink(other.sender);
    expect((await removeLink(one.sender, link.id)).status).toBe(404);
    expect((await openLink(t, link)).status).toBe(200);
  });
});

describe('the address of a file', () => {
  it('stands for an hour, for what is asked, at most for 7 days and never longer than the link', async () => {
    const done = await finished({ unlimited_storage: true });
    const { body: link } = await makeLink(done.sender);
    const { body: info } = await openLink(t, link);
    const inTime = (milliseconds: number) => `?expiry=${new Date(now().getTime() + milliseconds).toISOString()}`;
    const left = async (query: string, token = info.package_token) => secondsLeft((await download(done, token, query)).body.url);
    const close = (seconds: number) => expect.closeTo(seconds, -2);
    expect(await left('')).toEqual(close(limits.downloadUrlDefaultSeconds));
    expect(await left(inTime(2 * day))).toEqual(close(2 * 86_400));
    expect(await left(inTime(30 * day))).toEqual(close(7 * 86_400));
    const { body: short } = await makeLink(done.sender, { expiry: new Date(now().getTime() + 2 * hour).toISOString() });
    const { body: shortInfo } = await openLink(t, short);
    expect(await left(inTime(day), shortInfo.package_token)).toEqual(close(7_200));
    expect(await download(done, info.package_token, inTime(-1_000))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('expiry') },
    });
  });

  it('saves the file under its own name', async () => {
    const done = await finished();
    const { body: info } = await openLink(t, (await makeLink(done.sender)).body);
    const { body } = await download(done, info.package_token);
    const answer = await fetch(body.url);
    expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%BCbung%201.txt");
    expect(await answer.text()).toBe('hello');
  });

  it('is not given for folders, other files or other packages', async () => {
    const sender = await newSender(t);
    const folder = await sender.create({ kind: 'directory', name: 'folder' });
    const upload = await sender.send('', 'a', hello);
    await sender.finalize();
    const done = { sender, fileId: upload.file.id };
    const { body: info } = await openLink(t, (await makeLink(sender)).body);
    expect((await download({ sender, fileId: folder.body.file.id }, info.package_token)).status).toBe(409);
    const other = await finished();
    expect((await download({ sender, fileId: other.fileId }, info.package_token)).status).toBe(404);
    expect([403, 404]).toContain((await download(other, info.package_token)).status);
    expect((await download(done, info.package_token)).status).toBe(200);
  });
});

describe("a link's limit", () => {
  it('counts tokens that started a download, not openings nor files', async () => {
    const done = await finished();
    const { body: link } = await makeLink(done.sender, { access_limit: 2 });
    const tokens = await Promise.all(Array.from({ length: 4 }, async () => (await openLink(t, link)).body.package_token));
    const many = await Promise.all(Array.from({ length: 6 }, () => download(done, tokens[0]!)));
    expect((await openLink(t, link)).body.used_up).toBe(false);
    expect(many.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    expect((await download(done, tokens[1]!)).status).toBe(200);
    expect((await openLink(t, link)).body.used_up).toBe(true);
    expect(await download(done, tokens[2]!)).toMatchObject({ status: 410, body: { message: expect.stringContaining('as often as') } });
    // Those that have begun go on, also where the service has forgotten them.
    const { tokenId } = (await t.service.services.tokens.verify('package', tokens[1]!))!;
    for (const { services } of t.services) services.caches.downloaders.delete(tokenId);
    expect((await download(done, tokens[0]!)).status).toBe(200);
    expect((await download(done, tokens[1]!)).status).toBe(200);
    expect((await download(done, tokens[3]!)).status).toBe(410);
  });

  it('holds for concurrent tokens', async () => {
    const done = await finished();
    const { body: link } = await makeLink(done.sender, { access_limit: 3 });
    const tokens = await Promise.all(Array.from({ length: 10 }, async () => (await openLink(t, link)).body.package_token));
    const answers = await Promise.all(tokens.flatMap((token) => [download(done, token), download(done, token)]));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    expect(statuses.filter((status) => status === 410)).toHaveLength(14);
  });
});
