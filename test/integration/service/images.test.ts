import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Image } from '#protocol/hosted/images.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { newId } from '#service/ids.ts';
import { imageKey } from '#service/images/key.ts';
import { sweepImages } from '#service/images/sweep.ts';
import { png } from '#test/support/service/images.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const key = () => ({ 'x-api-key': t.apiKey });
const ask = <T = Image>(bytes: Buffer | string, headers: Readonly<Record<string, string>> = key()) =>
  t.call<T>('POST', `/v1/teams/${t.teamId}/images`, {
    headers,
    body: { data: typeof bytes === 'string' ? bytes : bytes.toString('base64') },
  });
const upload = async (shade: number): Promise<Image> => {
  const made = await ask(png({}, shade));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
};
const update = <T = Portal>(id: string, body: unknown) => t.call<T>('PUT', `/v1/portals/${id}`, { headers: key(), body });
const services = () => t.service.services;
const contextIn = (hours: number) => ({ ...services(), now: () => new Date(Date.now() + hours * 3_600_000) });

describe('an uploaded image', () => {
  it('is served from our origin, to be kept, and runs nothing', async () => {
    const image = await upload(1);
    expect(image).toMatchObject({ type: 'image/png', width: 2, height: 2, size: png({}, 1).length });
    expect(image.url).toBe(`${t.url}/images/${image.id}`);
    const got = await fetch(image.url);
    expect(Buffer.from(await got.arrayBuffer())).toEqual(png({}, 1));
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    const again = await fetch(image.url, { headers: { 'if-none-match': got.headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('is stored once, however often it is uploaded, also concurrently', async () => {
    const made = await Promise.all([ask(png({}, 2)), ask(png({}, 2)), ask(png({}, 2))]);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  });

  it('is a drawing without anything else, served as what it is', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>x</title><rect width="8" height="8"/></svg>';
    const { body } = await ask(Buffer.from(drawing));
    const got = await fetch(body.url);
    expect([got.headers.get('content-type'), await got.text()]).toEqual(['image/svg+xml', drawing.replace('<title>x</title>', '')]);
  });

  it.each([
    ['a page', Buffer.from('<html><script>alert(1)</script></html>'), 400, 'neither PNG'],
    ['a drawing with a script', Buffer.from('<svg onload="alert(1)"/>'), 400, 'script'],
    ['no Base64', 'not base 64!', 400, 'Base64'],
    ['a bomb', png({ pixels: Buffer.alloc(20_000_000) }), 400, 'more than its header'],
    ['too many bytes', Buffer.alloc(limits.imageBytes + 1), 400, ''],
  ] as const)('is refused: %s', async (_, bytes, status, why) => {
    const answer = await ask<{ message: string }>(bytes);
    expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(why) } });
  });

  it('is limited in number for each Team', async () => {
    const team = await addTeam(t, 'Full');
    const owner = await addUser(t, 'owner', team);
    await sql`
      insert into images (id, team_id, digest, type, width, height, size, created_at, used_at)
      select gen_random_uuid(), ${team}, n::text::bytea, 'image/png', 1, 1, 1, now(), now() from generate_series(1, ${limits.imagesPerTeam}) n`.execute(
      services().db,
    );
    const answer = await t.call('POST', `/v1/teams/${team}/images`, {
      headers: { 'x-user-token': owner.token },
      body: { data: png().toString('base64') },
    });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('at most 500 images') } });
  });

  it('is 404 under any other id', async () => {
    for (const id of [newId(), 'nothing', '..%2Fpackages']) expect((await fetch(`${t.url}/images/${id}`)).status).toBe(404);
  });
});

describe("a Portal's uploaded logo", () => {
  it("is shown on its page and on links' pages, read from the storage", async () => {
    const image = await upload(3);
    const portal = await newPortal(t, { logo_url: image.url, background_url: image.url });
    expect(portal).toMatchObject({ logo_url: image.url, background_url: image.url });
    for (const kind of ['logo', 'background']) {
      const got = await fetch(`${t.url}/p/${portal.subdomain}/${kind}?${new URLSearchParams({ of: image.url })}`);
      expect([got.status, Buffer.from(await got.arrayBuffer())]).toEqual([200, png({}, 3)]);
    }
  });

  it('has to be of the same Team', async () => {
    const team = await addTeam(t, 'Other');
    const owner = await addUser(t, 'owner', team);
    const image = await upload(4);
    const fields = { name: 'P', subdomain: `p-${newId()}`, logo_url: image.url };
    const made = await t.call('POST', `/v1/teams/${team}/portals`, { headers: { 'x-user-token': owner.token }, body: fields });
    expect(made).toMatchObject({ status: 404, body: { message: expect.stringContaining('logo_url') } });
    const portal = await newPortal(t);
    const missing = await update(portal.id, { background_url: `${t.url}/images/${newId()}` });
    expect(missing).toMatchObject({ status: 404, body: { message: expect.stringContaining('background_url') } });
  });

  it('stays while it is used, and is freed a day after nothing shows it any more', async () => {
    const [kept, replaced] = [await upload(5), await upload(6)];
    const portal = await newPortal(t, { logo_url: replaced.url, background_url: kept.url });
    const stored = async (image: Image) => (await services().storage.head(imageKey(image.id))) !== null;
    const sweep = async (hours: number) => {
      await sweepImages(contextIn(hours));
      const { rows } = await sql<{ key: string }>`select key from freed_objects where key like 'images/%'`.execute(services().db);
      return rows.map(({ key: freed }) => freed);
    };
    expect(await sweep(30)).not.toContain(imageKey(replaced.id));
    await update(portal.id, { logo_url: '' });
    expect(await sweep(1)).not.toContain(imageKey(replaced.id));
    const freed = await sweep(30);
    expect(freed).toContain(imageKey(replaced.id));
    expect(freed).not.toContain(imageKey(kept.id));
    expect((await fetch(kept.url)).status).toBe(200);
    expect(await stored(kept)).toBe(true);
  });

  it('stays with a Portal that is sent back as it was read after the service has moved', async () => {
    const image = await upload(7);
    const portal = await newPortal(t, { logo_url: image.url });
    const before = image.url.replace(t.url, 'https://old.example.com');
    await services().db.updateTable('portals').set({ logo_url: before }).where('id', '=', portal.id).execute();
    await update(portal.id, { name: 'Renamed', logo_url: before });
    const got = await fetch(`${t.url}/p/${portal.subdomain}/logo?${new URLSearchParams({ of: before })}`);
    expect(got.status).toBe(200);
  });
});
