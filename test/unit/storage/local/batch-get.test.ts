import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchGetLimits } from '#client/batch-get.ts';
import { filesPerBatch } from '#engine/transfer/concurrency/limits.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { acceptedBatchGet } from '#protocol/storage/batch-get.ts';
import { targetOf } from '#protocol/storage/requests.ts';
import { layoutOf } from '#storage/local/layout.ts';
import { objectsIn } from '#test/support/storage/batch-get.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';

let running: TestStorage;
const troubles: Error[] = [];
beforeAll(async () => {
  running = await startTestStorage({ onTrouble: (error) => void troubles.push(error) });
});
afterAll(() => running.close());

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

async function addressOf(key: string): Promise<string> {
  return (await running.storage.presignRead(key, { expiresAt: inAnHour(), fileName: `${key} ü.bin` })).url;
}

async function stored(key: string, bytes: Buffer): Promise<string> {
  await running.storage.write(key, bytes);
  return targetOf(await addressOf(key));
}

async function post(body: string, { headers = {}, query }: { headers?: Record<string, string>; query?: string } = {}) {
  const shown = query ?? `?for=${encodeURIComponent(await stored('proof', Buffer.from('x')))}`;
  const answer = await fetch(running.storage.batchGetUrl! + shown, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body,
  });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

/** The bytes of each object, or how it was refused. */
async function fetched(targets: readonly string[]): Promise<(Buffer | string)[]> {
  const { status, body } = await post(JSON.stringify(targets));
  expect(status).toBe(200);
  return objectsIn(body).map(({ bytes, refusal }) => bytes ?? `${refusal!.status} ${refusal!.code}`);
}

test('one answer has all objects in the order of the request, also an empty one and one that is named twice', async () => {
  const contents = [randomBytes(70_000), Buffer.alloc(0), ...Array.from({ length: 120 }, (_, index) => randomBytes(index * 300))];
  const targets = await Promise.all(contents.map((bytes, index) => stored(`many/${index}`, bytes)));
  const { status, headers, body } = await post(JSON.stringify([...targets, targets[0]]), {
    headers: { origin: 'https://files.example.com' },
  });
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(Number(headers.get('content-length'))).toBe(body.length);
  const wanted = [...contents, contents[0]!];
  expect(objectsIn(body).map(({ bytes }, index) => bytes?.equals(wanted[index]!))).toEqual(wanted.map(() => true));
});

test('each address is verified by itself, and a refusal concerns only its own object', async () => {
  const [good, other] = [await stored('judged/a', Buffer.from('good')), await stored('judged/b', Buffer.from('other'))];
  const expired = targetOf((await running.storage.presignRead('judged/a', { expiresAt: new Date(1_000_000), fileName: 'a' })).url);
  const gone = await stored('judged/gone', Buffer.from('gone'));
  await running.storage.delete('judged/gone');
  const answers = await fetched([
    good,
    good.replace('judged/a', 'judged/b'),
    good.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    expired,
    gone,
    '/-/healthz',
    '/../../etc/passwd',
    other,
  ]);
  expect(answers).toEqual([
    Buffer.from('good'),
    '403 SignatureDoesNotMatch',
    '403 SignatureDoesNotMatch',
    '403 AccessDenied',
    '404 NoSuchKey',
    '403 SignatureDoesNotMatch',
    '403 SignatureDoesNotMatch',
    Buffer.from('other'),
  ]);
});

test('an object whose file is damaged is refused by itself, and reported as trouble', async () => {
  const layout = layoutOf(running.root);
  const whole = await stored('damaged/whole', Buffer.from('whole'));
  const short = await stored('damaged/short', randomBytes(500));
  const [part] = readdirSync(layout.object('damaged/short'));
  truncateSync(join(layout.object('damaged/short'), part!), 100);
  const lost = await stored('damaged/lost', randomBytes(500));
  rmSync(layout.object('damaged/lost'), { recursive: true });
  troubles.length = 0;
  expect(await fetched([short, whole, lost])).toEqual(['410 ObjectDamaged', Buffer.from('whole'), '404 NoSuchKey']);
  expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining('shorter than it was')]);
});

test('objects that are too large for a batch are refused by themselves, and so are those beyond its total', async () => {
  const { objectBytes, bytes } = acceptedBatchGet;
  const largest = randomBytes(objectBytes);
  const [fits, tooLarge, small] = await Promise.all([
    stored('large/fits', largest),
    stored('large/too', randomBytes(objectBytes + 1)),
    stored('large/small', Buffer.from('small')),
  ]);
  const full = bytes / objectBytes;
  const answers = await fetched([tooLarge, ...Array.from({ length: full + 1 }, () => fits), small]);
  expect(answers[0]).toBe('413 EntityTooLarge');
  expect(answers.slice(1, full + 1).every((one) => largest.equals(one as Buffer))).toBe(true);
  expect(answers.slice(full + 1)).toEqual(['413 EntityTooLarge', '413 EntityTooLarge']);
});

test.each<[string, string]>([
  ['no JSON', 'nothing'],
  ['no list', '{}'],
  ['an empty list', '[]'],
  ['no addresses', '[1]'],
  ['an address of another place', '["https://example.com/a"]'],
  ['too many', JSON.stringify(Array.from({ length: acceptedBatchGet.objects + 1 }, () => '/a'))],
])('a body with %s is refused', async (_, body) => {
  expect((await post(body)).status).toBe(400);
});

test('a body that is too large is not read', async () => {
  expect((await post(' '.repeat(acceptedBatchGet.bodyBytes + 1))).status).toBe(413);
});

test.each<[string, (target: string) => string]>([
  ['no address', () => ''],
  ['an address that is not signed', (target) => `?for=${encodeURIComponent(target.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))}`],
  ['an address that is over', (target) => `?for=${encodeURIComponent(target.replace(/expires=\d+/, 'expires=1000000000'))}`],
])('of somebody who shows %s nothing is read', async (_, shown) => {
  const target = await stored('shown', Buffer.from('x'));
  expect((await post(JSON.stringify([target]), { query: shown(target) })).status).toBe(403);
});

test('the limits of the agent are within those of the storage', () => {
  const longest = 4 * 1024;
  expect(filesPerBatch).toBeLessThanOrEqual(acceptedBatchGet.objects);
  expect(smallFileSize).toBeLessThanOrEqual(acceptedBatchGet.objectBytes);
  expect(batchGetLimits.bytes).toBeLessThanOrEqual(acceptedBatchGet.bytes);
  expect(filesPerBatch * longest).toBeLessThanOrEqual(acceptedBatchGet.bodyBytes);
});

describe('one address for many objects', () => {
  const keys = ['shared/a', 'shared/b', 'shared/c'];
  const askFor = async (body: unknown, { of = keys, expiresAt = inAnHour(), change = (url: string): string => url } = {}) => {
    const url = change(await running.storage.presignReadBatch!(of, expiresAt));
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const got = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200) return `${answer.status} ${/<Code>(\w+)/.exec(got.toString())?.[1]}`;
    return objectsIn(got).map(({ bytes, refusal }) => bytes?.toString() ?? `${refusal!.status} ${refusal!.code}`);
  };
  beforeAll(async () => {
    for (const key of ['shared/a', 'shared/c', 'secret']) await stored(key, Buffer.from(`of ${key}`));
  });

  test('gives them in its order, or those that are wanted of them; one that is not there is refused by itself', async () => {
    expect(await askFor({ objects: keys })).toEqual(['of shared/a', '404 NoSuchKey', 'of shared/c']);
    expect(await askFor({ objects: keys, wanted: [2, 0] })).toEqual(['of shared/c', 'of shared/a']);
  });

  test.each([
    ['another object', { objects: ['shared/a', 'shared/b', 'secret'] }, '403 SignatureDoesNotMatch'],
    ['one object less', { objects: ['shared/a', 'shared/b'] }, '403 SignatureDoesNotMatch'],
    ['two keys in one', { objects: ['shared/a\nshared/b', 'shared/c'] }, '403 SignatureDoesNotMatch'],
    ['another order', { objects: ['shared/b', 'shared/a', 'shared/c'] }, '403 SignatureDoesNotMatch'],
    ['no keys', { objects: [] }, '400 MalformedObjects'],
    ['a list of addresses', ['/shared/a'], '400 MalformedObjects'],
    ['a key that is a number', { objects: ['shared/a', 2, 'shared/c'] }, '400 MalformedObjects'],
    ['a position beyond the last', { objects: keys, wanted: [3] }, '400 MalformedObjects'],
    ['a position before the first', { objects: keys, wanted: [-1] }, '400 MalformedObjects'],
    ['more positions than keys', { objects: keys, wanted: [0, 0, 0, 0] }, '400 MalformedObjects'],
    ['a position twice', { objects: keys, wanted: [1, 1] }, '400 MalformedObjects'],
    ['no position', { objects: keys, wanted: [] }, '400 MalformedObjects'],
  ])('gives nothing for %s', async (_what, body, refusal) => {
    expect(await askFor(body)).toEqual(refusal);
  });

  test('gives nothing once its time is over, or by another signature', async () => {
    expect(await askFor({ objects: keys }, { expiresAt: new Date(1_000_000) })).toBe('403 AccessDenied');
    const altered = (url: string): string => url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect(await askFor({ objects: keys }, { change: altered })).toBe('403 SignatureDoesNotMatch');
    const ofOne = encodeURIComponent(targetOf(await addressOf('shared/a')));
    expect(await askFor({ objects: keys }, { change: (url) => url.replace(/for=.*/, `for=${ofOne}`) })).toBe('400 MalformedObjects');
  });

  test('permits no object to be read by itself, and no list of addresses', async () => {
    const url = new URL(await running.storage.presignReadBatch!(keys, inAnHour()));
    const query = url.searchParams.get('for')!.split('?')[1];
    expect((await fetch(`${running.storage.batchGetUrl!.replace('-/objects', 'shared/a')}?${query}`)).status).toBe(403);
    expect((await fetch(`${running.storage.batchGetUrl!}?${query}`)).status).toBe(403);
  });
});
