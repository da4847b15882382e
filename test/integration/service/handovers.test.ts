import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handover, OpenedHandover } from '#protocol/hosted/handovers.ts';
import { limits } from '#protocol/limits.ts';
import { sweepHandovers } from '#service/handovers/sweep.ts';
import { linkedPackage, linkTo } from '#test/support/service/download-link.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** contract/handovers.md §1 */

let t: TestService;
let offset = 0;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + offset) });
});
afterAll(() => t?.close());

type Headers = Readonly<Record<string, string>>;
interface Code {
  readonly id: string;
  readonly code: string;
  readonly expires_at: string;
}

const handoversOf = (packageId: string): string => `/v1/packages/${packageId}/handovers`;
async function makeCode(packageId: string, headers: Headers): Promise<Code> {
  const { status, body } = await t.call<Code>('POST', handoversOf(packageId), { headers });
  expect(status).toBe(201);
  return body;
}
const open = (code: string, part?: number) =>
  t.call<OpenedHandover & { error?: string }>('POST', '/v1/handovers/open', { body: { code, ...(part === undefined ? {} : { part }) } });
const take = (code: string, claim = 'a secret of the app 1') =>
  t.call<{ package_id: string; package_token: string }>('POST', '/v1/handovers/take', { body: { code, claim } });
const seen = async (sender: Sender, id: string): Promise<Handover> =>
  (await t.call<Handover>('GET', `${handoversOf(sender.package.id)}/${id}`, { headers: sender.token })).body;
const cancel = (sender: Sender, id: string) => t.call('DELETE', `${handoversOf(sender.package.id)}/${id}`, { headers: sender.token });

const file = { kind: 'file', path: 'camera-a', name: 'a.mov', size: 5, last_modified: sampleTime };

describe('an upload', () => {
  it('goes on with a token of the same package, which adds files and finalizes', async () => {
    const portal = await newPortal(t, { name: 'Rushes' });
    const sender = await portalSender(t, portal.id, { name: 'Day 12' });
    const begun = await sender.begin('camera-a', 'a.mov', { size: 5 });
    const { id, code } = await makeCode(sender.package.id, sender.token);
    const part = {
      ...file,
      file_id: begun.file.id,
      upload_id: begun.uploadId,
      chunk_size: begun.file.chunk_size,
      chunk_checksum: 'blake3',
    };
    const parts = `${handoversOf(sender.package.id)}/${id}/parts`;
    expect((await t.call('PUT', `${parts}/0`, { headers: sender.token, body: { files: [part] } })).status).toBe(204);
    expect((await t.call('PUT', `${parts}/1`, { headers: sender.token, body: { files: [file] } })).status).toBe(204);

    const first = await open(code);
    expect(first.body).toMatchObject({ kind: 'upload', package_id: sender.package.id, package_name: 'Day 12', next: 1 });
    expect(first.body.portal).toEqual({ id: portal.id, name: 'Rushes' });
    expect(first.body.part.files).toEqual([part]);
    expect((await open(code, 1)).body).toMatchObject({ part: { files: [file] }, next: null });
    expect(await seen(sender, id)).toMatchObject({ state: 'waiting', package_state: 'new', files: { total: 1, finalized: 0 } });

    const taken = await take(code);
    expect(taken.status).toBe(200);
    expect(await seen(sender, id)).toMatchObject({ state: 'taken' });
    expect((await cancel(sender, id)).status).toBe(409);
    const app = { 'x-package-token': taken.body.package_token };
    const listed = await t.call('GET', `/v1/packages/${sender.package.id}/files`, { headers: app });
    expect(listed.body).toMatchObject([{ id: begun.file.id, state: 'new' }]);
    const bytes = Buffer.from('bytes');
    expect((await begun.finalize([await begun.put(0, bytes)], 5)).status).toBe(204);
    expect((await t.call('POST', `/v1/packages/${sender.package.id}/finalize`, { headers: app })).status).toBe(204);
    // No more rights than those of the page.
    expect((await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: app })).status).toBe(403);
    expect(await seen(sender, id)).toMatchObject({ state: 'taken', package_state: 'finalized', files: { total: 1, finalized: 1 } });
  });

  it('tells what the storage has of files that are not whole, whoever has begun them', async () => {
    const sender = await newSender(t, { chunk_size: limits.minChunkSize });
    await sender.send('', 'a.wav', Buffer.from('sound'));
    const { id, code } = await makeCode(sender.package.id, sender.token);
    await take(code);
    const bytes = async () => (await seen(sender, id)).bytes;
    expect(await bytes()).toEqual({ total: 5, finalized: 5, confirmed: 5 });
    // As the app begins it, of whose upload the page knows nothing.
    const size = limits.minChunkSize + 3;
    const clip = await sender.begin('', 'b.mov', { size });
    const etags = [await clip.put(0, Buffer.alloc(limits.minChunkSize))];
    expect(await bytes()).toEqual({ total: 5 + size, finalized: 5, confirmed: 5 + limits.minChunkSize });
    etags.push(await clip.put(1, Buffer.from('end')));
    expect((await clip.finalize(etags, size)).status).toBe(204);
    expect(await bytes()).toEqual({ total: 5 + size, finalized: 5 + size, confirmed: 5 + size });
    expect((await sender.finalize()).status).toBe(204);
    expect(await bytes()).toEqual({ total: 5 + size, finalized: 5 + size });
  });

  it('tells of a file that was begun before many others, too', async () => {
    const sender = await newSender(t, { chunk_size: limits.minChunkSize });
    const { id, code } = await makeCode(sender.package.id, sender.token);
    await take(code);
    const size = 2 * limits.minChunkSize;
    const first = await sender.begin('', 'first.mov', { size });
    for (let number = 0; number < 9; number++) await sender.begin('', `later${number}.mov`, { size });
    const confirmed = async () => (await seen(sender, id)).bytes.confirmed;
    expect(await confirmed()).toBe(0);
    await first.put(0, Buffer.alloc(limits.minChunkSize));
    // Not among the first that are looked at, but it has its turn.
    await confirmed();
    expect(await confirmed()).toBe(limits.minChunkSize);
  });

  it('is taken by one app, which may ask again', async () => {
    const sender = await newSender(t);
    const { code } = await makeCode(sender.package.id, sender.token);
    const answers = await Promise.all(['1', '2', '3'].map((name) => take(code, `a secret of the app ${name}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await take(code, `a secret of the app ${winner + 1}`)).body).toMatchObject({ package_id: sender.package.id });
    expect((await open(code)).status).toBe(409);
  });

  it('goes on either in the app or in the page', async () => {
    for (let round = 0; round < 5; round++) {
      const sender = await newSender(t);
      const { id, code } = await makeCode(sender.package.id, sender.token);
      const [taken, ended] = await Promise.all([take(code), cancel(sender, id)]);
      expect([taken.status === 200, ended.status === 204].filter(Boolean)).toHaveLength(1);
    }
  });

  it('cannot be taken after its time, or with what nobody made', async () => {
    const sender = await newSender(t);
    const { id, code } = await makeCode(sender.package.id, sender.token);
    offset = limits.handoverSeconds * 1000;
    expect((await take(code)).status).toBe(409);
    expect((await open(code)).status).toBe(409);
    expect(await seen(sender, id)).toMatchObject({ state: 'expired' });
    expect((await take('x'.repeat(43))).status).toBe(404);
    offset = 0;
  });

  it('cannot be handed over once it is finalized, nor taken', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a.mov', Buffer.from('bytes'));
    const { code } = await makeCode(sender.package.id, sender.token);
    expect((await sender.finalize()).status).toBe(204);
    expect((await take(code)).status).toBe(409);
    expect((await t.call('POST', handoversOf(sender.package.id), { headers: sender.token })).status).toBe(409);
  });

  it('is handed over so often in an hour', async () => {
    const sender = await newSender(t);
    const statuses: number[] = [];
    for (let index = 0; index <= 60; index++) {
      statuses.push((await t.call('POST', handoversOf(sender.package.id), { headers: sender.token })).status);
    }
    expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 201));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('what a code carries', () => {
  const db = () => t.service.services.db;
  const kept = (id: string) => db().selectFrom('handover_parts').select('part').where('handover_id', '=', id).orderBy('part').execute();
  const putPart = (sender: Sender, id: string, part: number) =>
    t.call<{ message: string }>('PUT', `${handoversOf(sender.package.id)}/${id}/parts/${part}`, {
      headers: sender.token,
      body: { files: [file] },
    });
  async function carrying(): Promise<{ sender: Sender; id: string; code: string }> {
    const sender = await newSender(t);
    const { id, code } = await makeCode(sender.package.id, sender.token);
    for (const part of [0, 1, 1]) expect((await putPart(sender, id, part)).status).toBe(204);
    expect(await kept(id)).toHaveLength(2);
    return { sender, id, code };
  }

  it('is forgotten once an app has taken it', async () => {
    const { sender, id, code } = await carrying();
    expect((await take(code)).status).toBe(200);
    expect(await kept(id)).toEqual([]);
    expect((await putPart(sender, id, 0)).status).toBe(409);
  });

  it('is forgotten once the page has ended it', async () => {
    const { sender, id } = await carrying();
    expect((await cancel(sender, id)).status).toBe(204);
    expect((await cancel(sender, id)).status).toBe(204);
    expect(await kept(id)).toEqual([]);
  });

  it('is forgotten after its time', async () => {
    const { id } = await carrying();
    const sweepAt = (at: number) => sweepHandovers({ db: db(), now: () => new Date(at) });
    await sweepAt(Date.now());
    expect(await kept(id)).toHaveLength(2);
    await sweepAt(Date.now() + limits.handoverSeconds * 1000);
    expect(await kept(id)).toEqual([]);
  });

  it('is one list at a time: another code ends the one before, and of calls at once one alone stands', async () => {
    const { sender, id, code } = await carrying();
    const later = await Promise.all([1, 2, 3].map(() => makeCode(sender.package.id, sender.token)));
    expect(await kept(id)).toEqual([]);
    expect((await take(code)).status).toBe(409);
    const states = await Promise.all(later.map(async (one) => (await seen(sender, one.id)).state));
    expect(states.toSorted()).toEqual(['cancelled', 'cancelled', 'waiting']);
  });

  it('has at most so many bytes in all', async () => {
    const { sender, id } = await carrying();
    await db()
      .updateTable('handover_parts')
      .set({ bytes: limits.handoverBytes })
      .where('handover_id', '=', id)
      .where('part', '=', 0)
      .execute();
    const refused = await putPart(sender, id, 2);
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(String(limits.handoverBytes)) } });
    expect(await kept(id)).toHaveLength(2);
    expect((await putPart(sender, id, 0)).status).toBe(204);
    expect((await putPart(sender, id, 2)).status).toBe(204);
  });
});

describe('a download', () => {
  it("of one link's is not ended by another link's", async () => {
    const first = await linkedPackage(t, { 'a.mov': Buffer.from('bytes') });
    const second = await linkTo(t, first.sender);
    const codes: Code[] = [];
    for (const { link } of [first, second]) {
      const { body } = await openLink(t, link);
      codes.push(await makeCode(body.package_id, { 'x-package-token': body.package_token }));
    }
    for (const { code } of codes) expect((await take(code)).status).toBe(200);
  });

  it('goes on with a token of the same link, which ends with it', async () => {
    const linked = await linkedPackage(t, { 'a.mov': Buffer.from('bytes') });
    const { body: info } = await openLink(t, linked.link);
    const page = { 'x-package-token': info.package_token };
    const { id, code } = await makeCode(info.package_id, page);
    await t.call('PUT', `${handoversOf(info.package_id)}/${id}/parts/0`, { headers: page, body: { file_ids: ['one'], other: 'x' } });
    const { db } = t.service.services;
    // What no part has is not kept (contract/conventions.md §3).
    expect(await db.selectFrom('handover_parts').select('content').where('handover_id', '=', id).execute()).toEqual([
      { content: { file_ids: ['one'] } },
    ]);
    expect((await open(code)).body).toMatchObject({ kind: 'download', part: { file_ids: ['one'] }, next: null });
    const taken = await take(code);
    const app = { 'x-package-token': taken.body.package_token };
    const { body: files } = await t.call<{ id: string }[]>('GET', `/v1/packages/${info.package_id}/files`, { headers: app });
    const download = `/v1/packages/${info.package_id}/files/${files[0]!.id}/download`;
    expect((await t.call('GET', download, { headers: app })).status).toBe(200);
    expect((await t.call('POST', `/v1/packages/${info.package_id}/files`, { headers: app, body: file })).status).toBe(403);
  });
});
