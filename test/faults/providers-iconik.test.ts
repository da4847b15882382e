import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { iconikConfig } from '#providers/iconik/config.ts';
import { createIconikProvider } from '#providers/iconik/iconik-provider.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudObject, CloudProvider, OpenUpload, StoredPart, UploadHandle } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { begin, complete, never, put } from '#test/support/providers/files.ts';
import { type IconikBench, openIconikBench } from '#test/support/providers/iconik/bench.ts';
import { everythingKept } from '#test/support/providers/iconik/world.ts';

const chunk = 256 * 1024;

/**
 * A file on its way into a bucket behind iconik, over sockets that break, servers that fail and a sender that dies: it
 * arrives whole and once, and no asset is left, whichever answer was lost.
 */
describe.each(['S3', 'GCS'] as const)('iconik with a storage at %s over a broken network', (method) => {
  let bench: IconikBench;
  let proxy: FaultProxy;
  beforeAll(async () => {
    bench = await openIconikBench(method);
    proxy = await startFaultProxy();
    proxy.upstream = bench.endpoint;
  });
  afterAll(async () => {
    await proxy?.close();
    await bench?.close();
  });

  function openProvider(): CloudProvider {
    const environment = { mayConnect: () => true, now: () => new Date() };
    const provider = createIconikProvider(iconikConfig(bench.authorization), environment, { endpoint: proxy.url, smallestPart: chunk });
    return withRetry(provider, { attempts: 3, firstDelay: 1, greatestDelay: 5 });
  }

  const answered = (status: number): Deed => ({ answer: { status, body: '{"errors":[]}' } });

  /** Faults of this seed: one that every file meets, and others that it may. Bytes change in parts alone: TLS keeps everything else. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly others: readonly Fault[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    // The answers that tell of what was made, and of the end.
    const creation = { method: 'POST', path: pick([/\/assets\/v1\/assets\/$/, /\/formats\/$/, /\/file_sets\/$/, /\/files\/$/]) };
    const sure: Fault = pick<Fault>([
      { on: creation, at: { of: 'response', part: 'head', share: random() }, do: 'cut' },
      { on: creation, at: { of: 'response', part: 'body', share: random() }, do: 'truncate' },
      { on: creation, at: { of: 'response', part: 'head', share: 0 }, do: answered(500) },
      { on: { method: 'PATCH' }, at: { of: 'response', part: 'head', share: random() }, do: 'cut' },
      { on: { method: 'PUT' }, at: { of: 'request', part: 'body', share: random() }, do: 'cut' },
    ]);
    const others = Array.from({ length: 4 }, (): Fault => {
      const on = { method: pick(['PUT', 'PUT', 'POST', 'GET', 'GET', 'DELETE']), nth: 1 + Math.floor(random() * 6) };
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
        let upload: OpenUpload | undefined;
        if (saved) {
          const found = await provider.resume({ handle: saved }, never);
          if (found.state === 'complete') return found.object;
          if (found.state === 'open') upload = found;
          else await provider.abort({ handle: saved }, never);
        }
        const save = async (handle: UploadHandle) => {
          saved = JSON.parse(JSON.stringify(handle)) as UploadHandle;
        };
        const { handle, layout, stored } = upload ?? (await begin(provider, path, bytes, { partSize: chunk, save }));
        const parts: StoredPart[] = [...stored];
        const ranges = [...partRanges(layout)].filter(({ number }) => !stored.some((part) => part.number === number));
        for (const range of ranges.slice(0, dies)) parts.push(await put(provider, handle, range, bytes));
        if (dies > ranges.length || random() < 0.5) return await complete(provider, handle, parts, bytes);
      } catch (error) {
        if (!(error instanceof ProviderError) || (error.retry !== 'soon' && error.blame !== 'file')) throw error;
        if (saved && error.code === 'upload_gone') await provider.abort({ handle: saved }, never);
        if (error.code === 'upload_gone') saved = undefined;
      } finally {
        await provider.close();
      }
    }
    throw new Error('It did not arrive in 40 lives.');
  }

  it.each(seeds(soaking ? 200 : whole ? 3 : 1))('seed %i: arrives whole and once, and leaves no asset', async (seed) => {
    const random = seededRandom(seed);
    const { world } = bench;
    world.assets.clear();
    world.files.clear();
    world.objects.clear();
    world.gcs.objects.clear();
    const bytes = randomBytes(random() < 0.25 ? 500 : 2 * chunk + Math.floor(random() * chunk));
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
    expect([...world.files.values()].map((file) => [`/${file.asset}/${file.id}`, file.status])).toEqual([[id, 'CLOSED']]);
    expect(everythingKept(world).filter((one) => !/^(upload|session)/.test(one)).length).toBe(1);
  });
});
