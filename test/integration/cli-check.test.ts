import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { IntegrityFinding } from '#protocol/hosted/operator-failures.ts';
import { type CheckOptions, checkStorage } from '#service/integrity/check.ts';
import { checkedFolder } from '#service/integrity/checked-folder.ts';
import type { CheckedStorage } from '#service/integrity/checked-storage.ts';
import type { Finding } from '#service/integrity/finding.ts';
import { readFolderIntegrity } from '#service/integrity/folder-journal.ts';
import { itemKey } from '#service/integrity/item-key.ts';
import { askForMissedNight } from '#service/integrity/missed-night.ts';
import { checkItem } from '#service/integrity/needed-files.ts';
import { integrityCheck } from '#service/integrity/scrub.ts';
import type { JobData } from '#service/jobs/kinds.ts';
import type { Jobs } from '#service/jobs/ports.ts';
import { layoutOf, partFile } from '#storage/local/layout.ts';
import { longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { type KillMoment, killedAt } from '#test/support/faults/kill-moment.ts';
import { firstOf } from '#test/support/level.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { etagFor, newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { ownerEmail, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { sendTogether } from '#test/support/storage/packed.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** `longshore admin check`: what it finds of real damage beside a running service, and what it takes for none. */

const metricsHere = { metricsListen: { host: '127.0.0.1', port: 0 } };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let dataDir: string;
let postgres: TestPostgres;
let t: TestService;
let sent: Sender;
let client: pg.Client;
beforeAll(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
  await mkdir(dataDir, { mode: 0o711 });
  postgres = await startedTestDatabase(join(dataDir, 'service'));
  t = await startTestService({
    dataDir: join(dataDir, 'service'),
    databaseUrl: postgres.url,
    processes: 1,
    scrubRate: 10 ** 9,
    operators: [ownerEmail],
    ...metricsHere,
  });
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  sent = await newSender(t, { name: 'Dailies', recipients: ['a@x.org'] });
  for (const name of ['one.bin', 'two.bin']) await sent.send('a/b', name, randomBytes(200_000));
  // Larger than what is compared at each read.
  await sent.send('a/b', 'three.bin', randomBytes(1_200_000));
  await sent.send('', 'empty.bin', Buffer.alloc(0));
  await sendPacked(sent, 10);
  // Two of them begin at one place.
  await sendPacked(sent, 2, (index) => index * 30, 'with nothing');
  expect((await sent.finalize()).status).toBe(204);
});
afterAll(async () => {
  await client?.end();
  await t?.close();
  await postgres?.close();
  await folder.remove();
});

/** Small files of one request, which share a segment. */
async function sendPacked(sender: Sender, count: number, sizeOf = (index: number) => 100 + index, path = 'many'): Promise<void> {
  const contents = Array.from({ length: count }, (_, index) => randomBytes(sizeOf(index)));
  const batch = batchesOf(t, sender);
  const { body } = await batch.create(
    contents.map(({ length }, index) => ({ path, name: path === 'many' ? `${index}.bin` : `${index} more.bin`, size: length })),
  );
  const files = body.files as readonly BatchCreated[];
  await sendTogether(
    t.service.services.storage,
    files.map((one) => ({ key: one.file!.id, uploadId: one.upload_id!, put: one.put_blueprint! })),
    contents,
  );
  const done = await batch.finalize(files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length)));
  expect(done.body.files.filter(({ error }) => error)).toEqual([]);
}

const objects = (...names: string[]) => join(t.dataDir, 'objects', ...names);
const fileNamed = (name: string) =>
  t.service.services.db.selectFrom('files').selectAll().where('name', '=', name).where('path', '!=', 'x').executeTakeFirstOrThrow();
const args = (...more: string[]) => ['admin', 'check', '--data-dir', dataDir, '--database-url', postgres.url, ...more];

async function check(...more: string[]) {
  const { code, stdout, stderr } = await longshoreHere(args('--json', ...more));
  expect(code, stderr).toSatisfy((one) => one === 0 || one === 8);
  const result = JSON.parse(stdout) as { went_on: boolean; objects: number; findings: readonly Finding[] };
  expect(code).toBe(result.findings.length === 0 ? 0 : 8);
  return result;
}
const found = async (...more: string[]) => (await check(...more)).findings;

/** Put back after each test. */
let undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.reverse()) await one();
  undo = [];
  expect(await found('--deep')).toEqual([]);
});

async function changed(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, change(Buffer.from(bytes)));
  undo.push(() => writeFile(path, bytes));
}
const flipped = (at: number) => (bytes: Buffer) => {
  const place = Math.min(bytes.length - 1, Math.floor(bytes.length * at));
  bytes[place] = bytes[place]! ^ 4;
  return bytes;
};
async function movedAway(path: string): Promise<void> {
  const away = join(folder.path, randomUUID());
  await rename(path, away);
  undo.push(() => rename(away, path));
}
const partOf = async (id: string) => {
  const at = objects('objects', layoutOf('/').objectPath(id));
  return join(at, (await readdir(at))[0]!);
};
const pathOfSegment = (key: string) => objects('segments', 'stored', key.slice(0, 2), key.slice(0, 32));

describe('finds', () => {
  it('nothing where all is as it should be', async () => {
    const { code, stdout, stderr } = await longshoreHere(args());
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^All is there: 16 objects of 1.60 MB, by name and size\.\n$/)]);
    expect(stderr).not.toContain('longshore:');
    expect((await longshoreHere(args('--deep'))).stdout).toMatch(/16 objects of 1.60 MB, each byte by its digest\.\n$/);
  });

  it('a flipped byte in an object, by its package and file, when it is deep', async () => {
    const { id } = await fileNamed('two.bin');
    await changed(await partOf(id), flipped(0.5));
    expect(await found()).toEqual([]);
    expect(await found('--deep')).toMatchObject([
      {
        ...{ kind: 'damaged', key: id, file_id: id, file_name: 'a/b/two.bin', size: 200_000 },
        ...{ package_name: 'Dailies', package_id: sent.package.id, team_id: t.teamId },
      },
    ]);
    const { code, stdout, stderr } = await longshoreHere(args('--deep'));
    expect([code, stdout]).toEqual([
      8,
      expect.stringMatching(/^DAMAGED +objects\/..\/\S+ {2}a\/b\/two\.bin of package "Dailies" \(.*\)\n$/),
    ]);
    expect(stderr).toContain('The storage is not as the database has it: 1 damaged. Restore missing and damaged files from a backup');
  });

  it('a flipped byte in one of many packed files', async () => {
    const { id, object_key } = await fileNamed('4.bin');
    const [, offset] = object_key!.split('.').map(Number);
    await changed(pathOfSegment(object_key!), (bytes) => {
      bytes[offset! + 3]! ^= 1;
      return bytes;
    });
    expect(await found('--deep')).toMatchObject([{ kind: 'damaged', file_id: id, file_name: 'many/4.bin' }]);
  });

  it('what is missing: an object, a part cut short, a segment', async () => {
    const one = await fileNamed('one.bin');
    await movedAway(objects('objects', layoutOf('/').objectPath(one.id)));
    const three = await fileNamed('three.bin');
    await changed(await partOf(three.id), (bytes) => bytes.subarray(0, 150_000));
    const segment = (await fileNamed('0.bin')).object_key!;
    await movedAway(pathOfSegment(segment));
    const findings = await found();
    const kindOf = new Map(findings.map(({ kind, file_name }) => [file_name, kind]));
    expect([findings.length, kindOf.get('a/b/one.bin'), kindOf.get('a/b/three.bin'), kindOf.get('many/7.bin')]).toEqual([
      12,
      'missing',
      'damaged',
      'missing',
    ]);
  });

  it.each([
    ['size', 199_999],
    ['etag', '"0-1"'],
  ])('a row whose %s is another', async (column, value) => {
    const { id, size, etag } = await fileNamed('one.bin');
    const set = (change: object) => t.service.services.db.updateTable('files').set(change).where('id', '=', id).execute();
    await set({ [column]: value });
    undo.push(() => set({ size, etag }));
    const detail = `its row has another ${column} than its bytes`;
    expect(await found()).toMatchObject([{ kind: 'altered', file_id: id, file_name: 'a/b/one.bin', package_name: 'Dailies', detail }]);
  });

  it.each<[string, string, object, string]>([
    ['a digest', 'two.bin', { digest: `blake3:${'0'.repeat(64)}` }, 'its row has another digest than its bytes'],
    ['a fingerprint', 'two.bin', { fingerprint: Buffer.alloc(32) }, 'its row has another fingerprint than its bytes'],
    ['of a packed file an etag', '4.bin', { etag: 'b3-1-1' }, 'its row has another etag than its bytes'],
    ['a name', 'three.bin', { name: 'thref.bin' }, 'its row has another name than it was made with'],
    ['a folder', 'three.bin', { path: 'a/c' }, 'its row has another name than it was made with'],
    ['a time', 'three.bin', { last_modified: new Date(1) }, 'a name, time, digest or chunk size of its files is not as its receipt says'],
    ['a chunk size', 'three.bin', { chunk_size: 7 }, 'a name, time, digest or chunk size of its files is not as its receipt says'],
  ])('a row in which %s was changed', async (_, name, change, detail) => {
    const { id, ...before } = await fileNamed(name);
    const set = (values: object) => t.service.services.db.updateTable('files').set(values).where('id', '=', id).execute();
    await set(change);
    undo.push(() => set(Object.fromEntries(Object.keys(change).map((column) => [column, before[column as keyof typeof before]]))));
    const findings = await found('--deep');
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['altered']));
    expect(findings.map(({ package_name, detail: told }) => [package_name, told])).toContainEqual(['Dailies', detail]);
  });

  it('a receipt that is not the one that was signed, and a row that is gone', async () => {
    const { db } = t.service.services;
    const receipts = () => db.selectFrom('receipts').selectAll().where('package_id', '=', sent.package.id).executeTakeFirstOrThrow();
    const { jws } = await receipts();
    const set = (text: string) => db.updateTable('receipts').set({ jws: text }).where('package_id', '=', sent.package.id).execute();
    await set(
      jws
        .replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
        .replace(/\.(.{40})(.)/, (_, head, one) => `.${head}${one === 'A' ? 'B' : 'A'}`),
    );
    expect(await found('--deep')).toMatchObject([{ kind: 'altered', key: sent.package.id, detail: 'its receipt is not as it was signed' }]);
    await set(jws);
    const { id, ...row } = await fileNamed('empty.bin');
    await db.deleteFrom('files').where('id', '=', id).execute();
    undo.push(() =>
      db
        .insertInto('files')
        .values({ id, ...row, size: 0 } as never)
        .execute(),
    );
    const findings = await found('--deep');
    expect(findings.map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/^its receipt says 16 files and .* say 15 files/));
  });

  it('segments that are counted wrongly, and counts them again where that is asked', async () => {
    const { db } = t.service.services;
    const [, segment] = [0, (await fileNamed('0.bin')).object_key!.slice(0, 32)];
    const rowOf = () => db.selectFrom('segments').selectAll().where('id', '=', segment).executeTakeFirstOrThrow();
    const before = await rowOf();
    await db.updateTable('segments').set({ live_files: 1, live_bytes: 7, package_ids: [] }).where('id', '=', segment).execute();
    const [finding] = await found();
    expect(finding).toMatchObject({
      kind: 'miscounted',
      key: segment,
      detail: 'its row says 1 files of 7 bytes, and there are 10 of 1045',
    });
    expect(await found('--repair')).toMatchObject([{ kind: 'miscounted', repaired: true }]);
    expect(await rowOf()).toEqual(before);
    await db.deleteFrom('segments').where('id', '=', segment).execute();
    expect(await found('--repair')).toMatchObject([{ kind: 'miscounted', detail: 'no row, and there are 10 of 1045' }]);
    expect(await rowOf()).toMatchObject({ live_files: 10, package_ids: before.package_ids });
  });
});

describe('a damaged file', () => {
  it('is given to nobody, by addresses that were signed before neither, until its bytes are back', async () => {
    const { id } = await fileNamed('three.bin');
    const { storage } = t.service.services;
    const { url } = await storage.presignRead(id, { fileName: 'three.bin', expiresAt: new Date(Date.now() + 60_000) });
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    await changed(await partOf(id), flipped(0.9));
    expect((await fetch(url)).status).toBe(200);
    await found('--deep');
    const refused = await fetch(url);
    expect([refused.status, await refused.text()]).toEqual([410, expect.stringContaining('ObjectDamaged')]);
    await expect(storage.read(id)).rejects.toMatchObject({ code: 'object_damaged' });
    await expect(storage.head(id)).rejects.toMatchObject({ code: 'object_damaged' });
    await undo.pop()!();
    // Believed once it was read.
    expect((await fetch(url)).status).toBe(410);
    expect(await found()).toMatchObject([{ kind: 'damaged', file_id: id }]);
    expect(await found('--deep')).toEqual([]);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(whole)).toBe(true);
  });

  it('is named to recipients, in lists and where they want it in a zip, and to operators', async () => {
    const { id } = await fileNamed('three.bin');
    await changed(await partOf(id), flipped(0.9));
    await found('--deep');
    const headers = { 'x-package-token': (await openLink(t, (await sent.links())[0]!)).body.package_token };
    const base = `/v1/packages/${sent.package.id}`;
    const { body: files } = await t.call<File[]>('GET', `${base}/files`, { headers });
    expect(files.filter(({ damaged }) => damaged).map(({ name }) => name)).toEqual(['three.bin']);
    const position = (name: string) => files.findIndex((file) => file.name === name);
    const zip = (name: string) =>
      t.call('POST', `${base}/zips`, { headers, body: { kind: 'zip_mac', ranges: [{ first: position(name), last: position(name) }] } });
    const refusal = { status: 410, body: { message: expect.stringContaining("The storage's copy of a/b/three.bin is damaged") } };
    expect(await zip('three.bin')).toMatchObject(refusal);
    expect((await zip('two.bin')).status).toBe(200);
    const whole = files.find(({ kind }) => kind === 'zip_mac')!;
    expect(await t.call('GET', `${base}/files/${whole.id}/download`, { headers })).toMatchObject(refusal);

    const operator = { 'x-user-token': t.userToken };
    const listed = async () =>
      (await t.call<{ records: IntegrityFinding[] }>('GET', '/v1/operator/integrity_findings', { headers: operator })).body.records;
    expect(await listed()).toMatchObject([
      { kind: 'damaged', file_id: id, file_name: 'a/b/three.bin', package_name: 'Dailies', package_id: sent.package.id, team_id: t.teamId },
    ]);
    // A quick look knows nothing of bytes, and a deep one that they are back.
    await found();
    expect(await listed()).toHaveLength(1);
    await undo.pop()!();
    await found('--deep');
    expect(await listed()).toEqual([]);
    expect((await zip('three.bin')).status).toBe(200);
  });

  it('refuses a zip by its address as well, and pages of what was found follow each other', async () => {
    const { id } = await fileNamed('three.bin');
    const headers = { 'x-package-token': (await openLink(t, (await sent.links())[0]!)).body.package_token };
    const { body: files } = await t.call<File[]>('GET', `/v1/packages/${sent.package.id}/files`, { headers });
    const whole = files.find(({ kind }) => kind === 'zip_mac')!;
    const { body } = await t.call<{ url: string }>('GET', `/v1/packages/${sent.package.id}/files/${whole.id}/download`, { headers });
    await movedAway(objects('objects', layoutOf('/').objectPath(id)));
    await changed(await partOf((await fileNamed('two.bin')).id), flipped(0.5));
    await found('--deep');
    const refused = await fetch(body.url);
    expect([refused.status, await refused.text()]).toEqual([410, expect.stringMatching(/of a\/b\/t(hree|wo)\.bin is damaged/)]);
    const page = async (more = '') =>
      (
        await t.call<{ records: IntegrityFinding[]; next?: string }>('GET', `/v1/operator/integrity_findings?limit=1${more}`, {
          headers: { 'x-user-token': t.userToken },
        })
      ).body;
    const first = await page();
    const second = await page(`&cursor=${first.next}`);
    expect([first, second].map(({ records }) => records.map(({ kind }) => kind))).toEqual([['missing'], ['damaged']]);
    expect(second.next).toBeUndefined();
  });

  it('can be deleted like any other', async () => {
    const sender = await newSender(t, { name: 'Doomed' });
    await sender.send('x', 'doomed.bin', randomBytes(70_000));
    const { id } = await t.service.services.db.selectFrom('files').select('id').where('name', '=', 'doomed.bin').executeTakeFirstOrThrow();
    await changed(await partOf(id), flipped(0.5));
    undo = [];
    expect(await found('--deep')).toMatchObject([{ kind: 'damaged', file_id: id }]);
    await t.service.services.storage.delete(id);
    expect(await t.service.services.storage.head(id)).toBeNull();
    expect(await found()).toMatchObject([{ kind: 'missing', file_id: id }]);
    await t.service.services.db.deleteFrom('files').where('id', '=', id).execute();
  });
});

describe('what no row names', () => {
  const old = new Date(Date.now() - 4 * 24 * 3_600_000);
  async function leftOver(path: string, at: Date): Promise<void> {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, partFile(1, 3, 'a'.repeat(64)).file), 'abc');
    await utimes(path, at, at);
    undo.push(() => rm(path, { recursive: true, force: true }));
  }
  const pathOf = (key: string) => objects('objects', layoutOf('/').objectPath(key));

  it('is told of once it is old, freed by the next sweep where that is asked, and nothing else with it', async () => {
    const [orphan, young, image, noted] = [randomUUID(), randomUUID(), `images/${randomUUID()}`, randomUUID()];
    const packed = await fileNamed('1.bin');
    for (const key of [orphan, image, noted]) await leftOver(pathOf(key), old);
    // What a crash leaves of a file that was packed after all.
    await leftOver(pathOf(packed.id), old);
    await leftOver(pathOf(young), new Date());
    await leftOver(objects('objects/00/mine'), old);
    await t.service.services.db.insertInto('freed_objects').values({ key: noted, noted_at: new Date() }).execute();
    const expected = [
      ['foreign', 'mine'],
      ['orphan', image],
      ['orphan', orphan],
      ['orphan', packed.id],
    ];
    const told = (findings: readonly Finding[]) => findings.map(({ kind, key }) => [kind, key]).sort();
    expect(told(await found())).toEqual(expected.sort());
    expect((await found('--repair')).filter(({ repaired }) => repaired)).toHaveLength(3);
    await runJob(t.service.services, 'objects.sweep', {});
    expect(told(await found('--deep'))).toEqual([['foreign', 'mine']]);
    await expect(readdir(pathOf(young))).resolves.toHaveLength(1);
  });

  it('is a segment too', async () => {
    const { object_key } = await fileNamed('2.bin');
    const id = `${object_key!.slice(0, 12)}4${randomBytes(10).toString('hex').slice(0, 19)}`;
    const path = pathOfSegment(id);
    await writeFile(path, 'abc');
    await utimes(path, old, old);
    undo.push(() => rm(path, { force: true }));
    expect(await found()).toMatchObject([{ kind: 'orphan', key: id }]);
    expect(await found('--repair')).toMatchObject([{ kind: 'orphan', key: id, repaired: true }]);
    await runJob(t.service.services, 'objects.sweep', {});
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});

describe('takes for no damage', () => {
  const look = (key: string, file: { id: string; size: unknown; etag: string | null }) =>
    checkItem(
      client,
      { kind: 'object', object: { key, size: Number(file.size), etag: file.etag!, fileId: file.id, packageId: sent.package.id } },
      checkedFolder(t.dataDir).look(client, { deep: false, rate: null, signal: new AbortController().signal, moved: () => undefined }),
    );

  it('what was deleted while it looked, and what lies elsewhere by now', async () => {
    const file = await fileNamed('two.bin');
    const { db } = t.service.services;
    // As the list had it before it was packed into a segment.
    const packed = await fileNamed('3.bin');
    expect(await look(randomUUID(), packed)).toEqual([]);
    const free = (at: Date | null) => db.updateTable('packages').set({ free_asked_at: at }).where('id', '=', sent.package.id).execute();
    await movedAway(objects('objects', layoutOf('/').objectPath(file.id)));
    expect(await look(file.id, file)).toMatchObject([{ kind: 'missing' }]);
    await free(new Date());
    undo.push(() => free(null));
    expect(await look(file.id, file)).toEqual([]);
    expect(await look(randomUUID(), { ...file, id: randomUUID() })).toEqual([]);
  });
});

const options = (more: Partial<CheckOptions>): CheckOptions => ({
  ...{ connection: { connectionString: postgres.url }, dataDir: t.dataDir, deep: true, rate: null, repair: false, fromStart: false },
  storage: checkedFolder(t.dataDir),
  ...{ now: () => new Date(), signal: new AbortController().signal, onProgress: () => undefined, onFinding: () => undefined },
  ...more,
});

describe('goes on', () => {
  it('after a stop without reading twice, and from the start where that is asked', async () => {
    const stop = new AbortController();
    const onProgress: CheckOptions['onProgress'] = ({ phase }) => phase === 'orphans' && stop.abort(new Error('enough'));
    await expect(checkStorage(options({ signal: stop.signal, onProgress }))).rejects.toThrow('enough');
    const { id } = await fileNamed('one.bin');
    await changed(await partOf(id), flipped(0.5));
    expect(await checkStorage(options({}))).toMatchObject({ went_on: true, objects: 16, findings: [] });
    expect(await checkStorage(options({}))).toMatchObject({ went_on: false, findings: [{ kind: 'damaged', file_id: id }] });
    await expect(checkStorage(options({ signal: AbortSignal.abort(new Error('at once')) }))).rejects.toThrow('at once');
    expect(await checkStorage(options({ fromStart: true }))).toMatchObject({ went_on: false, findings: [{ kind: 'damaged' }] });
    expect(await readdir(join(t.dataDir, 'integrity', 'deep'))).toEqual([]);
  });

  it.each<[string, KillMoment]>(
    firstOf([
      ['in an object', { at: 'read', like: 'objects/objects/', nth: 2, when: 'after' }],
      ['once the list is written', { at: 'keep', like: 'state\\.json$', nth: 1, when: 'after' }],
    ]),
  )('after a kill %s', async (_, moment) => {
    const { id } = await fileNamed('three.bin');
    await changed(await partOf(id), flipped(0.1));
    const run = longshore(args('--deep'), { env: killedAt(moment) });
    expect([await run.ended, run.stderr().match(/longshore: .*/)]).toEqual(['SIGKILL', null]);
    const { went_on, findings } = await check('--deep');
    expect([went_on, findings.map(({ file_id }) => file_id)]).toEqual([true, [id]]);
  });
});

describe('ends', () => {
  it('where its connection is lost and with it the lock, so that never two read one storage', async () => {
    const whole = checkedFolder(t.dataDir);
    const seen: string[] = [];
    const storage: CheckedStorage = {
      ...whole,
      width: { deep: 1, quick: 1 },
      look(own, given) {
        const look = whole.look(own, given);
        return {
          ...look,
          async verify(item) {
            seen.push(itemKey(item));
            if (seen.length > 1) return await look.verify(item);
            const ended = new Promise<void>((resolve) => own.once('end', resolve));
            await client.query(
              `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'longshore check' and datname = current_database()`,
            );
            await ended;
            // Its lock is free.
            expect(await checkStorage(options({ deep: false }))).toMatchObject({ findings: [] });
            return [];
          },
        };
      },
    };
    await expect(checkStorage(options({ storage }))).rejects.toThrow(/connection/);
    expect(seen).toHaveLength(1);
    expect(await checkStorage(options({}))).toMatchObject({ went_on: true, objects: 16, findings: [] });
  });
});

describe('begins anew', () => {
  it.each<[string, (list: string) => Promise<void>]>(
    firstOf([
      ['where its list is rotten', (list) => changed(list, flipped(0.5))],
      ['where its list is cut short', (list) => truncate(list, 40)],
      ['where its list is gone', (list) => rm(list)],
    ]),
  )('%s, as a wrong list finds what is not so', async (_, spoil) => {
    await expect(checkStorage(options({ signal: AbortSignal.abort(new Error('at once')) }))).rejects.toThrow('at once');
    await spoil(join(t.dataDir, 'integrity', 'deep', 'list.gz'));
    expect(await checkStorage(options({}))).toMatchObject({ went_on: false, objects: 16, findings: [] });
  });
});

describe('the nightly check of the service', () => {
  /** What is left to another worker. */
  let left: { data: JobData['integrity.scrub']; startAfter: Date | undefined }[] = [];
  async function scrub(signal?: AbortSignal, data: JobData['integrity.scrub'] = {}): Promise<void> {
    const { jobs } = t.service.services;
    left = [];
    const noted: Jobs = {
      ...jobs,
      async add(db, name, given, options) {
        if (name === 'integrity.scrub') left.push({ data: given as JobData['integrity.scrub'], startAfter: options?.startAfter });
        else await jobs.add(db, name, given, options);
      },
    };
    await runJob(t.service.services, 'integrity.scrub', data, { ...(signal && { signal }), instead: { jobs: noted } });
  }
  const lastEnd = async () => (await readFolderIntegrity(t.dataDir)).last?.ended_at;
  const metric = async (name: string) =>
    Number(
      new RegExp(`^longshore_service_integrity_${name} (.*)$`, 'm').exec(
        await (await fetch(`${t.service.metricsUrl}/metrics`)).text(),
      )?.[1],
    );
  const problems = async () => {
    const found = await integrityCheck(() => readFolderIntegrity(t.dataDir))();
    return found && [found.error, found.message];
  };

  const told = async () => {
    const rows = await t.service.services.db.selectFrom('messages').select('recipient').where('kind', '=', 'storage_damaged').execute();
    return rows.map(({ recipient }) => recipient);
  };

  it('is a problem of the service until it finds mended what it found', async () => {
    const begun = Date.now();
    await scrub();
    expect(await told()).toEqual([]);
    expect([await problems(), await metric('findings{kind="damaged"}')]).toEqual([null, 0]);
    expect(await metric('checked_timestamp_seconds')).toBeGreaterThanOrEqual(Math.floor(begun / 1000));
    const { id } = await fileNamed('two.bin');
    await changed(await partOf(id), flipped(0.5));
    await scrub();
    const asWords = ['storage_damaged', expect.stringMatching(/^1 stored files are missing or damaged\./)];
    expect([await problems(), await metric('findings{kind="damaged"}')]).toEqual([asWords, 1]);
    expect(await told()).toEqual([ownerEmail]);
    // Of the same files nobody is told a second time.
    await scrub();
    expect(await told()).toEqual([ownerEmail]);
    // A quick look knows it from the deep one.
    expect(await found()).toMatchObject([{ kind: 'damaged', file_id: id, detail: 'found by a deep check' }]);
    expect(await problems()).toEqual(asWords);
    await undo.pop()!();
    await scrub();
    expect([await problems(), await metric('findings{kind="damaged"}')]).toEqual([null, 0]);
  });

  it('tells what it has found before it is through, and goes on the next night', async () => {
    const { id } = await fileNamed('one.bin');
    await changed(await partOf(id), flipped(0.5));
    const stop = new AbortController();
    await expect(
      checkStorage(
        options({ signal: stop.signal, onFinding: () => stop.abort(new Error('morning')), onProgress: () => stop.signal.throwIfAborted() }),
      ),
    ).rejects.toThrow('morning');
    expect(await problems()).toMatchObject(['storage_damaged', expect.anything()]);
    await undo.pop()!();
    await scrub(AbortSignal.abort(new Error('the service stops')));
    expect(await problems()).toMatchObject(['storage_damaged', expect.anything()]);
    // That night's look was before it was mended, the one after it begins anew.
    await scrub();
    expect(await problems()).toMatchObject(['storage_damaged', expect.anything()]);
    await scrub();
    expect(await problems()).toBeNull();
  });

  it('is left to the next worker where its own is stopped, for the rest of that night and no longer', async () => {
    const stop = AbortSignal.abort(new Error('the service stops'));
    await scrub();
    expect(left).toEqual([]);
    const before = await lastEnd();
    const night = 5 * 3_600_000;
    const earliest = Date.now() + night;
    await scrub(stop);
    const latest = Date.now() + night;
    const [{ data, startAfter }] = left as [(typeof left)[0]];
    expect(startAfter).toBeUndefined();
    expect(Date.parse(data.until!)).toSatisfy((until) => until >= earliest && until <= latest);
    // However often: the night is no longer for it.
    await scrub(stop, data);
    expect(left).toEqual([{ data, startAfter: undefined }]);
    await scrub(undefined, { until: new Date().toISOString() });
    expect([left, await lastEnd()]).toEqual([[], before]);
    await scrub(undefined, data);
    expect(left).toEqual([]);
    expect(await lastEnd()).not.toBe(before);
  });

  it('is asked for at a start where none has come since yesterday, as by a machine that is off at night', async () => {
    const { services } = t.service;
    const deferred = async () => {
      const { rows } = await client.query<{ in_minutes: number }>(
        `select extract(epoch from start_after - created_on)::int / 60 as in_minutes from jobs.job where name = 'integrity.scrub' and state = 'created'`,
      );
      return rows.map(({ in_minutes }) => in_minutes);
    };
    // Of this service's own start.
    expect(await deferred()).toEqual([expect.toSatisfy((minutes) => minutes === 9 || minutes === 10)]);
    await askForMissedNight(services);
    expect(await deferred()).toHaveLength(1);
    await client.query(`update jobs.job set created_on = created_on - interval '26 hours' where name = 'integrity.scrub'`);
    await askForMissedNight(services);
    expect(await deferred()).toHaveLength(2);
    await askForMissedNight({ ...services, scrub: null });
    expect(await deferred()).toHaveLength(2);
  });

  it('leaves the storage to another check, and looks again later, as that one may be of a machine that is gone', async () => {
    await client.query('select pg_advisory_lock($1)', [0x10abd]);
    undo.push(() => client.query('select pg_advisory_unlock_all()'));
    const begun = Date.now();
    await scrub();
    expect(left).toEqual([{ data: { until: expect.any(String) }, startAfter: expect.any(Date) }]);
    expect(left[0]!.startAfter!.getTime()).toBeGreaterThanOrEqual(begun + 600_000);
    await undo.pop()!();
  });
});

describe('an object larger than the share of a night', () => {
  const chunkSize = 5 * 1024 * 1024;
  /** What is read of other objects and of chunks that a night does not end is below one chunk a night. */
  const share = 1.5 * chunkSize;

  it('is gone on with after the last part that was compared, until the check is through', async () => {
    const sender = await newSender(t, { name: 'Long takes', chunk_size: chunkSize });
    const size = 4 * chunkSize;
    const upload = await sender.begin('', 'take.mxf', { size });
    const etags = [];
    for (let index = 0; index < 4; index += 1) etags.push(await upload.put(index, randomBytes(chunkSize)));
    expect((await upload.finalize(etags, size)).status).toBe(204);
    const folderOf = objects('objects', layoutOf('/').objectPath(upload.file.id));
    const third = (await readdir(folderOf)).toSorted()[2]!;
    await changed(join(folderOf, third), flipped(0.5));

    let read = 0;
    async function night(): Promise<void> {
      const morning = new AbortController();
      const whole = checkedFolder(t.dataDir);
      let left = share;
      const storage: CheckedStorage = {
        ...whole,
        width: { deep: 1, quick: 1 },
        look: (own, given) =>
          whole.look(own, {
            ...given,
            signal: AbortSignal.any([given.signal, morning.signal]),
            moved(bytes, worked = true) {
              given.moved(bytes, worked);
              if (!worked) return;
              read += bytes;
              left -= bytes;
              if (left <= 0) morning.abort(new Error('morning'));
            },
          }),
      };
      await checkStorage(options({ storage, signal: morning.signal })).catch((error: unknown) => {
        if (!morning.signal.aborted) throw error;
      });
    }
    const before = (await readFolderIntegrity(t.dataDir)).last?.begun_at;
    let nights = 0;
    while ((await readFolderIntegrity(t.dataDir)).last?.begun_at === before && nights < 20) {
      await night();
      nights += 1;
    }
    const { last } = await readFolderIntegrity(t.dataDir);
    expect([nights, last?.counts]).toEqual([expect.toSatisfy((count) => count > 2 && count < 6), { damaged: 1 }]);
    // Each night at most one part was begun and not ended.
    expect(read).toBeLessThan(last!.bytes + nights * chunkSize);
    await undo.pop()!();
    expect(await found('--deep')).toEqual([]);
  });
});

describe('says what to do', () => {
  it.each<[string, () => string[], number, RegExp]>([
    ['with a rate that is none', () => args('--rate', '0'), 2, /Give more than nothing a second, as 50MB, or none/],
    [
      'where the objects are elsewhere',
      () => ['admin', 'check', '--data-dir', join(folder.path, 'nowhere'), '--database-url', postgres.url],
      6,
      /The objects of this service are not in .*nowhere\/service\/objects\. Run this on the machine with the folder/,
    ],
  ])('%s', async (_, given, code, pattern) => {
    const run = await longshoreHere(given());
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toMatch(pattern);
  });

  it('while another one is under way', async () => {
    await client.query('select pg_advisory_lock($1)', [0x10abd]);
    undo.push(() => client.query('select pg_advisory_unlock_all()'));
    const { code, stderr } = await longshoreHere(args());
    expect([code, stderr]).toEqual([1, expect.stringContaining('Another check of this service is under way.')]);
    await undo.pop()!();
  });
});
