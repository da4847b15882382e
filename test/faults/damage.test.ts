import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import type { BytePosition, Fault } from '#test/support/faults/proxy/plan.ts';
import { seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Bytes that arrive as others: by chance, which passes, and always the same, which does not. */

const MiB = 1024 * 1024;
/** More often than the quick attempts within a file bear. */
const damages = 7;
let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
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
});
afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    for (const engine of engines.splice(0)) await engine.close();
    await folder.remove();
  }
});

async function engineAt(name: string): Promise<Engine> {
  const engine = await startTestEngine({
    dataDir: join(folder.path, name),
    serviceUrl: faulty.api.url,
    apiKey: faulty.service.apiKey,
    clock: fastClock(60),
  });
  engines.push(engine);
  await engine.session.current();
  return engine;
}

async function upload(
  tree: Tree,
  name: string,
  meanwhile: (engine: Engine, id: string) => Promise<void> = async () => {},
): Promise<AgentTransfer> {
  writeTree(source, tree);
  const engine = await engineAt('sender');
  const { id } = await engine.transfers.upload({ team_id: faulty.service.teamId, paths: [source], package_name: name, recipients: [] });
  await meanwhile(engine, id);
  return transferWhen(engine, id);
}

async function download(url: string, meanwhile: (engine: Engine, id: string) => Promise<void> = async () => {}): Promise<AgentTransfer> {
  const engine = await engineAt('receiver');
  const { id } = await engine.transfers.download({ url, dst_folder: join(folder.path, 'target') });
  await meanwhile(engine, id);
  return transferWhen(engine, id);
}

const body = (of: BytePosition['of'], share: number): BytePosition => ({ of, part: 'body', share });
/** At another byte each time. */
const byChance = (method: string, path: RegExp, of: BytePosition['of']): Fault[] =>
  Array.from({ length: damages }, (_, n) => ({ on: { method, path }, at: body(of, (n + 1) / (damages + 2)), do: 'corrupt' as const }));
const always = (method: string, of: BytePosition['of']): Fault => ({ on: { method }, at: body(of, 0.5), do: 'corrupt', always: true });

const corruptedReceipt = (text: string): Fault => ({
  on: { method: 'GET', path: /\/receipt$/ },
  do: { answer: { status: 200, body: text } },
});

/** Until it says how often. */
const saysSo = async (engine: Engine, id: string): Promise<void> => {
  const waiting = await transferWhen(engine, id, (transfer) => /damages data \(\d+ times\)/.test(transfer.waiting?.reason ?? ''));
  expect(waiting).toMatchObject({ state: 'transferring', waiting: { cause: 'line_damages', remedy: 'wait', needs_person: false } });
};

test('a part that is damaged again and again on its way goes again as often, and the transfer says why', async () => {
  const from = faulty.storage.passages.length;
  faulty.storage.plan(byChance('PUT', /./, 'request'));
  const sent = await upload({ 'large.bin': seededBytes(3 * MiB, 1) }, 'By chance, up', saysSo);
  expect(sent).toMatchObject({ state: 'complete', error: null });
  const log = engines[0]!.transfers.log(sent.id);
  expect(JSON.stringify(await log)).toMatch(/damages data \(\d+ times\)/);
  await checkInvariants({ service: faulty.service, sent, source, passages: faulty.storage.passages.slice(from).slice(-1) });
});

test('a range that is damaged again and again comes again as often', async () => {
  const sent = await upload({ 'large.bin': seededBytes(3 * MiB, 2) }, 'By chance, down');
  faulty.storage.plan(byChance('GET', /./, 'response'));
  const got = await download(sent.url, saysSo);
  expect(got).toMatchObject({ state: 'complete', error: null });
  const passages = faulty.storage.passages.slice(-1);
  await checkInvariants({ service: faulty.service, sent, source, received: join(folder.path, 'target', 'source'), passages });
});

test('small files that share requests, and a receipt, are fetched again as well', async () => {
  const tree = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}.bin`, seededBytes(5_000 + n, n)]));
  const from = faulty.storage.passages.length;
  faulty.storage.plan([{ on: { method: 'POST', path: /\/-\/parts$/ }, at: body('request', 0.7), do: 'corrupt' }]);
  const sent = await upload(tree, 'Small ones');
  expect(sent).toMatchObject({ state: 'complete', error: null, files: 40 });
  faulty.storage.plan([{ on: { method: 'POST', path: /\/-\/objects$/ }, at: body('response', 0.7), do: 'corrupt' }]);
  faulty.api.plan(Array.from({ length: damages }, (_, n) => corruptedReceipt(`not a receipt, ${n} times`)));
  const got = await download(sent.url);
  expect(got).toMatchObject({ state: 'complete', error: null, files: 40, receipt: true });
  const passages = faulty.storage.passages.slice(from).slice(-1);
  await checkInvariants({ service: faulty.service, sent, source, received: join(folder.path, 'target', 'source'), passages });
});

test('what is always made into the same wrong bytes on its way ends in words', async () => {
  faulty.storage.plan([always('PUT', 'request')]);
  const sent = await upload({ 'large.bin': seededBytes(3 * MiB, 3) }, 'Always, up');
  expect(sent).toMatchObject({ state: 'error' });
  const [file] = (await engines[0]!.transfers.files(sent.id, { page: 1, limit: 10 })).records;
  expect(file?.error?.message).toMatch(/same wrong bytes twice/);
});

test('what lies damaged in the storage ends in words, and is not fetched for ever', async () => {
  const sent = await upload({ 'large.bin': seededBytes(3 * MiB, 4) }, 'Always, down');
  faulty.storage.plan([always('GET', 'response')]);
  const got = await download(sent.url);
  expect(got).toMatchObject({ state: 'error' });
});

test('a receipt that is the same each time, and none, ends in words', async () => {
  const sent = await upload({ 'small.bin': seededBytes(5_000, 5) }, 'A bad receipt');
  faulty.api.plan([{ ...corruptedReceipt('not a receipt'), always: true }]);
  const got = await download(sent.url);
  expect(got).toMatchObject({ state: 'error', error: { cause: 'receipt_invalid' } });
});
