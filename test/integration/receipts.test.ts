import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { readReceipt } from '#engine/receipt/read-receipt.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type ReceiptEntry, receiptHead, receiptLine } from '#protocol/receipt.ts';
import { createReceiptSigner } from '#service/receipts/signer.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type InterceptingProxy, startInterceptingProxy } from '#test/support/faults/intercepting-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Receipts on the agent: fetched at the end of each transfer, checked, kept, and offered. */

const MiB = 1024 * 1024;
let service: TestService;
let between: InterceptingProxy;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let sender: Engine;
let receiver: Engine;
let source: string;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  between = await startInterceptingProxy(service.url);
  sender = await startTestEngine({ dataDir: join(folder.path, 'sender'), serviceUrl: between.url, apiKey: service.apiKey });
  receiver = await startTestEngine({ dataDir: join(folder.path, 'receiver'), serviceUrl: between.url });
  source = join(folder.path, 'A001');
  writeTree(source, {
    'clip one.mov': seededBytes(11 * MiB + 7, 1),
    'a/b/deep.txt': 'deep',
    empty: null,
    'zero.bin': '',
    'Grüße/日本語 🎬.txt': 'ünïcode',
  });
});
afterEach(() => between.leaveAlone());
afterAll(async () => {
  await sender?.close();
  await receiver?.close();
  await between?.close();
  await service?.close();
  await folder?.remove();
});

async function send(): Promise<AgentTransfer> {
  const { id } = await sender.transfers.upload({
    team_id: service.teamId,
    paths: [source],
    package_name: 'Dailies',
    recipients: [],
    chunk_size: 5 * MiB,
  });
  return transferWhen(sender, id);
}

let folders = 0;
async function fetchOne(sent: AgentTransfer, more: object = {}): Promise<AgentTransfer> {
  const url = sent.url.replace(service.url, between.url);
  const { id } = await receiver.transfers.download({ url, dst_folder: join(folder.path, `in-${folders++}`), ...more });
  return transferWhen(receiver, id);
}

async function textOf(engine: Engine, id: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await engine.transfers.receipt(id)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const entriesOf = (text: string): ReceiptEntry[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as ReceiptEntry);

it('is kept by sender and receiver, the same, with every file', async () => {
  const sent = await send();
  expect(sent).toMatchObject({ state: 'complete', receipt: true });
  const got = await fetchOne(sent);
  expect(got).toMatchObject({ state: 'complete', receipt: true });
  const text = await textOf(receiver, got.id);
  expect(await textOf(sender, sent.id)).toBe(text);
  const keys = (await service.call<{ keys: object[] }>('GET', '/.well-known/jwks.json')).body;
  const { claims } = await readReceipt(oneByOne(text), keys);
  expect(claims).toMatchObject({ package_id: sent.package_id, files: 4, directories: 1, bytes: sent.total_bytes });
  expect(
    entriesOf(text)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['A001/Grüße/日本語 🎬.txt', 'A001/a/b/deep.txt', 'A001/clip one.mov', 'A001/empty', 'A001/zero.bin']);
});

/** As the network may cut it: in the middle of lines and characters. */
async function* oneByOne(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

it('comes while the files of a download still do', async () => {
  const sent = await send();
  between.holdUntil(/\/download$/, /\/receipt$/);
  expect(await fetchOne(sent)).toMatchObject({ state: 'complete', receipt: true });
});

it('is asked for once more where it did not come ahead', async () => {
  const sent = await send();
  let asked = 0;
  between.answer(/\/receipt$/, () => (++asked === 1 ? { status: 503, body: '' } : null));
  expect(await fetchOne(sent)).toMatchObject({ state: 'complete', receipt: true });
  expect(asked).toBe(2);
});

it('is not taken for missing for good because it was while the files came', async () => {
  const sent = await send();
  let asked = 0;
  between.answer(/\/receipt$/, () =>
    ++asked === 1 ? { status: 404, body: '{"code":65541,"message":"There is no endpoint GET /…"}' } : null,
  );
  expect(await fetchOne(sent)).toMatchObject({ state: 'complete', receipt: true });
});

it('is checked for the files that were chosen, too', async () => {
  const sent = await send();
  const listed = await service.call<{ id: string; name: string }[]>('GET', `/v1/packages/${sent.package_id}/files`, {
    headers: { 'x-package-token': await manageToken(sent.package_id) },
  });
  const one = listed.body.find(({ name }) => name === 'deep.txt')!;
  const got = await fetchOne(sent, { file_ids: [one.id] });
  expect(got).toMatchObject({ state: 'complete', receipt: true, total_files: 1 });
  expect(entriesOf(await textOf(receiver, got.id))).toHaveLength(5);
});

it('goes with its transfer, and there is none before the end', async () => {
  const sent = await send();
  const got = await fetchOne(sent);
  expect(readdirSync(join(folder.path, 'receiver', 'receipts'))).toContain(`${got.id}.receipt.gz`);
  await receiver.transfers.remove(got.id);
  expect(readdirSync(join(folder.path, 'receiver', 'receipts'))).not.toContain(`${got.id}.receipt.gz`);
  await expect(receiver.transfers.receipt(got.id)).rejects.toMatchObject({ error: 'not_found' });
  const { id } = await sender.transfers.upload({
    team_id: service.teamId,
    paths: [source],
    package_name: 'Dailies',
    recipients: [],
    auto_finalize: false,
  });
  await transferWhen(sender, id);
  await expect(sender.transfers.receipt(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
});

it('an older service gives none, and the transfer is complete all the same', async () => {
  between.answer(/\/receipt$/, () => ({ status: 404, body: '{"code":65541,"message":"There is no endpoint GET /…"}' }));
  const got = await fetchOne(await send());
  expect(got).toMatchObject({ state: 'complete', receipt: false });
  await expect(receiver.transfers.receipt(got.id)).rejects.toMatchObject({
    error: 'transfer_conflict',
    message: expect.stringContaining('Its service gave none'),
  });
});

describe('a receipt that is not right', () => {
  let sent: AgentTransfer;
  beforeAll(async () => {
    sent = await send();
  });

  /** Another list, signed by the service's own key. */
  async function signed(change: (entries: ReceiptEntry[]) => ReceiptEntry[], claims: object = {}): Promise<string> {
    const own = await textOf(sender, sent.id);
    const entries = change(entriesOf(own));
    const lines = entries.map(receiptLine).join('');
    const { createHash } = await import('node:crypto');
    const old = JSON.parse(
      Buffer.from((JSON.parse(own.split('\n')[0]!) as { receipt: string }).receipt.split('.')[1]!, 'base64url').toString(),
    );
    const jws = await service.service.services.receipts.sign({
      ...old,
      files: entries.filter(({ kind }) => kind === 'file').length,
      directories: entries.filter(({ kind }) => kind === 'directory').length,
      bytes: entries.reduce((sum, { size = 0 }) => sum + size, 0),
      manifest: `sha256:${createHash('sha256').update(lines).digest('hex')}`,
      ...claims,
    });
    return receiptHead(jws) + lines;
  }

  const isClip = ({ path }: ReceiptEntry): boolean => path.endsWith('clip one.mov');

  it.each<[string, (entries: ReceiptEntry[]) => ReceiptEntry[], RegExp]>([
    [
      'another digest',
      (all) => all.map((one) => (isClip(one) ? { ...one, digest: `blake3:${'0'.repeat(64)}` } : one)),
      /"A001\/clip one\.mov" has the digest blake3:0000/,
    ],
    ['another size', (all) => all.map((one) => (isClip(one) ? { ...one, size: 5 } : one)), /has 5 bytes there and 11534343 here/],
    ['a file less', (all) => all.filter((one) => !isClip(one)), /"A001\/clip one\.mov" is not in it/],
    ['a file more', (all) => [...all, { ...all.find(isClip)!, path: 'A001/more.mov' }], /names 1 files more or fewer/],
  ])('says so when it has %s', async (_, change, words) => {
    const text = await signed(change);
    between.answer(/\/receipt$/, () => ({ status: 200, body: text }));
    const got = await fetchOne(sent);
    expect(got).toMatchObject({ state: 'error', error: { code: 524303, message: expect.stringMatching(words), retryable: false } });
    // The files have come, and the receipt that they differ from can be looked at.
    expect(got.files).toBe(got.total_files);
    expect(await textOf(receiver, got.id)).toBe(text);
  });

  it('takes one without a digest where nobody has told one', async () => {
    const text = await signed((all) => all.map(({ digest: _, ...one }) => one));
    between.answer(/\/receipt$/, () => ({ status: 200, body: text }));
    expect(await fetchOne(sent)).toMatchObject({ state: 'complete', receipt: true });
  });

  it.each<[string, (text: string) => string | Promise<string>, RegExp]>([
    ['a changed line', (text) => text.replace('deep.txt', 'deer.txt'), /changed or cut off since it was signed/],
    ['a line less', (text) => `${text.split('\n').slice(0, -2).join('\n')}\n`, /changed or cut off/],
    ['half a line', (text) => text.slice(0, -20), /ends in the middle of a line/],
    ['a changed signature', (text) => text.replace(/\.([A-Za-z0-9_-]{10})([A-Za-z0-9_-]+"\})/, '.AAAAAAAAAA$2'), /its signature is wrong/],
    ['no text at all', () => '', /it is empty/],
    ['something else', () => '<html>\n', /one of its lines is not JSON/],
    ['the receipt of another package', () => signed((all) => all, { package_id: 'another' }), /that of another package/],
    ['a path that leads out', () => signed((all) => [...all, { ...all.find(isClip)!, path: '../../etc/passwd' }]), /no package can hold/],
  ])('does not rely on %s', async (_, corrupt, words) => {
    const text = await corrupt(await textOf(sender, sent.id));
    let asked = 0;
    between.answer(/\/receipt$/, () => {
      asked++;
      return { status: 200, body: text };
    });
    const got = await fetchOne(sent);
    expect(got).toMatchObject({ state: 'error', error: { code: 524302, message: expect.stringMatching(words) } });
    expect(asked).toBe(2);
    expect(got.receipt).toBe(false);
  });

  it('does not rely on a key that is not the service’s', async () => {
    const forger = await createReceiptSigner(Buffer.alloc(32, 7));
    const own = await textOf(sender, sent.id);
    const [head, ...rest] = own.split('\n');
    const claims = JSON.parse(Buffer.from((JSON.parse(head!) as { receipt: string }).receipt.split('.')[1]!, 'base64url').toString());
    const text = receiptHead(await forger.sign(claims)) + rest.join('\n');
    between.answer(/\/receipt$/, () => ({ status: 200, body: text }));
    const got = await fetchOne(sent);
    expect(got).toMatchObject({ state: 'error', error: { message: expect.stringContaining('none of those that are trusted') } });
  });

  it('is fetched again after a hiccup, and after one that came damaged', async () => {
    let asked = 0;
    between.answer(/\/receipt$/, () => {
      asked++;
      if (asked === 1) return { status: 503, body: '' };
      return asked === 2 ? { status: 200, body: '{}\n' } : null;
    });
    expect(await fetchOne(sent)).toMatchObject({ state: 'complete', receipt: true });
    expect(asked).toBe(3);
  });
});

async function manageToken(packageId: string): Promise<string> {
  const { tokens } = service.service.services;
  return tokens.sign('package', { packageId, variant: 'manage', tokenId: 't', linkId: null, userId: service.userId });
}
