import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '#protocol/errors.ts';
import type { BatchDownload } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Link } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** The addresses of many files by one call: each as by its own. */

let t: TestService;
const now = (): Date => new Date();

beforeAll(async () => {
  t = await startTestService();
});
afterAll(async () => {
  await t?.close();
});

interface Finished {
  readonly sender: Sender;
  /** Files, in their order, and the folder that they are in. */
  readonly ids: readonly string[];
  readonly folder: string;
  readonly link: Link;
}

const contents = ['first', 'second', ''].map((text) => Buffer.from(text));

async function finished(limits: Record<string, unknown> = {}): Promise<Finished> {
  const sender = await newSender(t);
  const ids: string[] = [];
  for (const [index, bytes] of contents.entries()) ids.push((await sender.send('in', `übung ${index}.txt`, bytes)).file.id);
  const made = await t.call<{ file: File }>('POST', `/v1/packages/${sender.package.id}/files`, {
    headers: sender.token,
    body: { kind: 'directory', name: 'empty', path: 'in', last_modified: '2026-01-02T03:04:05.000Z' },
  });
  await sender.finalize();
  const { body: link } = await t.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body: limits });
  return { sender, ids, folder: made.body.file.id, link };
}

const readToken = async (link: Link): Promise<string> => (await openLink(t, link)).body.package_token;

const downloadBatch = (packageId: string, token: string, file_ids: readonly string[], more: object = {}) =>
  t.call<{ files: BatchDownload[]; objects_url?: string; code: number; message: string }>(
    'POST',
    `/v1/packages/${packageId}/files/batch/download`,
    {
      headers: { 'x-package-token': token },
      body: { file_ids, ...more },
    },
  );

const one = (packageId: string, token: string, fileId: string) =>
  t.call<{ url: string; code: number; message: string }>('GET', `/v1/packages/${packageId}/files/${fileId}/download`, {
    headers: { 'x-package-token': token },
  });

const secondsLeft = (url: string): number => Number(new URL(url).searchParams.get('expires')) - now().getTime() / 1000;
const accessesOf = async (link: Link): Promise<number> =>
  (await t.service.services.db.selectFrom('links').select('accesses').where('id', '=', link.id).executeTakeFirstOrThrow()).accesses;

describe('download addresses in a batch', () => {
  it('are those of single calls, in the order of the request, also of a file that is named twice', async () => {
    const { sender, ids, link } = await finished();
    const token = await readToken(link);
    const { status, body } = await downloadBatch(sender.package.id, token, [...ids, ids[0]!]);
    expect(status).toBe(200);
    expect(body.files.map(({ file_id }) => file_id)).toEqual([...ids, ids[0]]);
    for (const [index, { method, url, error }] of body.files.entries()) {
      expect([method, error]).toEqual(['GET', undefined]);
      const answer = await fetch(url!);
      expect(answer.headers.get('content-disposition')).toContain(encodeURIComponent(`übung ${index % 3}.txt`));
      expect(await answer.text()).toBe(contents[index % 3]!.toString());
      expect(secondsLeft(url!)).toBeGreaterThan(3_500);
      expect(new URL(url!).pathname).toBe(new URL((await one(sender.package.id, token, ids[index % 3]!)).body.url).pathname);
    }
  });

  it('include those of zips; a file without one is refused as by a single call, and the others are not affected', async () => {
    const { sender, ids, folder, link } = await finished();
    const other = await finished();
    const token = await readToken(link);
    const listed = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: { 'x-package-token': token } });
    const zip = listed.body.find(({ kind }) => kind === 'zip_mac')!;
    const asked = [newId(), ids[1]!, folder, other.ids[0]!, zip.id];
    const { status, body } = await downloadBatch(sender.package.id, token, [...asked, 'no id']);
    expect(status).toBe(200);
    for (const [index, id] of asked.entries()) {
      const alone = await one(sender.package.id, token, id);
      const { error, url } = body.files[index]!;
      if (alone.status === 200) expect(new URL(url!).pathname).toBe(new URL(alone.body.url).pathname);
      else expect(error).toEqual(alone.body);
    }
    expect(body.files.map(({ error }) => error?.code ?? 'fine')).toEqual([
      errorCatalogue.not_found.code,
      'fine',
      errorCatalogue.state_conflict.code,
      errorCatalogue.not_found.code,
      'fine',
      errorCatalogue.not_found.code,
    ]);
    const shared = await downloadBatch(sender.package.id, token, [...asked, 'no id'], { one_address: true });
    expect(shared.body.files.map(({ error }) => error)).toEqual(body.files.map(({ error }) => error));
    expect(shared.body.files.map(({ object, url }) => [object !== undefined, url !== undefined])).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => [index === 1, index === 4]),
    );
    const got = await fetch(shared.body.objects_url!, {
      method: 'POST',
      body: JSON.stringify({ objects: [shared.body.files[1]!.object] }),
    });
    expect((await got.text()).split('\n')[1]).toBe(contents[1]!.toString());
  });

  it('expire as requested, and with the link at the latest', async () => {
    const expiry = new Date(now().getTime() + 600_000).toISOString();
    const { sender, ids, link } = await finished({ expiry });
    const token = await readToken(link);
    const left = async (asked?: number) => {
      const more = asked === undefined ? {} : { expiry: new Date(now().getTime() + asked * 1_000).toISOString() };
      return secondsLeft((await downloadBatch(sender.package.id, token, [ids[0]!], more)).body.files[0]!.url!);
    };
    expect(await left()).toBeLessThanOrEqual(600);
    expect(await left(100)).toBeLessThanOrEqual(100);
    expect(await left(86_400)).toBeLessThanOrEqual(600);
    const past = { expiry: new Date(now().getTime() - 1_000).toISOString() };
    expect(await downloadBatch(sender.package.id, token, [ids[0]!], past)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('expiry') },
    });
  });

  it('count a token of a limited link once, together with its single calls, and only if there is something to download', async () => {
    const { sender, ids, link } = await finished({ access_limit: 1 });
    const [first, second] = [await readToken(link), await readToken(link)];
    expect((await downloadBatch(sender.package.id, first, [newId()])).body.files[0]).toMatchObject({
      error: { code: errorCatalogue.not_found.code },
    });
    expect(await accessesOf(link)).toBe(0);
    expect((await downloadBatch(sender.package.id, first, ids)).body.files.every(({ url }) => url !== undefined)).toBe(true);
    expect((await one(sender.package.id, first, ids[0]!)).status).toBe(200);
    expect((await downloadBatch(sender.package.id, first, ids)).body.files.every(({ url }) => url !== undefined)).toBe(true);
    expect(await accessesOf(link)).toBe(1);

    const late = await downloadBatch(sender.package.id, second, [ids[0]!, newId()]);
    const alone = await one(sender.package.id, second, ids[0]!);
    expect(alone.body.code).toBe(errorCatalogue.link_used_up.code);
    expect(late.status).toBe(200);
    expect(late.body.files.map(({ error }) => error)).toEqual([
      alone.body,
      expect.objectContaining({ code: errorCatalogue.not_found.code }),
    ]);
    expect(await accessesOf(link)).toBe(1);
  });

  it('are all refused with the same error when the link is over', async () => {
    const { sender, ids, link } = await finished();
    const token = await readToken(link);
    await t.call('DELETE', `/v1/packages/${sender.package.id}/links/${link.id}`, { headers: sender.token });
    const [gone, alone] = [await downloadBatch(sender.package.id, token, ids), await one(sender.package.id, token, ids[0]!)];
    expect(gone).toMatchObject({ status: alone.status, body: alone.body });
    expect(gone.body.code).toBe(errorCatalogue.link_inactive.code);
  });

  it('are refused to tokens of other packages and to tokens without a link, and beyond the limit of a batch', async () => {
    const [mine, other] = [await finished(), await finished()];
    const token = await readToken(mine.link);
    expect((await downloadBatch(other.sender.package.id, token, other.ids)).status).toBe(404);
    const reading = await t.service.services.tokens.sign('package', {
      packageId: mine.sender.package.id,
      variant: 'read',
      tokenId: newId(),
      linkId: null,
      userId: null,
    });
    expect((await downloadBatch(mine.sender.package.id, reading, mine.ids)).status).toBe(403);
    expect((await downloadBatch(mine.sender.package.id, token, [])).status).toBe(400);
    expect((await downloadBatch(mine.sender.package.id, token, Array.from({ length: 1_001 }, newId))).status).toBe(400);
  });

  it('are declared by the spec, with the address for batch gets', async () => {
    const { body } = await t.call<{ max_batch_downloads: number; many_objects_url: string }>('GET', '/v1/system/packages/spec');
    expect(body.max_batch_downloads).toBe(1_000);
    expect(body.many_objects_url).toMatch(/\/-\/objects$/);
  });
});

describe('a look at a file', () => {
  const look = (sender: Sender, fileId: string, headers = sender.token) =>
    t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${fileId}/preview`, { headers });

  it('is for whoever manages the package, for some minutes, and counts as no download', async () => {
    const { sender, ids, folder, link } = await finished({ access_limit: 1 });
    const seen = await look(sender, ids[0]!);
    expect(seen.status).toBe(200);
    expect(await (await fetch(seen.body.url)).text()).toBe('first');
    const { records } = (
      await t.call<{ records: unknown[] }>('GET', `/v1/packages/${sender.package.id}/downloads?limit=10`, { headers: sender.token })
    ).body;
    expect(records).toEqual([]);
    expect((await look(sender, folder)).status).toBe(409);
    expect((await look(sender, newId())).status).toBe(404);
    expect((await look(sender, ids[0]!, { 'x-package-token': await readToken(link) })).status).toBe(403);
  });

  it('is not given before the package is finalized, nor after its end', async () => {
    const sender = await newSender(t);
    const { file } = await sender.send('', 'a.txt', contents[0]!);
    expect((await look(sender, file.id)).status).toBe(409);
    await sender.finalize();
    expect((await look(sender, file.id)).status).toBe(200);
    await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token });
    expect((await look(sender, file.id)).status).toBe(410);
  });
});
