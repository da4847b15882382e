import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { EngineOptions } from '#engine/engine-options.ts';
import type { Clock } from '#engine/ports.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError, type ErrorName } from '#protocol/errors.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants, filesOf, packagesOf } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import type { CannedAnswer, Fault, RequestMatch } from '#test/support/faults/proxy/plan.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { ownerEmail, ownerPassword } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What service and storage may answer in the midst of a transfer, and what comes of it. */

const MiB = 1024 * 1024;
let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
/** What the engine has wanted to wait for, in milliseconds. */
let waits: number[];
let from: number;
const engines: Engine[] = [];

beforeAll(async () => {
  faulty = await startProxiedService();
});

afterAll(async () => {
  await faulty?.close();
});

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  waits = [];
  from = faulty.storage.passages.length;
});

afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    for (const engine of engines.splice(0)) await engine.close();
    await folder.remove();
  }
});

const clock: Clock = (() => {
  const { now, after } = fastClock(60);
  return {
    now,
    after(milliseconds, callback) {
      waits.push(milliseconds);
      return after(milliseconds, callback);
    },
  };
})();

async function engineAt(name: string, options: Partial<EngineOptions> = {}): Promise<Engine> {
  const dataDir = join(folder.path, name);
  const engine = await startTestEngine({ dataDir, serviceUrl: faulty.api.url, apiKey: faulty.service.apiKey, clock, ...options });
  engines.push(engine);
  return engine;
}

async function upload(engine: Engine, name: string): Promise<string> {
  const { teamId } = faulty.service;
  const asked = { team_id: teamId, paths: [source], package_name: name, recipients: [], chunk_size: 5 * MiB };
  return (await engine.transfers.upload(asked)).id;
}

async function download(engine: Engine, { url }: AgentTransfer): Promise<string> {
  return (await engine.transfers.download({ url, dst_folder: join(folder.path, 'target') })).id;
}

/** Fetches what was sent, and looks at all that must hold. */
async function checkAll(engine: Engine, sent: AgentTransfer): Promise<void> {
  expect(sent).toMatchObject({ state: 'complete', error: null });
  expect(await transferWhen(engine, await download(engine, sent))).toMatchObject({ state: 'complete', error: null });
  await checkReceived(sent);
}

async function checkReceived(sent: AgentTransfer): Promise<void> {
  const passages = faulty.storage.passages.slice(from);
  await checkInvariants({ service: faulty.service, sent, source, received: join(folder.path, 'target', 'source'), passages });
}

/** Three chunks and a few small files. */
function writeSource(): void {
  writeTree(source, { 'large.bin': seededBytes(11 * MiB, 1), 'a.txt': 'a', 'b/c.txt': 'c', 'zero.bin': '' });
}

/** Small files, many in a request. */
const batchPutRequest: RequestMatch = { method: 'POST', path: /\/-\/parts$/ };
/** Of the large one's upload. */
const beginning: RequestMatch = { method: 'POST', path: /^(?!.*\/-\/parts$)/ };

const answered = (on: RequestMatch, answer: CannedAnswer): Fault => ({ on, do: { answer } });
const refusal = (name: ErrorName, details: Record<string, string> = {}): CannedAnswer => {
  const { status, body } = new AgentError(name, details);
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
};
const storageSays = (status: number, code: string, message: string): CannedAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

test('a 429 or 503 is tried again when its Retry-After says, by the API and the storage alike', async () => {
  writeSource();
  const later = (seconds: number): CannedAnswer => ({ status: seconds % 2 ? 429 : 503, headers: { 'retry-after': String(seconds) } });
  faulty.api.plan([
    answered({ method: 'POST', path: /\/files\/batch\/blueprints$/ }, later(7)),
    answered({ method: 'POST', path: /\/finalize$/, nth: 2 }, later(34)),
  ]);
  faulty.storage.plan([
    answered({ method: 'PUT', nth: 2 }, later(8)),
    answered({ method: 'PUT', nth: 4 }, later(33)),
    answered(batchPutRequest, later(36)),
  ]);
  const engine = await engineAt('agent');
  const id = await upload(engine, 'Told to wait');
  const sent = await transferWhen(engine, id);
  expect(waits).toEqual(expect.arrayContaining([7_000, 33_000, 8_000, 34_000, 36_000]));
  faulty.storage.plan([answered({ method: 'GET', nth: 2 }, later(35))]);
  await checkAll(engine, sent);
  expect(waits).toContain(35_000);
});

test('a 503 without a word of when is tried again soon', async () => {
  writeSource();
  const busy: CannedAnswer = { status: 503 };
  faulty.api.plan([answered({ path: /\/spec$/ }, busy), answered({ path: /\/files\/[^/]+$/, method: 'POST' }, busy)]);
  faulty.storage.plan([answered(beginning, busy), answered({ method: 'PUT' }, busy), answered(batchPutRequest, busy)]);
  const engine = await engineAt('agent');
  const id = await upload(engine, 'Busy');
  await checkAll(engine, await transferWhen(engine, id));
});

test('what others answer in the place of service or storage passes, and so does a full storage', async () => {
  writeSource();
  const page: CannedAnswer = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in to Harbour Wi-Fi</html>' };
  const redirect: CannedAnswer = { status: 302, headers: { location: 'http://portal.test/' } };
  const bare: CannedAnswer = { status: 400, body: 'Bad Request' };
  faulty.api.plan([
    answered({ path: /\/spec$/ }, redirect),
    answered({ method: 'POST', path: /^\/v1\/teams\/[^/]+\/packages$/ }, page),
    answered({ method: 'POST', path: /\/files\/batch\/record$/ }, bare),
    answered({ method: 'POST', path: /\/finalize$/, nth: 2 }, page),
    answered({ method: 'POST', path: /\/files\/[0-9a-f-]{36}\/finalize$/ }, refusal('service_storage_full')),
  ]);
  faulty.storage.plan([
    answered(batchPutRequest, storageSays(507, 'InsufficientStorage', 'The storage is full.')),
    answered({ method: 'PUT' }, redirect),
    answered({ method: 'PUT', nth: 2 }, page),
    answered({ method: 'PUT', nth: 3 }, bare),
  ]);
  const engine = await engineAt('agent');
  const sent = await transferWhen(engine, await upload(engine, 'Behind a sign-in page'));
  faulty.storage.plan([answered({ method: 'GET' }, redirect), answered({ method: 'GET', nth: 2 }, page)]);
  await checkAll(engine, sent);
});

test('while the service is gone it is said since when, why and when it is tried next, and "try now" does', async () => {
  writeSource();
  // Nothing that waits for a second or longer is tried by itself.
  const patient: Clock = { now: clock.now, after: (wait, call) => (wait < 500 ? clock.after(wait, call) : () => {}) };
  const engine = await engineAt('agent', { clock: patient });
  await engine.session.current();
  faulty.api.down = true;
  const began = Date.now();
  const id = await upload(engine, 'Tried now');
  const waiting = await transferWhen(engine, id, (transfer) => transfer.waiting !== null);
  expect(waiting).toMatchObject({ state: 'transferring', waiting: { cause: 'service_unreachable', remedy: 'wait', needs_person: false } });
  const { unreachable } = engine.status();
  expect(unreachable).toEqual([
    {
      service_url: faulty.api.url,
      since: expect.any(String),
      reason: expect.stringContaining('cannot be reached'),
      next_try_at: expect.any(String),
      transfers: 1,
    },
  ]);
  expect(Date.parse(unreachable[0]!.since)).toBeGreaterThanOrEqual(began);
  expect(Date.parse(unreachable[0]!.next_try_at)).toBeGreaterThan(Date.parse(unreachable[0]!.since));
  faulty.api.down = false;
  await engine.transfers.tryNow();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
  expect(engine.status().unreachable).toEqual([]);
});

test.each(seeds(soaking ? 20 : 1))('a chunk that arrives otherwise goes again, and a second time as well (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const corrupted = (nth: number): Fault => ({
    on: { method: 'PUT', nth },
    at: { of: 'request', part: 'body', share: random() },
    do: 'corrupt',
  });
  writeTree(source, { 'large.bin': seededBytes(11 * MiB, seed) });
  faulty.storage.plan([corrupted(1 + Math.floor(random() * 3))]);
  const engine = await engineAt('agent');
  await checkAll(engine, await transferWhen(engine, await upload(engine, `Corrupted once ${seed}`)));

  from = faulty.storage.passages.length;
  source = join(folder.path, 'again', 'source');
  writeTree(source, { 'one.bin': seededBytes(700_000, seed) });
  faulty.storage.plan([corrupted(1), corrupted(2)]);
  const id = await upload(engine, `Corrupted twice ${seed}`);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 1 });
});

test.each(seeds(soaking ? 20 : 1))(
  'a range that comes otherwise costs its file again, and a second time as well (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const corrupted = (nth: number): Fault => ({
      on: { method: 'GET', nth },
      at: { of: 'response', part: 'body', share: random() },
      do: 'corrupt',
    });
    writeTree(source, { 'large.bin': seededBytes(11 * MiB, seed), 'small.bin': seededBytes(3_000, seed) });
    const engine = await engineAt('agent');
    const sent = await transferWhen(engine, await upload(engine, `Corrupted on its way down ${seed}`));
    // One of the four first ones, and one of those that come for it: of the small file one, of the large one three.
    faulty.storage.plan([corrupted(1 + Math.floor(random() * 4))]);
    const id = await download(engine, sent);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
    await checkReceived(sent);

    faulty.storage.plan([1, 2, 3, 4, 5, 6, 7, 8].map(corrupted));
    const other = join(folder.path, 'other');
    const { id: again } = await engine.transfers.download({ url: sent.url, dst_folder: other });
    expect(await transferWhen(engine, again)).toMatchObject({ state: 'complete', files: 2 });
  },
);

test('addresses that have expired are asked for anew, whatever they were for', async () => {
  writeSource();
  const expired = storageSays(403, 'AccessDenied', 'Request has expired');
  faulty.storage.plan([
    answered(beginning, expired),
    answered(batchPutRequest, expired),
    answered({ method: 'PUT' }, expired),
    answered({ method: 'PUT', nth: 3 }, expired),
  ]);
  const engine = await engineAt('agent');
  const sent = await transferWhen(engine, await upload(engine, 'Expired'));
  faulty.storage.plan([answered({ method: 'GET' }, expired), answered({ method: 'GET', nth: 3 }, expired)]);
  await checkAll(engine, sent);
});

test('a session that ends in the midst: what has its package goes on, what has none waits for somebody to sign in', async () => {
  writeSource();
  const engine = await engineAt('agent', { apiKey: undefined });
  await engine.session.signIn(ownerEmail, ownerPassword);
  faulty.storage.rate = 20 * MiB;
  const putting = faulty.storage.seen(({ method }) => method === 'PUT', 1);
  const first = await upload(engine, 'Before the end of the session');
  await putting;
  faulty.api.plan([
    answered({ method: 'POST', path: /^\/v1\/teams\/[^/]+\/packages$/ }, refusal('credential_invalid', { header: 'X-User-Token' })),
  ]);
  const second = await upload(engine, 'After the end of the session');
  const waiting = await transferWhen(engine, second, (transfer) => transfer.waiting?.reason.includes('Sign in') ?? false);
  expect(waiting).toMatchObject({ state: 'transferring', error: null, bytes: 0 });
  faulty.storage.rate = 0;
  expect(await transferWhen(engine, first)).toMatchObject({ state: 'complete' });
  await engine.session.signIn(ownerEmail, ownerPassword);
  const sent = await transferWhen(engine, second);
  // It is the same folder twice.
  from = faulty.storage.passages.length;
  await checkAll(engine, sent);
});

test('a package token that is refused in the midst ends an upload in words, and a retry goes on from there', async () => {
  writeSource();
  faulty.api.plan([answered({ path: /\/files\/[^/]+\/finalize$/ }, refusal('credential_invalid', { header: 'X-Package-Token' }))]);
  const engine = await engineAt('agent');
  const id = await upload(engine, 'Refused');
  const failed = await transferWhen(engine, id);
  expect(failed).toMatchObject({
    state: 'error',
    error: { message: expect.stringContaining('The credential in X-Package-Token is not valid') },
  });
  await engine.transfers.retry(id);
  await checkAll(engine, await transferWhen(engine, id));
});

test('a token that is refused in the midst of a download is got anew from the link', async () => {
  writeSource();
  const engine = await engineAt('agent');
  const sent = await transferWhen(engine, await upload(engine, 'Refused below'));
  faulty.api.plan([answered({ path: /\/download$/, nth: 2 }, refusal('credential_invalid', { header: 'X-Package-Token' }))]);
  await checkAll(engine, sent);
});

test('a package that is deleted under its upload ends it in words; a retry sends all to another one', async () => {
  writeSource();
  const { service } = faulty;
  const engine = await engineAt('agent');
  faulty.storage.rate = 2 * MiB;
  const putting = faulty.storage.seen(({ method }) => method === 'PUT', 3);
  const id = await upload(engine, 'Deleted');
  // A batch that comes after the deletion is nobody's, and swept only once its blueprints have ended.
  await Promise.all([putting, transferWhen(engine, id, ({ files }) => files === 3)]);
  const [made] = await packagesOf(service, 'Deleted');
  await service.call('DELETE', `/v1/packages/${made!.id}`, { headers: { 'x-package-token': made!.access_token } });
  faulty.storage.rate = 0;
  const failed = await transferWhen(engine, id);
  expect(failed.state).toBe('error');
  expect(failed.error?.message).toMatch(/This package has expired|There is no package/);
  await engine.transfers.retry(id);
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({ state: 'complete', files: 4 });
  expect(sent.package_id).not.toBe(made!.id);
  from = faulty.storage.passages.length;
  await checkAll(engine, sent);
});

test('a link that is disabled, and a file that is gone from the storage, end a download in words, with what came kept whole', async () => {
  writeSource();
  const { service } = faulty;
  const engine = await engineAt('agent');
  const sent = await transferWhen(engine, await upload(engine, 'Gone'));
  const large = (await filesOf(service, sent.package_id, 'Gone')).find(({ name }) => name === 'large.bin')!;
  const objects = join(service.dataDir, 'objects', 'objects');
  const shard = readdirSync(objects).find((name) => existsSync(join(objects, name, large.id)))!;
  renameSync(join(objects, shard, large.id), join(folder.path, 'taken away'));
  const id = await download(engine, sent);
  const failed = await transferWhen(engine, id);
  expect(failed).toMatchObject({ state: 'error', files: 3 });
  expect(failed.error?.message).toContain('The file is no longer in the storage');
  const target = join(folder.path, 'target', 'source');
  const { 'large.bin': _, ...others } = readTree(source);
  expect(readTree(target)).toEqual(others);

  const [made] = await packagesOf(service, 'Gone');
  const headers = { 'x-package-token': made!.access_token };
  const { body: links } = await service.call<{ id: string }[]>('GET', `/v1/packages/${made!.id}/links`, { headers });
  const { status } = await service.call('DELETE', `/v1/packages/${made!.id}/links/${links[0]!.id}`, { headers });
  expect(status).toBe(204);
  await engine.transfers.retry(id);
  const ended = await transferWhen(engine, id);
  expect(ended).toMatchObject({ state: 'error', files: 3 });
  expect(ended.error?.message).toMatch(/link/i);
});
