import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { frameioConfig } from '#providers/frameio/config.ts';
import { createFrameioProvider } from '#providers/frameio/frameio-provider.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudObject, CloudProvider, StoredPart, UploadHandle } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { begin, complete, never, put } from '#test/support/providers/files.ts';
import { type FrameioBench, openFrameioBench } from '#test/support/providers/frameio/bench.ts';

/**
 * A file on its way to Frame.io, over sockets that break, servers that fail and a sender that dies: it arrives whole and
 * once, and no placeholder is left, whichever answer was lost.
 */
describe('Frame.io over a broken network', () => {
  let bench: FrameioBench;
  let proxy: FaultProxy;
  beforeAll(async () => {
    bench = await openFrameioBench();
    proxy = await startFaultProxy();
    proxy.upstream = bench.endpoint;
  });
  afterAll(async () => {
    await proxy?.close();
    await bench?.close();
  });

  function openProvider(): CloudProvider {
    const environment = { mayConnect: () => true, now: () => new Date() };
    const options = { apiUrl: proxy.url, tokenUrl: `${proxy.url}/ims/token/v3`, completePause: 1 };
    const provider = createFrameioProvider(frameioConfig(bench.authorization), environment, options);
    return withRetry(provider, { attempts: 3, firstDelay: 1, greatestDelay: 5 });
  }

  const answered = (status: number): Deed => ({ answer: { status, body: '{"errors":[]}' } });

  /** Faults of this seed: one that every file meets, and others that it may. Bytes change in parts alone: TLS keeps everything else. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly others: readonly Fault[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    // The answer that tells of the placeholder.
    const creation = { method: 'POST', path: /local_upload$/ };
    const sure: Fault = pick<Fault>([
      { on: creation, at: { of: 'response', part: 'head', share: random() }, do: 'cut' },
      { on: creation, at: { of: 'response', part: 'body', share: random() }, do: 'truncate' },
      { on: creation, at: { of: 'response', part: 'head', share: 0 }, do: answered(500) },
      { on: { method: 'PUT' }, at: { of: 'request', part: 'body', share: random() }, do: pick(['cut', 'corrupt']) },
    ]);
    const others = Array.from({ length: 4 }, (): Fault => {
      const method = pick(['PUT', 'PUT', 'POST', 'GET', 'GET', 'DELETE']);
      const on = { method, nth: 1 + Math.floor(random() * 4) };
      const of = pick(['request', 'response'] as const);
      const deed = pick<Deed>(['cut', 'truncate', answered(503), answered(500), 'corrupt']);
      if (deed === 'corrupt') return { on: { ...on, method: 'PUT' }, at: { of: 'request', part: 'body', share: random() }, do: deed };
      if (typeof deed === 'object') return { on, at: { of, part: 'head', share: 0 }, do: deed };
      return { on, at: { of, part: pick(['head', 'body'] as const), share: random() }, do: deed };
    });
    return { sure, others };
  }

  /** As a transfer does it: what is known after a death is the handle saved last. */
  async function send(path: string, bytes: Buffer, random: () => number): Promise<CloudObject> {
    let saved: UploadHandle | undefined;
    for (let life = 1; life <= 40; life++) {
      const provider = openProvider();
      // In its early lives it dies after so many parts.
      const dies = life <= 3 && random() < 0.6 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY;
      try {
        if (saved) {
          const upload = await provider.resume({ handle: saved }, never);
          if (upload.state === 'complete') return upload.object;
          await provider.abort({ handle: saved }, never);
          saved = undefined;
        }
        const save = async (handle: UploadHandle) => {
          saved = JSON.parse(JSON.stringify(handle)) as UploadHandle;
        };
        const upload = await begin(provider, path, bytes, { save });
        const parts: StoredPart[] = [];
        for (const range of [...partRanges(upload.layout)].slice(0, dies)) parts.push(await put(provider, upload.handle, range, bytes));
        if (dies > parts.length || random() < 0.5) return await complete(provider, upload.handle, parts, bytes);
      } catch (error) {
        if (!(error instanceof ProviderError) || (error.retry !== 'soon' && error.blame !== 'file')) throw error;
      } finally {
        await provider.close();
      }
    }
    throw new Error('It did not arrive in 40 lives.');
  }

  it.each(seeds(soaking ? 200 : whole ? 3 : 1))('seed %i: arrives whole and once, and leaves no placeholder', async (seed) => {
    const random = seededRandom(seed);
    const { world } = bench;
    for (const { id } of world.files()) world.assets.delete(id);
    const bytes = randomBytes(random() < 0.25 ? 500 : 2001 + Math.floor(random() * 1500));
    const { sure, others } = faultsOf(random);
    proxy.plan([sure, ...others]);
    const { id } = await send(`seed ${seed}/file.bin`, bytes, random);
    const missed = await proxy.verify().then(
      () => '',
      (error: Error) => error.message,
    );
    // A short way meets not all of the others.
    expect(missed).not.toContain(describeFault(sure));
    const provider = openProvider();
    expect((await buffer(await provider.openRange({ id }, never))).equals(bytes)).toBe(true);
    await provider.close();
    expect(world.files().map((file) => `/${file.id}`)).toEqual([id]);
  });
});
