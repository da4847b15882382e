import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudObject, CloudProvider, UploadHandle } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { type B2Bench, openB2Bench } from '#test/support/providers/b2/bench.ts';
import { begin, complete, never, put } from '#test/support/providers/files.ts';

/**
 * A file on its way to Backblaze by the native API, over sockets that break, servers that fail, tokens that end and a sender
 * that dies: it arrives whole and once, no version and no large file is left, and what was confirmed is not sent again. By S3
 * it is `providers-s3.test.ts`.
 */

const partSize = 5 * 1024 * 1024;
const path = 'Longshore/file.bin';

describe('Backblaze B2 over a broken network', () => {
  let bench: B2Bench;
  let proxies: { readonly api: FaultProxy; readonly pod: FaultProxy };
  beforeAll(async () => {
    bench = await openB2Bench();
    proxies = { api: await startFaultProxy(), pod: await startFaultProxy() };
    for (const host of ['api', 'pod'] as const) {
      proxies[host].upstream = bench.origins[host];
      bench.world.addresses[host] = proxies[host].url;
    }
  });
  afterAll(async () => {
    await proxies?.api.close();
    await proxies?.pod.close();
    await bench?.close();
  });

  const openProvider = (): CloudProvider => withRetry(bench.create(), { attempts: 3, firstDelay: 1, greatestDelay: 5 });

  const answered = (status: number): Deed => ({ answer: { status, body: '{"code":"service_unavailable"}' } });

  /** Faults of this seed: one that every file meets, and others that it may. Bytes change in parts alone: TLS keeps everything else. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly pod: readonly Fault[]; readonly api: readonly Fault[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const sure: Fault = { on: {}, at: { of: 'request', part: 'body', share: random() }, do: pick(['cut', 'corrupt'] as const) };
    // Done, but nobody is told.
    const lost: Fault = { on: { nth: 2 }, at: { of: 'response', part: 'head', share: 0 }, do: pick(['cut', answered(500), answered(503)]) };
    const others = (count: number): Fault[] =>
      Array.from({ length: count }, (): Fault => {
        const on = { nth: 1 + Math.floor(random() * 6) };
        const of = pick(['request', 'response'] as const);
        const deed = pick<Deed>(['cut', 'truncate', answered(503), answered(500)]);
        if (typeof deed === 'object') return { on, at: { of, part: 'head', share: 0 }, do: deed };
        return { on, at: { of, part: pick(['head', 'body'] as const), share: random() }, do: deed };
      });
    return { sure, pod: [lost, ...others(2)], api: others(4) };
  }

  /** As a transfer does it: what is known after a death is the handle saved last. */
  async function send(bytes: Buffer, random: () => number): Promise<CloudObject> {
    const confirmed = new Set<number>();
    let saved: UploadHandle | undefined;
    for (let life = 1; life <= 30; life++) {
      const provider = openProvider();
      // In its early lives it dies after so many parts.
      const dies = life <= 3 && random() < 0.6 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY;
      try {
        if (!saved) confirmed.clear();
        const save = async (handle: UploadHandle) => {
          saved = JSON.parse(JSON.stringify(handle)) as UploadHandle;
        };
        const upload = saved ? await provider.resume({ handle: saved }, never) : await begin(provider, path, bytes, { partSize, save });
        if (upload.state === 'complete') return upload.object;
        if (upload.state === 'gone') {
          expect(confirmed.size, 'an upload with confirmed parts is gone').toBe(0);
          await provider.abort({ handle: saved! }, never);
          saved = undefined;
          continue;
        }
        const there = new Map(upload.stored.map((part) => [part.number, part]));
        const isWhole = [...partRanges(upload.layout)].length === 1;
        for (const number of confirmed) expect(there.has(number) || isWhole, `part ${number} was confirmed`).toBe(true);
        let sent = 0;
        const missing = [...partRanges(upload.layout)].filter(({ number }) => !there.has(number));
        const results = await Promise.allSettled(
          missing.map(async (range) => {
            if (sent++ >= dies) return;
            there.set(range.number, await put(provider, upload.handle, range, bytes));
            confirmed.add(range.number);
          }),
        );
        if (random() < 0.3) bench.world.tokens.clear();
        if (random() < 0.2) bench.world.uploadTokens.clear();
        const failed = results.find((one) => one.status === 'rejected');
        if (failed) throw failed.reason;
        if (missing.length > dies) continue;
        const parts = [...there.values()].sort((one, other) => one.number - other.number);
        return await complete(provider, upload.handle, parts, bytes);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.retry === 'never') throw error;
      } finally {
        await provider.close();
      }
    }
    throw new Error('It did not arrive in 30 lives.');
  }

  it.each(seeds(soaking ? 200 : whole ? 3 : 1))('seed %i: arrives whole and once, and leaves nothing else', async (seed) => {
    const random = seededRandom(seed);
    const { world } = bench;
    world.files.clear();
    const bytes = randomBytes(random() < 0.3 ? 1000 : 2 * partSize + 1 + Math.floor(random() * partSize));
    const { sure, pod, api } = faultsOf(random);
    proxies.pod.plan([sure, ...pod]);
    proxies.api.plan(api);
    const object = await send(bytes, random);
    const missed = await proxies.pod.verify().then(
      () => '',
      (error: Error) => error.message,
    );
    // A short way meets not all of the others.
    expect(missed).not.toContain(describeFault(sure));
    await proxies.api.verify().catch(() => undefined);
    expect([object.id, object.size]).toEqual([path, bytes.length]);
    const provider = openProvider();
    expect((await buffer(await provider.openRange({ id: object.id, ifMatch: object.etag }, never))).equals(bytes)).toBe(true);
    await provider.close();
    expect([...world.files.values()].flat().map(({ fileName, fileId }) => [fileName, fileId])).toEqual([[path, object.etag]]);
    expect([...world.largeFiles.values()].map(({ fileName }) => fileName)).toEqual([]);
  });
});
