import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import { backUp } from '#service/backup/backup.ts';
import { folderStore } from '#service/backup/folder-store.ts';
import { readLastBackup } from '#service/backup/last-backup.ts';
import { chosenManifest, type Manifest } from '#service/backup/manifest.ts';
import type { FileStore } from '#service/backup/ports.ts';
import { s3Store } from '#service/backup/s3-store.ts';
import { readSecret } from '#service/data-folder.ts';
import { longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { type KillMoment, killedAt } from '#test/support/faults/kill-moment.ts';
import { rememberScrypt } from '#test/support/faults/remembered-scrypt.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { emptyTestDatabase, startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { etagFor, newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { packagesNamed } from '#test/support/service/sent-packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { sendTogether } from '#test/support/storage/packed.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Backups of a running service, what a restore makes of them, and what a kill or a flipped bit leaves. */

const passphrase = 'four words of mine';
const env = { LONGSHORE_BACKUP_PASSPHRASE: passphrase };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let dataDir: string;
let target: string;
let postgres: TestPostgres;
let t: TestService;
let sent: Sender;
let forgetScrypt: () => void;
beforeAll(async () => {
  forgetScrypt = rememberScrypt();
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
  target = join(folder.path, 'backups');
  await mkdir(dataDir, { mode: 0o711 });
  postgres = await startedTestDatabase(join(dataDir, 'service'));
  t = await startTestService({ dataDir: join(dataDir, 'service'), databaseUrl: postgres.url, processes: 1 });
  sent = await newSender(t, { name: 'Kept dailies', recipients: ['a@x.org'] });
  await sent.send('a/b', 'alone.bin', randomBytes(300_000));
  await sent.send('', 'empty.bin', Buffer.alloc(0));
  await sendPacked(sent, 20);
  expect((await sent.finalize()).status).toBe(204);
});
afterAll(async () => {
  forgetScrypt();
  await t?.close();
  await postgres?.close();
  await folder.remove();
});

/** Sends small files in one request: they share a file of the storage. */
async function sendPacked(sender: Sender, count: number): Promise<void> {
  const contents = Array.from({ length: count }, (_, index) => randomBytes(100 + index));
  const batch = batchesOf(t, sender);
  const { body } = await batch.create(contents.map(({ length }, index) => ({ path: 'many', name: `${index}.bin`, size: length })));
  const files = body.files as readonly BatchCreated[];
  await sendTogether(
    t.service.services.storage,
    files.map((one) => ({ key: one.file!.id, uploadId: one.upload_id!, put: one.put_blueprint! })),
    contents,
  );
  const done = await batch.finalize(files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length)));
  expect(done.body.files.filter(({ error }) => error)).toEqual([]);
}

/** Where the service is. */
const here = () => ['--data-dir', dataDir, '--database-url', postgres.url];
const command = (args: readonly string[]) => longshoreHere(['admin', ...args], { env });
const backup = async (more: readonly string[] = [], to = target) => {
  const run = await command(['backup', to, ...here(), '--json', ...more]);
  expect([run.code, run.stderr.match(/longshore: .*/)]).toEqual([0, null]);
  return JSON.parse(run.stdout) as { snapshot: string; copied_bytes: number; objects: number; ended: number; lost: number };
};
/** Without the passphrase, which takes more CPU to try than all else (`scrypt`): the seal is compared by its digest too. */
const verify = (more: readonly string[] = [], at = target) => longshoreHere(['admin', 'backup', 'verify', at, ...more], { env: {} });

async function restored(name: string, more: readonly string[] = [], from = target): Promise<string> {
  const at = join(folder.path, name);
  const run = await command(['restore', from, '--data-dir', at, ...more]);
  expect([run.code, run.stderr.match(/longshore: .*/)]).toEqual([0, null]);
  return at;
}

/** Into a database of the PostgreSQL that is there: to make one of the service's own takes a second of CPU. */
async function restoredBeside(name: string, more: readonly string[] = [], from = target) {
  const { url, close } = await emptyTestDatabase();
  const database = ['--database-url', url];
  const at = await restored(name, [...more, ...database], from);
  return { at, database, url, close };
}

const keptFiles = async (service = t) => {
  const { files, ...others } = await packagesNamed(service, 'Kept');
  return { ...others, files: files.toSorted((a, b) => a.path.localeCompare(b.path)) };
};

/** Rows of each table, by a digest, but for what a restore adds. */
const contentOf = ({ tables }: Manifest) =>
  tables.filter(({ name }) => !['service_facts', 'job'].includes(name)).map(({ name, rows, sum }) => [name, rows, sum.digest]);

describe('a backup of a running service', () => {
  it('is restored as the same service, whose own backup is the same again', async () => {
    const first = await backup();
    expect(first).toMatchObject({ objects: 22, ended: 0, lost: 0 });
    expect(first.copied_bytes).toBeGreaterThan(300_000);
    const again = await backup();
    expect([again.copied_bytes, again.objects]).toEqual([0, 22]);
    const whole = await command(['backup', 'verify', target]);
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/is whole: \d+ tables, 22 objects of .* by digest\.\n$/)]);
    const list = JSON.parse((await command(['backup', 'list', target, '--json'])).stdout) as { snapshot: string; begun_at: string }[];
    expect(list.map(({ snapshot }) => snapshot)).toEqual([again.snapshot, first.snapshot]);
    // The service tells how old the newest is.
    expect(await readLastBackup(join(dataDir, 'service'))).toEqual(new Date(list[0]!.begun_at));

    const before = await keptFiles();
    const [link] = await sent.links();
    const at = await restored('restored');
    const other = await startTestService({ dataDir: join(at, 'service'), processes: 1 });
    try {
      expect(await keptFiles(other)).toEqual(before);
      // What was given out before goes on being good.
      expect((await openLink(other, link!)).status).toBe(200);
      const key = { 'x-api-key': t.apiKey };
      expect((await other.call('GET', `/v1/teams/${t.teamId}/packages`, { headers: key })).status).toBe(200);
    } finally {
      await other.stop();
    }
    // A fresh restore, since a service that ran has changed rows.
    const untouched = await restoredBeside('untouched', ['--snapshot', first.snapshot]);
    const there = ['--data-dir', untouched.at, ...untouched.database];
    expect((await command(['check', '--deep', ...there])).code).toBe(0);
    const second = join(folder.path, 'second-backups');
    expect((await command(['backup', second, ...there, '--json'])).code).toBe(0);
    await untouched.close();
    const [one, two] = await Promise.all([
      chosenManifest(folderStore(target), first.snapshot),
      chosenManifest(folderStore(second), undefined),
    ]);
    expect(contentOf(two)).toEqual(contentOf(one));
    expect(two.objects).toEqual(one.objects);
  });

  it(
    'goes into a database of its own too, if that is empty',
    inAll('restores into an empty database, killed ones among them'),
    async () => {
      const empty = await emptyTestDatabase();
      try {
        const at = await restored('beside', ['--database-url', empty.url]);
        const before = await keptFiles();
        const other = await startTestService({ dataDir: join(at, 'service'), databaseUrl: empty.url, processes: 1 });
        expect(await keptFiles(other)).toEqual(before);
        await other.stop();
        const twice = await command(['restore', target, '--data-dir', join(folder.path, 'beside-2'), '--database-url', empty.url]);
        expect([twice.code, twice.stderr]).toEqual([6, expect.stringMatching(/The database is not empty: a service has used it\./)]);
      } finally {
        await empty.close();
      }
    },
  );

  it.skipIf(!hasSwift())('goes into a bucket, where a flipped byte is found too', inAll('the same backup in a folder'), async () => {
    const bucket = await newSwiftBucket();
    const large = await newSender(t, { name: 'Large' });
    await large.send('', 'large.bin', randomBytes(20_000_000));
    const first = await backup([], bucket.url);
    expect(first).toMatchObject({ ended: 0, lost: 0 });
    expect(first.copied_bytes).toBeGreaterThan(20_000_000);
    expect((await backup([], bucket.url)).copied_bytes).toBe(0);
    expect((await verify([], bucket.url)).code).toBe(0);
    const { at, url, close } = await restoredBeside('of-bucket', [], bucket.url);
    const before = await keptFiles();
    const other = await startTestService({ dataDir: join(at, 'service'), databaseUrl: url, processes: 1 });
    expect(await keptFiles(other)).toEqual(before);
    await other.stop();
    await close();

    const store = s3Store(bucket.url);
    const [shard] = await store.list('segments/stored');
    const [segment] = await store.list(`segments/stored/${shard!.name}`);
    const path = `segments/stored/${shard!.name}/${segment!.name}`;
    const bytes = await buffer(store.read(path));
    bytes[50] = bytes[50]! ^ 1;
    await store.write(path, [bytes]);
    const found = await verify([], bucket.url);
    expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/^DAMAGED {2}segments\/.* {2}\(file .* of package .*\n$/)]);
  });

  it(
    'has what was deleted while it ran as deleted, not as damaged',
    inAll('a backup of a running service; cli-check for what was deleted while it looked'),
    async () => {
      const doomed = await newSender(t, { name: 'Doomed' });
      const cut = await newSender(t, { name: 'Kept but cut' });
      const real = folderStore(join(folder.path, 'late-backups'));
      let removed: string[] = [];
      const objectOf = (key: string) => t.service.services.storage.head(key);
      const store: FileStore = {
        ...real,
        // After the first objects, and before the moment of the rows.
        async remove(path) {
          await real.remove(path);
          if (!path.endsWith('first.gz')) return;
          const files = [await doomed.send('', 'gone.bin', randomBytes(5_000)), await cut.send('', 'gone.bin', randomBytes(5_000))];
          await cut.send('', 'stays.bin', randomBytes(5_000));
          expect((await doomed.finalize()).status).toBe(204);
          removed = files.map(({ file }) => file.id);
        },
        // After the moment of the rows.
        async write(path, bytes) {
          if (path.includes('/tables/000.')) {
            expect((await t.call('DELETE', `/v1/packages/${doomed.package.id}`, { headers: doomed.token })).status).toBe(204);
            expect((await t.call('DELETE', `/v1/packages/${cut.package.id}/files/${removed[1]}`, { headers: cut.token })).status).toBe(204);
            await eventually('their objects are freed', async () =>
              (await Promise.all(removed.map(objectOf))).every((one) => one === null),
            );
          }
          await real.write(path, bytes);
        },
      };
      const { missing } = await backUp({
        ...{
          store,
          connection: { connectionString: postgres.url },
          version: '0.1.0',
          passphrase,
          now: () => new Date(),
          onProgress: () => undefined,
        },
        ...{ objectsDir: join(t.dataDir, 'objects'), secret: await readSecret(t.dataDir) },
      });
      expect(missing.map(({ why, key }) => [why, key]).sort()).toEqual(removed.map((id) => ['ended', id]).sort());
      expect((await verify([], real.name)).code).toBe(0);

      const { at, url, close } = await restoredBeside('late', [], real.name);
      const other = await startTestService({ dataDir: join(at, 'service'), databaseUrl: url, processes: 1 });
      try {
        const states = await other.service.services.db
          .selectFrom('packages')
          .leftJoin('files', 'files.package_id', 'packages.id')
          .select(['packages.state', 'files.name'])
          .where('packages.id', 'in', [doomed.package.id, cut.package.id])
          .where((where) => where.or([where('files.kind', '=', 'file'), where('files.id', 'is', null)]))
          .orderBy('packages.id')
          .execute();
        const ended = states.filter(({ state }) => state !== 'new');
        expect(ended.map(({ state }) => state)).toEqual(['expired']);
        expect(states.filter(({ state }) => state === 'new')).toEqual([{ state: 'new', name: 'stays.bin' }]);
      } finally {
        await other.stop();
        await close();
      }
    },
  );
});

describe('a flipped bit', () => {
  const flip = async (path: string, at = 0.5): Promise<void> => {
    const bytes = await readFile(path);
    const store = Math.min(bytes.length - 1, Math.floor(bytes.length * at));
    bytes[store] = bytes[store]! ^ 4;
    await writeFile(path, bytes);
  };
  const fileIn = async (below: string, pattern: RegExp): Promise<string> => {
    const found = (await readdir(join(target, below), { recursive: true })).filter((name) => pattern.test(name));
    return join(target, below, found[0]!);
  };

  it.each<[string, string, RegExp, number, RegExp]>([
    ['an object', 'objects', /\/\d{5}\.300000\.[0-9a-f]{64}$/, 0.5, /DAMAGED {2}objects\/.* {2}\(file .* of package /],
    ['a packed object', 'segments', /\/[0-9a-f]{32}$/, 0.2, /^DAMAGED {2}segments\/.* {2}\(file .* of package /],
    ["a segment's index", 'segments', /\/[0-9a-f]{32}$/, 0.8, /^(DAMAGED {2}segments\/.*\n){20}/],
    ['a table', 'snapshots', /tables\/\d+\.users\.gz$/, 0.5, /DAMAGED {2}snapshots\/.*users\.gz\n/],
    ['the list of objects', 'snapshots', /\/objects\.gz$/, 0.5, /DAMAGED {2}snapshots\/.*\/objects\.gz\n/],
    ['the sealed key', 'snapshots', /\/secret\.sealed$/, 0.5, /DAMAGED {2}snapshots\/.*\/secret\.sealed\n/],
  ])('in %s is found and named', async (_, below, pattern, where, named) => {
    const path = await fileIn(below, pattern);
    const id = /snapshots\/([^/]+)\//.exec(path)?.[1];
    await flip(path, where);
    const { code, stdout, stderr } = await verify(id === undefined ? [] : ['--snapshot', id]);
    expect(stdout).toMatch(named);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is not as it was written: \d+ findings?\. Remove the named files/)]);
    await flip(path, where);
    expect((await verify()).code).toBe(0);
  });

  it('in the manifest is found, and in an object it is not restored', async () => {
    const manifest = await fileIn('snapshots', /\/manifest\.json$/);
    const id = /snapshots\/([^/]+)\//.exec(manifest)![1]!;
    await flip(manifest);
    const { code, stderr } = await verify(['--snapshot', id]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/manifest\.json is damaged\. Use another snapshot/)]);
    await flip(manifest);

    const object = await fileIn('objects', /\.300000\.[0-9a-f]{64}$/);
    await flip(object);
    const empty = await emptyTestDatabase();
    const into = ['--data-dir', join(folder.path, 'of-damaged'), '--database-url', empty.url];
    const failed = await command(['restore', target, ...into]);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/objects\/.* is damaged\. `longshore admin backup verify` names all\./),
    ]);
    await flip(object);
    expect((await command(['restore', target, ...into])).code).toBe(0);
    await empty.close();
  });

  it('in an object of the service is told by name, and the backup has all else', async () => {
    const [file] = (await t.service.services.db.selectFrom('files').select('id').where('name', '=', 'alone.bin').execute()).slice(0, 1);
    const objects = join(t.dataDir, 'objects', 'objects');
    const name = (await readdir(objects, { recursive: true })).find((one) => one.includes(file!.id) && /\.300000\./.test(one))!;
    const to = join(folder.path, 'of-flipped');
    await flip(join(objects, name));
    const { code, stderr, stdout } = await command(['backup', to, ...here(), '--json']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/package "Kept dailies" \(.*\), file a\/b\/alone\.bin is damaged\.\n$/)]);
    expect(JSON.parse(stdout)).toMatchObject({ lost: 1, ended: 0 });
    await flip(join(objects, name));
    expect(await backup([], to)).toMatchObject({ lost: 0 });
  });
});

it('gives its key to a service that has lost it, and replaces none', async () => {
  await backup();
  const out = join(folder.path, 'opened.key');
  const { code, stdout } = await command(['backup', 'key', target, '--out', out]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`to ${out}`)]);
  expect(await readFile(out, 'utf8')).toBe(await readFile(join(dataDir, 'service', 'secret.key'), 'utf8'));
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  expect(await command(['backup', 'key', target, '--out', out])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('is there already, and is not replaced'),
  });
  const keyless = join(folder.path, 'keyless');
  await backup(['--without-secret', '--without-objects'], keyless);
  const bare = await command(['backup', 'verify', keyless]);
  expect([bare.code, bare.stdout]).toEqual([0, expect.stringMatching(/is whole: \d+ tables, no objects\.\n$/)]);
  expect(await command(['backup', 'key', keyless, '--out', `${out}.2`])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('has no key'),
  });
});

describe('killed', () => {
  const killed = async (args: readonly string[], moment: KillMoment): Promise<void> => {
    const run = longshore(['admin', ...args], { env: { ...env, ...killedAt(moment) } });
    expect([await run.ended, run.stderr().match(/longshore: .*/)]).toEqual(['SIGKILL', null]);
  };

  it.each<[string, KillMoment]>(
    firstOf([
      ['in the first list', { at: 'keep', like: 'first\\.gz$', nth: 1, when: 'after' }],
      ['in an object', { at: 'keep', like: 'objects/../', nth: 1, when: 'before' }],
      ['before the manifest', { at: 'keep', like: 'manifest\\.json$', nth: 1, when: 'before' }],
      ['after the manifest', { at: 'keep', like: 'manifest\\.json$', nth: 1, when: 'after' }],
    ]),
  )('a backup %s leaves the one before as it was, and the next goes on', async (where, moment) => {
    const to = join(folder.path, `killed ${where}`);
    // One with the key is enough: sealing it is made to be slow.
    const more = where === 'before the manifest' ? [] : ['--without-secret'];
    await backup(more, to);
    const between = await newSender(t, { name: 'Between' });
    await between.send('', 'more.bin', randomBytes(2_000));
    await sendPacked(between, 3);
    await killed(['backup', to, ...here(), ...more], moment);
    expect((await command(['backup', 'verify', to])).code).toBe(0);
    const next = await backup(more, to);
    expect(next).toMatchObject({ ended: 0, lost: 0 });
    // Nothing is copied twice, and nothing half is left.
    if (['after', 'before'].includes(where.split(' ')[0]!) && !where.endsWith('object')) expect(next.copied_bytes).toBe(0);
    expect((await verify([], to)).code).toBe(0);
    expect(await readdir(to)).toEqual(expect.not.arrayContaining(['.unfinished']));
    await rm(to, { recursive: true });
  });

  it.each<[string, KillMoment]>(
    firstOf([
      ['in an object', { at: 'keep', like: 'objects/objects/', nth: 2, when: 'before' }],
      ['in the rows', { at: 'read', like: 'tables/.*packages\\.gz$', nth: 1, when: 'after' }],
      ['after the rows', { at: 'keep', like: 'folder\\.id$', nth: 1, when: 'before' }],
    ]),
  )('a restore %s is no service yet, and the same command goes on', async (where, moment) => {
    const at = join(folder.path, `restore killed ${where}`);
    // One PostgreSQL of the service's own is enough: making it takes a second of CPU.
    const empty = where === 'in the rows' ? null : await emptyTestDatabase();
    const restore = ['restore', target, '--data-dir', at, ...(empty ? ['--database-url', empty.url] : [])];
    const service = { dataDir: join(at, 'service'), ...(empty && { databaseUrl: empty.url }), processes: 1 } as const;
    await killed(restore, moment);
    await eventually('its processes are gone', async () => (await processesWith(at)).length === 0);
    await expect(startTestService(service)).rejects.toThrow(/is not restored into .* to its end/);
    expect((await command(restore)).code).toBe(0);
    const other = await startTestService(service);
    expect((await packagesNamed(other, 'Kept dailies')).files).toHaveLength(22);
    await other.stop();
    await empty?.close();
  });
});

describe('says what to do', () => {
  const expectSentence = async (args: readonly string[], code: number, pattern: RegExp, more: Readonly<Record<string, string>> = env) => {
    const run = await longshoreHere(['admin', ...args], { env: more });
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr.replaceAll(/^(Copying|Database|Comparing).*\n/gm, '').trimEnd()).toMatch(pattern);
    expect(run.stderr).not.toMatch(/\n\s+at |\.ts:\d/);
  };

  it('of passphrases', async () => {
    await expectSentence(['backup', target, ...here()], 2, /Give a passphrase that seals secret\.key/, {});
    await expectSentence(['backup', target, ...here()], 3, /needs 12 characters at least/, { LONGSHORE_BACKUP_PASSPHRASE: 'short' });
    const other = { LONGSHORE_BACKUP_PASSPHRASE: 'four words of others' };
    await expectSentence(['backup', 'verify', target], 3, /The passphrase is not the one with which this backup sealed its key/, other);
    await expectSentence(['backup', 'key', target, '--out', join(folder.path, 'opened.key')], 3, /The passphrase is not the one/, other);
    await expectSentence(['backup', 'key', target, '--out', join(folder.path, 'opened.key')], 2, /sealed\. Give the passphrase/, {});
    const at = join(folder.path, 'unsealed');
    await expectSentence(['restore', target, '--data-dir', at], 3, /The key in the backup is sealed\. Give the passphrase/, {});
    await expectSentence(['restore', target, '--data-dir', at], 3, /The passphrase is not the one/, other);
    expect(await stat(at).catch(() => null)).toBeNull();
  });

  it('of keys: none is made for a backup, and one of another service is in none', async () => {
    const [elsewhere, unmade] = [join(folder.path, 'elsewhere'), join(folder.path, 'unmade')];
    const there = ['backup', unmade, '--data-dir', elsewhere, '--database-url', postgres.url];
    await expectSentence(there, 6, /There is no key file .*elsewhere.*secret\.key/);
    await mkdir(join(elsewhere, 'service'), { recursive: true });
    await writeFile(join(elsewhere, 'service', 'secret.key'), `${randomBytes(32).toString('base64url')}\n`);
    await expectSentence(there, 6, /belongs to a service with another key\. Copy the file secret\.key/);
    expect(await stat(unmade).catch(() => null)).toBeNull();
  });

  it('of targets that are none, as wrong use of the command', async () => {
    const at = join(folder.path, 'not made');
    for (const [wrong, pattern] of [
      ['s3://127.0.0.1:9/', /The storage URL is not usable: its path must be the name of a bucket/],
      ['s3://127.0.0.1:9/bucket?colour=red', /The storage URL is not usable: there is no setting colour/],
      ['gs://bucket/backups', /: gs:\/\/ is no target\. Name a folder, or a bucket as s3:\/\/…\.$/],
      ['S3://KEY:a-secret@127.0.0.1:9/bucket', /: S3:\/\/ is no target/],
    ] as const) {
      await expectSentence(['backup', wrong, ...here()], 2, pattern);
      await expectSentence(['backup', 'list', wrong], 2, pattern);
      await expectSentence(['backup', 'verify', wrong], 2, pattern);
      await expectSentence(['backup', 'key', wrong, '--out', at], 2, pattern);
      await expectSentence(['restore', wrong, '--data-dir', at], 2, pattern);
      expect(await stat(at).catch(() => null)).toBeNull();
    }
  });

  it('of places', async () => {
    await expectSentence(['backup', join(dataDir, 'service', 'backups'), ...here()], 6, /is in the service's own data folder/);
    await expectSentence(['backup', folder.path, ...here()], 5, /is not empty, and holds no backups of Longshore/);
    const nowhere = join(folder.path, 'nowhere');
    await expectSentence(['backup', 'verify', nowhere], 5, /There is no complete backup in .*nowhere/);
    await expectSentence(['restore', nowhere, '--data-dir', join(folder.path, 'x')], 5, /There is no complete backup in/);
    await expectSentence(
      ['restore', target, '--data-dir', join(dataDir, 'service', 'secret.key', 'x')],
      6,
      /cannot be a folder: a file is in its way\. Choose another data folder/,
    );
    await expectSentence(['restore', target, '--data-dir', dataDir], 6, /is not empty\. A backup is restored into an empty folder only/);
    const foreign = join(folder.path, 'foreign');
    await mkdir(foreign);
    await writeFile(join(foreign, 'backups.json'), '{"format":1,"service":"another"}');
    await expectSentence(['backup', foreign, ...here()], 6, /has the backups of another service/);
  });
});
