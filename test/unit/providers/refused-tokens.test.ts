import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { openB2Bench } from '#test/support/providers/b2/bench.ts';
import { openBoxBench } from '#test/support/providers/box/bench.ts';
import { begin, failureOf, put } from '#test/support/providers/conformance.ts';
import { openFrameioBench } from '#test/support/providers/frameio/bench.ts';
import { openGcsBench } from '#test/support/providers/gcs/bench.ts';
import { openIconikBench } from '#test/support/providers/iconik/bench.ts';

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Bench {
  readonly world: { readonly requests: readonly { readonly path?: string; readonly host?: string }[]; readonly tokens: { clear(): void } };
  create(): CloudProvider;
  close(): Promise<unknown>;
}

describe.each([
  ['Box', openBoxBench, /token$/],
  ['Frame.io', openFrameioBench, /token/],
  ['Google Cloud Storage', openGcsBench, /^\/token$/],
  ['Backblaze B2', openB2Bench, /^authorize$/],
] as const)('at %s', (_, open, signIn) => {
  test('one signs in once for all requests whose token was refused, however late they hear of it', async () => {
    const bench: Bench = await open();
    cleanups.push(() => bench.close());
    const provider = bench.create();
    const list = () => provider.list({ folder: '', count: 1 }, never);
    const signIns = () => bench.world.requests.filter(({ path, host }) => signIn.test(path ?? host ?? '')).length;
    await list();
    bench.world.tokens.clear();
    expect(await Promise.all([failureOf(list()), failureOf(list())])).toEqual(['expired', 'expired']);
    provider.renew();
    await list();
    expect(signIns()).toBe(2);
    provider.renew();
    await list();
    expect(signIns()).toBe(2);
  });
});

test("of Backblaze's addresses those are dropped that are as old as one that is over, and no newer ones", async () => {
  const bench = await openB2Bench();
  cleanups.push(() => bench.close());
  const provider = bench.create();
  const bytes = randomBytes(4 * 5 * mebibyte);
  const upload = await begin(provider, 'parts.bin', bytes, { partSize: 5 * mebibyte });
  const [first, second, third, fourth] = partRanges(upload.layout);
  const send = (range = first!) => put(provider, upload.handle, range, bytes);
  const asked = () => bench.world.requests.filter(({ call }) => call === 'b2_get_upload_part_url').length;
  await Promise.all([send(), send(second)]);
  expect(asked()).toBe(2);
  bench.world.uploadTokens.clear();
  expect(await failureOf(send(third))).toBe('expired');
  bench.ours.clockOffset += 1;
  provider.renew();
  await send(third);
  expect(asked()).toBe(3);
  provider.renew();
  await send(fourth);
  expect(asked()).toBe(3);
});

test('iconik is asked for its storage once, also when an address is over', async () => {
  const bench = await openIconikBench('S3');
  cleanups.push(() => bench.close());
  const provider = bench.create();
  const asked = () => bench.world.requests.filter(({ path }) => /storages\/[^/]+\/$/.test(path)).length;
  await begin(provider, 'one.mov', randomBytes(10));
  expect(asked()).toBe(1);
  provider.renew();
  await begin(provider, 'two.mov', randomBytes(10));
  expect(asked()).toBe(1);
});
