import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudObject, CloudProvider, UploadHandle } from '#providers/ports.ts';
import { s3Config } from '#providers/s3/config.ts';
import { backblazeQuirks } from '#providers/s3/quirks.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type BytePosition, type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { complete, never, put } from '#test/support/providers/files.ts';
import { borrowRgw, hasRgw, type RgwUser, type RunningRgw } from '#test/support/storage/rgw.ts';

/**
 * A file on its way into a bucket of a real server, over sockets that break, servers that fail and a sender that dies: it
 * arrives whole and once, nothing is left behind, and what was confirmed is not sent again.
 */

const mebibyte = 1024 * 1024;
const partSize = 5 * mebibyte;

describe.skipIf(!hasRgw()).each([
  { what: 'S3', keepsVersions: false },
  { what: 'S3 that keeps versions, as Backblaze does,', keepsVersions: true },
])('$what over a broken network', ({ keepsVersions }) => {
  let rgw: RunningRgw;
  let proxy: FaultProxy;
  let user: RgwUser;
  beforeAll(async () => {
    rgw = await borrowRgw();
    user = await rgw.newUser();
    proxy = await startFaultProxy();
    proxy.upstream = rgw.endpoint;
  });
  afterAll(async () => {
    await proxy?.close();
    await rgw?.close();
  });

  function openProvider(bucket: string): CloudProvider {
    const { accessKeyId: client_id, secretAccessKey: client_secret } = user;
    const config = s3Config('generic_s3', {
      client_id,
      client_secret,
      destination: bucket,
      endpoint: proxy.url,
      force_s3_path_style: 'true',
    });
    const kept = keepsVersions ? { ...config, quirks: backblazeQuirks } : config;
    const provider = createS3Provider(kept, { mayConnect: () => true, now: () => new Date() }, { continueMilliseconds: 1 });
    return withRetry(provider, { attempts: 3, firstDelay: 1, greatestDelay: 5 });
  }

  const answered = (status: number): Deed => ({
    answer: { status, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>SlowDown</Code></Error>' },
  });

  /** Faults of this seed: one that every file meets, and others that it may. Bytes change in parts alone: TLS keeps everything else. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly others: readonly Fault[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const sure: Fault = {
      on: { method: 'PUT' },
      at: { of: 'request', part: 'body', share: random() },
      do: pick(['cut', 'corrupt'] as const),
    };
    const others = Array.from({ length: 4 }, (): Fault => {
      const method = pick(['PUT', 'PUT', 'POST', 'HEAD', 'GET', 'DELETE']);
      const nth = 1 + Math.floor(random() * 4);
      const at: BytePosition = { of: pick(['request', 'response'] as const), part: pick(['head', 'body'] as const), share: random() };
      const deed = pick<Deed>(['cut', 'truncate', answered(503), answered(500), 'corrupt', 'duplicate']);
      // Twice the same request makes two versions, of which nobody is told.
      if (deed === 'duplicate' && keepsVersions) return { on: { method, nth }, at: { ...at, part: 'head' }, do: 'cut' };
      if (deed === 'corrupt') return { on: { method: 'PUT', nth }, at: { of: 'request', part: 'body', share: random() }, do: deed };
      if (deed === 'duplicate') return { on: { method: 'PUT', nth }, do: deed };
      return { on: { method, nth }, at: typeof deed === 'object' ? { of: at.of, part: 'head', share: 0 } : at, do: deed };
    });
    return { sure, others };
  }

  /** As a transfer does it: what is known after a death is the handle saved last. */
  async function send(bucket: string, path: string, bytes: Buffer, random: () => number): Promise<CloudObject> {
    const confirmed = new Set<number>();
    let saved: UploadHandle | undefined;
    for (let life = 1; life <= 30; life++) {
      const provider = openProvider(bucket);
      // In its early lives it dies after so many parts.
      const dies = life <= 3 && random() < 0.6 ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY;
      try {
        if (!saved) confirmed.clear();
        const upload = saved
          ? await provider.resume({ handle: saved }, never)
          : await provider.begin(
              {
                path,
                size: bytes.length,
                modified: new Date(0),
                contentType: 'application/octet-stream',
                partSize,
                digests: digestsOf(bytes, provider.plan.digestsToBegin),
                async save(handle) {
                  saved = JSON.parse(JSON.stringify(handle)) as UploadHandle;
                },
              },
              never,
            );
        if (upload.state === 'complete') return upload.object;
        if (upload.state === 'gone') {
          expect(confirmed.size, 'an upload with confirmed parts is gone').toBe(0);
          await provider.abort({ handle: saved! }, never);
          saved = undefined;
          continue;
        }
        const there = new Map(upload.stored.map((part) => [part.number, part]));
        for (const number of confirmed) expect(there.has(number), `part ${number} was confirmed`).toBe(true);
        let sent = 0;
        const missing = [...partRanges(upload.layout)].filter(({ number }) => !there.has(number));
        const results = await Promise.allSettled(
          missing.map(async (range) => {
            if (sent++ >= dies) return;
            there.set(range.number, await put(provider, upload.handle, range, bytes));
            confirmed.add(range.number);
          }),
        );
        const failed = results.find((one) => one.status === 'rejected');
        if (failed) throw failed.reason;
        if (missing.length > dies) continue;
        const parts = [...there.values()].sort((one, other) => one.number - other.number);
        return await complete(provider, upload.handle, parts, bytes);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.retry !== 'soon') throw error;
      } finally {
        await provider.close();
      }
    }
    throw new Error('It did not arrive in 30 lives.');
  }

  it.each(seeds(soaking ? 200 : whole ? 3 : 1))('seed %i: arrives whole and once, and leaves nothing else', async (seed) => {
    const random = seededRandom(seed);
    const { name: bucket, stored } = await (keepsVersions ? rgw.newVersionedBucket(user) : rgw.newBucket(user));
    // Every fourth is a file of one request.
    const bytes = randomBytes(seed % 4 === 0 ? 1000 : 2 * partSize + 1 + Math.floor(random() * partSize));
    const { sure, others } = faultsOf(random);
    proxy.plan([sure, ...others]);
    const { id, size } = await send(bucket, 'Longshore/file.bin', bytes, random);
    const missed = await proxy.verify().then(
      () => '',
      (error: Error) => error.message,
    );
    // A short way meets not all of the others.
    expect(missed).not.toContain(describeFault(sure));
    expect(missed).not.toContain('waited for');
    expect([id, size]).toEqual(['Longshore/file.bin', bytes.length]);
    const provider = openProvider(bucket);
    const digest = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    expect(digest(await buffer(await provider.openRange({ id }, never)))).toBe(digest(bytes));
    await provider.close();
    expect((await stored()).map((one) => (keepsVersions ? one.replace(/ [^ ]+$/, '') : one))).toEqual(['Longshore/file.bin']);
  });
});
