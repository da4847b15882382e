import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { speedDiagnosis } from '#service/doctor/database.ts';
import { clockDiagnosis, type Diagnosis } from '#service/doctor/diagnosis.ts';
import { databaseDiagnosis } from '#service/doctor/scanner.ts';
import { listen } from '#service/http/listener.ts';
import { newId } from '#service/ids.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { startCorsBucket } from '#test/support/storage/cors-bucket.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { makeCertificate } from '#test/support/system/tls-proxy.ts';

/** `longshore admin doctor`: each of its findings on the real thing, and none where all is well. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let dataDir: string;
let postgres: TestPostgres;
let mail: TestMailServer;
let t: TestService;
beforeAll(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
  await mkdir(dataDir, { mode: 0o711 });
  postgres = await startedTestDatabase(join(dataDir, 'service'));
  mail = await startMailServer({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      done(password === 'hush' ? null : new Error('Wrong password'), password === 'hush' ? { user: username } : undefined),
  });
  t = await startTestService({ dataDir: join(dataDir, 'service'), databaseUrl: postgres.url, processes: 1 });
});
afterAll(async () => {
  await t?.close();
  await mail?.close();
  await postgres?.close();
  await folder?.remove();
});
let undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.reverse()) await one();
  undo = [];
});

const hostOf = (url: string) => new URL(url).host;
const smtp = (password = 'hush') => `smtp://me:${password}@127.0.0.1:${mail.port}?tls=off`;
/** The settings of the service that runs. */
const settings = (): Record<string, string> => ({
  'data-dir': dataDir,
  'database-url': postgres.url,
  listen: hostOf(t.url),
  'storage-listen': hostOf(t.storageUrl),
  'public-url': t.url,
  'smtp-url': smtp(),
  'mail-from': 'files@example.com',
});

async function doctor(change: Readonly<Record<string, string | undefined>> = {}) {
  const given = Object.entries({ ...settings(), ...change }).filter(([, value]) => value !== undefined);
  const { code, stdout, stderr } = await longshoreHere([
    'admin',
    'doctor',
    '--json',
    ...given.flatMap(([name, value]) => [`--${name}`, value!]),
  ]);
  const all = JSON.parse(stdout) as readonly Diagnosis[];
  expect(code, stderr).toBe(all.some(({ status }) => status === 'fail') ? 1 : 0);
  // How quick this machine is, and how full, is not the test's.
  const isOfMachine = ({ status, about }: Diagnosis) => about.includes('disk') || (about === 'database' && status === 'warn');
  return { all, bad: all.filter((one) => one.status !== 'ok' && !isOfMachine(one)) };
}

it('finds nothing where all is well, and says what it has looked at', async () => {
  const { all, bad } = await doctor();
  expect(bad).toEqual([]);
  expect(all.map(({ about }) => about)).toEqual([
    ...['data folder', 'key', 'data disk', 'objects disk', 'stored bytes', 'port', 'storage port', 'public address'],
    ...['database', 'clock', 'objects', 'mail'],
  ]);
  expect(mail.received).toEqual([]);
  const { code, stdout } = await longshoreHere([
    'admin',
    'doctor',
    ...Object.entries(settings()).flatMap(([name, value]) => [`--${name}`, value]),
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^OK {4}data folder {6}.* can be written\.\n/);
  expect(stdout).toMatch(/^OK {4}port {13}The service answers on 127\.0\.0\.1:\d+\.$/m);
});

describe('finds', () => {
  it.each<[string, () => Record<string, string | undefined> | Promise<Record<string, string | undefined>>, Partial<Diagnosis>[]]>([
    ['no mail server', () => ({ 'smtp-url': undefined }), [{ about: 'mail', status: 'warn', action: 'Give one by --smtp-url.' }]],
    [
      'a mail server that refuses the password, which it does not show',
      () => ({ 'smtp-url': smtp('a-secret-of-mine') }),
      [{ about: 'mail', status: 'fail', seen: expect.stringMatching(/^The mail server cannot be used: (?!.*a-secret-of-mine)/) }],
    ],
    [
      'a database that does not answer',
      () => ({ 'database-url': 'postgres://u:a-secret-of-mine@127.0.0.1:9/d' }),
      [
        {
          about: 'database',
          status: 'fail',
          seen: expect.stringMatching(/^The database at 127\.0\.0\.1:9\/d cannot be used(?!.*a-secret-of-mine)/),
        },
      ],
    ],
    [
      'a folder without a service, as before the first start',
      () => ({ 'data-dir': join(folder.path, 'nowhere'), 'database-url': undefined }),
      [{ about: 'data folder', status: 'warn', seen: expect.stringContaining('There is no service in') }],
    ],
    [
      'a public address that leads nowhere',
      () => ({ 'public-url': 'http://127.0.0.1:9' }),
      [{ about: 'public address', status: 'fail', seen: expect.stringContaining('http://127.0.0.1:9 does not lead to the service') }],
    ],
    [
      'a public address without TLS',
      () => ({ 'public-url': 'http://files.invalid' }),
      [
        { about: 'public address', status: 'warn', seen: 'http://files.invalid has no TLS: passwords and files go in the clear.' },
        { about: 'public address', status: 'fail' },
      ],
    ],
    [
      'another program on the port',
      async () => {
        const other = createServer((_, response) => response.writeHead(418).end());
        await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
        undo.push(() => new Promise((resolve) => other.close(resolve)));
        return { listen: `127.0.0.1:${(other.address() as AddressInfo).port}` };
      },
      [
        {
          about: 'port',
          status: 'fail',
          seen: expect.stringMatching(/^Something that is not this service listens on .*: it answers with 418\.$/),
        },
      ],
    ],
    [
      'an address of another machine',
      () => ({ listen: '192.0.2.1:80', 'public-url': t.url }),
      [{ about: 'port', status: 'fail', action: 'Give an address of this machine (--listen).' }],
    ],
    [
      'a service that is not well',
      async () => {
        const full = { error: 'service_storage_full', message: "The service's storage is full. Nothing is lost." };
        const ends = { error: 'certificate_ends', message: "The service's certificate is good until 2026-12-03 only." };
        const other = createServer((_, response) => response.end(JSON.stringify({ status: 'degraded', problems: [full, ends] })));
        await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
        undo.push(() => new Promise((resolve) => other.close(resolve)));
        return { listen: `127.0.0.1:${(other.address() as AddressInfo).port}` };
      },
      [
        { about: 'health', status: 'fail', seen: "The service's storage is full. Nothing is lost." },
        { about: 'health', status: 'warn', seen: "The service's certificate is good until 2026-12-03 only." },
      ],
    ],
    [
      'receivers of webhooks that cannot be reached, or may not be',
      async () => {
        const { db } = t.service.services;
        const at = new Date();
        const [one, none] = [Buffer.alloc(1), '{}' as never];
        const rows = ['https://nowhere.invalid/hook', 'http://127.0.0.1:9/hook'].map((url) => ({
          ...{ id: newId(), team_id: t.teamId, created_by: null, name: 'x', active: true, events: [], method: 'POST' as const, url },
          ...{ sealed_headers: one, sealed_secret: one, body_extras: none, created_at: at, updated_at: at, deleted_at: null },
        }));
        await db.insertInto('custom_webhooks').values(rows).execute();
        undo.push(() => db.deleteFrom('custom_webhooks').execute());
        return {};
      },
      [
        { about: 'webhooks', status: 'fail', seen: expect.stringContaining('https://nowhere.invalid cannot be reached: ') },
        { about: 'webhooks', status: 'fail', seen: 'http://127.0.0.1:9 is in a private network, where webhooks may not go.' },
      ],
    ],
  ])('%s', async (_, make, expected) => {
    const { bad } = await doctor(await make());
    expect(bad).toMatchObject(expected);
    for (const { seen, action } of bad) expect([seen, action]).toEqual([expect.stringMatching(/\.$/), expect.any(String)]);
  });

  it('a key that others may read, and a restore that is not done', async () => {
    const key = join(t.dataDir, 'secret.key');
    await chmod(key, 0o644);
    undo.push(() => chmod(key, 0o600));
    expect((await doctor()).bad).toMatchObject([{ about: 'key', status: 'fail', action: expect.stringContaining('chmod 600') }]);
    const marker = join(t.dataDir, 'restoring.json');
    await writeFile(marker, '{}');
    undo.push(() => rm(marker));
    expect((await doctor()).all[0]).toMatchObject({
      about: 'data folder',
      status: 'fail',
      seen: expect.stringContaining('is not restored'),
    });
  });

  it.skipIf(!hasPrograms('openssl'))('a certificate of another name, and one that ends soon', async () => {
    await makeCertificate(folder.path, 'DNS:files.example.com');
    const tls = { 'tls-cert': join(folder.path, 'leaf.pem'), 'tls-key': join(folder.path, 'leaf.key') };
    const { all } = await doctor({ ...tls, 'public-url': 'https://other.invalid' });
    expect(all.filter(({ about }) => about === 'certificate')).toMatchObject([
      { status: 'warn', seen: expect.stringMatching(/ is good for [12] more days\.$/) },
      { status: 'fail', seen: expect.stringContaining('is not for other.invalid.') },
    ]);
    const half = await doctor({ ...tls, 'tls-key': join(folder.path, 'ca.key') });
    expect(half.all.find(({ about }) => about === 'certificate')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('the key does not belong'),
    });
    const { code, stderr } = await longshoreHere(['admin', 'doctor', '--tls-cert', tls['tls-cert']]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('give both --tls-cert and --tls-key')]);
  });

  it('a virus scanner that is none, or away', async () => {
    const scanner = async (url: string) => (await doctor({ 'clamd-url': url })).all.find(({ about }) => about === 'virus scanner');
    // A mail server speaks first, and of other things.
    expect(await scanner(`tcp://127.0.0.1:${mail.port}`)).toMatchObject({ status: 'fail' });
    expect(await scanner('unix:///nowhere/clamd.ctl')).toMatchObject({
      status: 'fail',
      seen: 'The virus scanner at unix:///nowhere/clamd.ctl cannot be reached: there is no such file.',
    });
    expect(await scanner('clamd')).toMatchObject({ status: 'fail', seen: expect.stringContaining('--clamd-url') });
  });

  it.skipIf(!hasSwift())('what browsers may not do in a bucket', async () => {
    const bucket = await newSwiftBucket();
    const front = await startCorsBucket();
    try {
      const url = new URL(bucket.url);
      front.configure({ upstream: url.href.replace(/^s3:/, 'http:'), origin: t.url });
      const plain = (await doctor({ 'storage-url': bucket.url })).all;
      expect(plain.find(({ about }) => about === 'bucket')).toMatchObject({ status: 'ok' });
      expect(plain.find(({ about }) => about === 'cors')).toMatchObject({
        status: 'fail',
        seen: expect.stringMatching(/^Browsers may not GET, HEAD, POST, PUT in the bucket from http/),
        action: expect.stringContaining(`AllowedOrigins ${t.url}, AllowedMethods GET HEAD POST PUT`),
      });
      url.searchParams.set('public_url', front.url);
      const fronted = (await doctor({ 'storage-url': url.href })).all;
      expect(fronted.filter(({ about }) => ['bucket', 'cors', 'clock'].includes(about)).map(({ status }) => status)).toEqual([
        'ok',
        'ok',
        'ok',
        'ok',
      ]);
      url.password = 'wrong-secret';
      const refused = (await doctor({ 'storage-url': url.href })).all.find(({ about }) => about === 'bucket');
      expect(refused).toMatchObject({ status: 'fail', seen: expect.not.stringContaining('wrong-secret') });
    } finally {
      await front.close();
    }
  });
});

it('asks a port as the PROXY protocol wants it, where this machine is a trusted proxy', async () => {
  const opened = await listen({ host: '127.0.0.1', port: 0 }, { trustProxy: '127.0.0.1', proxyProtocol: true });
  opened.serve((_, response) => void response.end('{"status":"ok"}'));
  try {
    const at = { listen: `127.0.0.1:${opened.port}`, 'trust-proxy': 'loopback' };
    const port = async (more: object) => (await doctor({ ...at, ...more })).all.find(({ about }) => about === 'port');
    expect(await port({ 'proxy-protocol': 'api' })).toMatchObject({ status: 'ok', seen: `The service answers on ${at.listen}.` });
    expect(await port({})).toMatchObject({ status: 'fail', seen: expect.stringContaining('closed before an answer came') });
  } finally {
    await opened.close(0);
  }
});

it('judges how old the database of a virus scanner is', () => {
  const told = 'ClamAV 1.4.3/27800/Fri Nov 20 09:27:00 2026';
  expect(databaseDiagnosis(told, new Date('2026-11-27T10:00:00Z'))).toMatchObject({
    status: 'ok',
    seen: expect.stringContaining('2026-11-20'),
  });
  expect(databaseDiagnosis(told, new Date('2026-11-29T10:00:00Z'))).toMatchObject({
    status: 'warn',
    seen: expect.stringContaining('9 days old'),
  });
  expect(databaseDiagnosis('ClamAV 1.4.3', new Date())).toMatchObject({ status: 'ok' });
});

it('judges how quick the database is', () => {
  expect(speedDiagnosis('18.4', 1.23)).toEqual({ about: 'database', status: 'ok', seen: 'PostgreSQL 18.4 answers in 1.2 ms.' });
  expect(speedDiagnosis('18.4', 36.7)).toMatchObject({ status: 'warn', action: expect.stringContaining('closer together') });
});

it('judges clocks by what can be told', () => {
  expect(clockDiagnosis('the database', 0.4, 2).status).toBe('ok');
  expect(clockDiagnosis('the database', -12.34, 2)).toMatchObject({
    status: 'warn',
    seen: "This machine's clock is 12.3 s behind that of the database.",
  });
  expect(clockDiagnosis('the bucket', 901, 5)).toMatchObject({
    status: 'fail',
    seen: "This machine's clock is 901 s ahead of that of the bucket.",
  });
});

// The last one: the running service may see it too, for some seconds.
it('finds what a check of stored bytes has found', async () => {
  const at = join(t.dataDir, 'integrity');
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'last-deep.json'), JSON.stringify({ ended_at: '2026-11-03T04:00:00.000Z', counts: { damaged: 2 } }));
  const { all } = await doctor();
  expect(all.find(({ about }) => about === 'stored bytes')).toMatchObject({
    status: 'fail',
    seen: '2 stored files are missing or damaged.',
  });
});
