import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { blake3 } from '@napi-rs/blake-hash';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { ApiError } from '#protocol/errors.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { startHttpServer, type TestServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A service that lies: whatever the test lists, each file holding its own id. */
async function startLyingService(listing: readonly object[]): Promise<TestServer> {
  const server = await startHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://service');
    const json = (body: unknown): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    const download = /files\/([^/]+)\/download$/.exec(pathname);
    const bytes = /^\/bytes\/(.+)$/.exec(pathname);
    if (pathname.startsWith('/v1/links/')) {
      json({
        id: 'l',
        name: '../../evil',
        expiry: '2099-01-01T00:00:00.000Z',
        package_id: 'p',
        package_size: 0,
        package_token: 't',
        recipient_email: '',
        sender_email: '',
        branding: { primary_color: '' },
      });
    } else if (download) json({ method: 'GET', url: `${server.url}/bytes/${download[1]}` });
    else if (bytes) {
      const body = Buffer.from(decodeURIComponent(bytes[1]!));
      response.writeHead(206, { 'content-length': body.length, 'content-range': `bytes 0-${body.length - 1}/${body.length}` }).end(body);
    } else if (/\/(receipt|jwks\.json)$/.test(pathname)) {
      // As a service without receipts says it; without its number somebody in between would have answered.
      response.statusCode = 404;
      json(new ApiError('no_such_endpoint', { method: 'GET', path: pathname }).body);
    } else json(listing);
  });
  return server;
}

let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let target: string;
const servers: TestServer[] = [];

beforeEach(async () => {
  folder = await tempFolder();
  target = join(folder.path, 'outer', 'chosen');
  mkdirSync(target, { recursive: true });
  engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: 'http://127.0.0.1:9' });
});

afterEach(async () => {
  await engine.close();
  for (const server of servers.splice(0)) await server.close();
  await folder.remove();
});

function file(id: string, path: string, name: string, more: object = {}): object {
  const digest = `blake3:${blake3(blake3(Buffer.from(id))).toString('hex')}`;
  return {
    id,
    kind: 'file',
    path,
    name,
    size: Buffer.byteLength(id),
    last_modified: '2026-01-01T00:00:00.000Z',
    virus_detected: false,
    digest,
    chunk_size: 5 * 1024 * 1024,
    ...more,
  };
}

async function fetchFrom(listing: readonly object[], more: object = {}) {
  const server = await startLyingService(listing);
  servers.push(server);
  const { id } = await engine.transfers.download({ url: `${server.url}/d/l?secret=s`, dst_folder: target, ...more });
  return transferWhen(engine, id);
}

test.each([
  ['..', 'up.txt'],
  ['a/../../..', 'up.txt'],
  ['', '..'],
  ['', '../up.txt'],
  ['', '..\\up.txt'],
  ['/etc', 'up.txt'],
  ['', '/up.txt'],
  ['C:', 'up.txt'],
  ['', 'C:\\up.txt'],
  ['', 'nul\u0000.txt'],
  ['', 'CON'],
  ['a//b', 'up.txt'],
  ['.', 'up.txt'],
])('a file named %j / %j is not written, the others are, and the person reads why', async (path, name) => {
  const got = await fetchFrom([file('good', 'sub', 'good.txt'), file('bad', path, name)]);
  expect(got).toMatchObject({ state: 'error', files: 1, total_files: 2, error: { message: expect.stringContaining('was not written') } });
  expect(readTree(join(folder.path, 'outer'))).toEqual({ 'chosen/sub/good.txt': expect.any(String) });
  expect(existsSync('/up.txt')).toBe(false);
});

test('a folder named after a hostile package stays below the chosen one', async () => {
  const got = await fetchFrom([file('good', '', 'good.txt')], { create_package_folder: true });
  expect(got.state).toBe('complete');
  expect(Object.keys(readTree(join(folder.path, 'outer')))).toEqual(['chosen/.._.._evil/good.txt']);
});

test('a symbolic link that stands in the target folder is not followed', async () => {
  const outside = join(folder.path, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(target, 'sub'));
  symlinkSync(join(outside, 'planted.txt'), join(target, 'plain.txt'));
  const got = await fetchFrom([file('a', 'sub', 'in.txt'), file('b', 'sub/deeper', 'in.txt'), file('c', '', 'plain.txt')]);
  expect(got).toMatchObject({ state: 'error', files: 1, error: { message: expect.stringContaining('symbolic link') } });
  expect(readTree(outside)).toEqual({});
  expect(readFileSync(join(target, 'plain (2).txt'), 'utf8')).toBe('c');
});

test('a file where a folder has to be, and one that was there, stand side by side', async () => {
  writeTree(target, { 'mine.txt': 'mine' });
  const got = await fetchFrom([file('3', '', 'dir'), file('4', 'dir', 'x'), file('5', '', 'mine.txt')]);
  expect(got.state).toBe('complete');
  expect(Object.keys(readTree(target)).sort()).toEqual(['dir (2)', 'dir/x', 'mine (2).txt', 'mine.txt']);
  expect(readFileSync(join(target, 'mine.txt'), 'utf8')).toBe('mine');
});

test('other bytes than the sender sent are not kept as the file', async () => {
  const got = await fetchFrom([file('good', '', 'good.txt'), file('swapped', '', 'bad.txt', { digest: `blake3:${'0'.repeat(64)}` })]);
  expect(got).toMatchObject({ state: 'error', files: 1, error: { message: expect.stringContaining('bad.txt') } });
  expect(Object.keys(readTree(target))).toEqual(['good.txt']);
});

test('a listing with two records of one path and name is refused, and not asked for again', async () => {
  const got = await fetchFrom(Array.from({ length: 10_000 }, (_, index) => file(String(index), 'a', 'same.txt')));
  expect(got).toMatchObject({ state: 'error', error: { message: expect.stringContaining('it names "a/same.txt" twice') } });
  expect(readTree(target)).toEqual({});
  expect(servers[0]!.requests.filter((request) => request.endsWith('/files'))).toHaveLength(1);
});

test('a listing that is none is said to be unusable', async () => {
  const got = await fetchFrom([{ id: 'x', kind: 'file', name: 'x', path: '', size: -1, last_modified: 'x', virus_detected: false }]);
  expect(got).toMatchObject({ state: 'error', error: { message: expect.stringContaining('cannot be used') } });
  expect(readTree(target)).toEqual({});
});

test('names that turn the direction of text come with a sign in its place, and the log tells', async () => {
  const ended = await fetchFrom([
    file('f1', '', 'photo\u202egnp.exe'),
    file('f2', 'day\u2066', 'take\u200f.mov'),
    file('f3', 'day\u2066', 'plain.mov'),
    file('f4', '', 'photo_gnp.exe'),
  ]);
  expect(ended).toMatchObject({ state: 'complete', files: 4 });
  const got = Object.keys(readTree(target)).map((path) => [path, readFileSync(join(target, path), 'utf8')]);
  expect(Object.fromEntries(got)).toEqual({
    'photo_gnp.exe': 'f1',
    'photo_gnp (2).exe': 'f4',
    'day_/take_.mov': 'f2',
    'day_/plain.mov': 'f3',
  });
  const { records } = await engine.transfers.log(ended.id);
  expect(records.find(({ event }) => event === 'names_changed')).toMatchObject({ detail: 'photo\ufffdgnp.exe (+ 2)' });
});
