import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import type { SourceBucket } from '#test/support/faults/cloud-servers.ts';
import { type CloudServices, startCloudServices } from '#test/support/faults/cloud-services.ts';
import { type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { hasRgw } from '#test/support/storage/rgw.ts';
import { hasSwift } from '#test/support/storage/swift.ts';

/**
 * Files of a bucket on their way into a package: over sockets that break on both sides, from a server that fails, by service
 * processes that are killed. They arrive whole and once, nothing is left behind, and what the storage had confirmed and the
 * journal knew is not fetched again.
 */

const mebibyte = 1024 * 1024;
const chunkSize = 5 * mebibyte;

describe.skipIf(!hasRgw() || !hasSwift())('files on their way from a cloud', () => {
  let clouds: CloudServices;
  /** Between the services and their own storage. */
  let storageProxy: FaultProxy;
  /** What lies in each bucket, by its path. */
  const files = new Map<string, Buffer>();
  let sources: readonly SourceBucket[];
  /** The services' own. */
  let stored: SourceBucket;

  beforeAll(async () => {
    storageProxy = await startFaultProxy();
    clouds = await startCloudServices((url) => {
      const { host } = new URL(url);
      storageProxy.upstream = `http://${host}`;
      return url.replace(host, new URL(storageProxy.url).host);
    });
    files.set('reel/large.mov', randomBytes(2 * chunkSize + 17));
    files.set('reel/one chunk.mov', randomBytes(chunkSize));
    files.set('reel/empty', Buffer.alloc(0));
    for (let index = 0; index < 6; index++) files.set(`reel/roll ${index % 2}/${index}.wav`, randomBytes(1 + index * 10_000));
    const { ceph, openStack } = clouds.servers;
    stored = openStack.bucket(clouds.swift.name);
    sources = [await ceph.newBucket(), await openStack.newBucket()];
    for (const source of sources) for (const [path, bytes] of files) await source.put(path, bytes);
  });
  afterAll(async () => {
    await clouds?.close();
    await storageProxy?.close();
  });

  interface Import {
    readonly source: SourceBucket;
    readonly packageId: string;
    readonly token: Readonly<Record<string, string>>;
    readonly transfer: CloudTransfer;
  }

  /** A new package, into which all of a bucket is brought through the proxy. */
  async function start(source: SourceBucket): Promise<Import> {
    const { proxy, nodes } = clouds;
    proxy.upstream = source.upstream;
    const call = callAt(nodes[0]!.url);
    const auth = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
    const headers = { 'x-user-token': auth.body.token };
    const team = `/v1/teams/${auth.body.teams[0]!.id}`;
    const connection = await call<Connection>('POST', `${team}/cloud_connections`, {
      headers,
      body: { name: 'Dailies', ...source.collection(proxy.url) },
    });
    expect(connection.status).toBe(201);
    const made = await call<Package>('POST', `${team}/packages`, {
      headers,
      body: { name: 'Day 1', description: '', recipients: [], chunk_size: chunkSize },
    });
    expect(made.status).toBe(201);
    const token = { 'x-package-token': made.body.access_token };
    const { status, body } = await call<CloudTransfer>('POST', `/v1/packages/${made.body.id}/transfer`, {
      headers: token,
      body: { cloud_connection_id: connection.body.id, files: [{ id: 'reel', name: 'Reel', kind: 'directory' }] },
    });
    expect(status).toBe(201);
    return { source, packageId: made.body.id, token, transfer: body };
  }

  async function rowOf({ transfer }: Import) {
    const { rows } = await clouds.database.query<{ state: string; message: string; files: number }>(
      'select state, message, files from cloud_transfers where id = $1',
      [transfer.id],
    );
    return rows[0]!;
  }

  async function hasCome(coming: Import, signal: AbortSignal): Promise<void> {
    for (let row = await rowOf(coming); row.state !== 'complete'; row = await rowOf(coming)) {
      expect(row.state, row.message).not.toBe('error');
      await clouds.endPauses();
      signal.throwIfAborted();
      await sleep(100);
    }
  }

  interface Known {
    /** Its path at the provider, and the byte from which it was fetched. */
    readonly source: string;
    readonly start: number;
  }

  /** The chunks that the journal knows, while nobody works on the transfer; of complete files all. */
  async function knownChunks({ transfer }: Import): Promise<readonly Known[]> {
    const { rows } = await clouds.database.query<{ source: string; start: string }>(
      `select source, (number - 1) * chunk_size as start from cloud_import_files join cloud_import_chunks using (transfer_id, position)
        where transfer_id = $1 and not complete
      union all select source, generate_series(0, greatest(size - 1, 0), ${chunkSize}) from cloud_import_files
        where transfer_id = $1 and complete and kind = 'file'`,
      [transfer.id],
    );
    return rows.map(({ source, start: at }) => ({ source, start: Number(at) }));
  }

  /** Those of the chunks that were fetched since a moment, in whole or in part. */
  function fetchedSince(moment: number, known: readonly Known[]): readonly string[] {
    return clouds.proxy.passages
      .filter(({ method, begun }) => method === 'GET' && begun >= moment)
      .filter(({ what }) => {
        const [, path = '', first = '0'] = /^([^ ]*) (?:bytes=(\d+)-.*)?$/.exec(what) ?? [];
        const source = decodeURIComponent(path).split('/').slice(2).join('/');
        return known.some((chunk) => chunk.source === source && Math.floor(Number(first) / chunkSize) === chunk.start / chunkSize);
      })
      .map(({ what }) => what);
  }

  /** Everything is in the package as it was in the bucket, once, and the storage holds nothing else. */
  async function check(coming: Import): Promise<void> {
    const { database, nodes, swift } = clouds;
    const call = callAt(nodes[0]!.url);
    expect(await rowOf(coming)).toMatchObject({ state: 'complete', files: files.size });
    const { body: brought } = await call<File[]>('GET', `/v1/packages/${coming.packageId}/files`, { headers: coming.token });
    const pathOf = ({ path, name }: File) => (path === '' ? name : `${path}/${name}`);
    expect(brought.map(pathOf).toSorted()).toEqual([...files.keys()].map((path) => path.replace('reel', 'Reel')).toSorted());
    expect((await call('POST', `/v1/packages/${coming.packageId}/finalize`, { headers: coming.token })).status).toBe(204);
    for (const file of brought) {
      const path = pathOf(file);
      const bytes = files.get(path.replace('Reel', 'reel'))!;
      expect(file, path).toMatchObject({ state: 'finalized', size: bytes.length, digest: fileDigest(bytes, chunkSize) });
      expect((await stored.read(`longshore/${file.id}`)).equals(bytes), path).toBe(true);
    }
    // Keys of files that were removed are swept by a job once nothing can come under them any more.
    const { rows } = await database.query<{ key: string }>('select id::text as key from files union select key from freed_objects');
    const keys = new Set(rows.map(({ key }) => key));
    // A service that is killed amid its first look at the bucket leaves that; one that starts an hour later removes it.
    const ours = (name: string): boolean => name.startsWith('longshore/') && !name.startsWith('longshore/check/');
    const left = (await swift.stored()).filter(ours).map((name) => name.split('/').slice(1));
    expect(left.filter(([key]) => !keys.has(key!))).toEqual([]);
    // Swift notes an upload that is neither complete nor aborted under its id, and its parts below that.
    expect(left.filter(({ length }) => length === 2)).toEqual([]);
    const uploads = new Set(left.flatMap(([key, upload, part]) => (part === undefined ? [] : [`${key} ${upload}`])));
    expect(new Set([...uploads].map((upload) => upload.split(' ')[0])).size).toBe(uploads.size);
  }

  const answered = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Deed => ({
    answer: { status, headers: { 'content-type': 'application/xml', ...headers }, body: `<Error><Code>${code}</Code></Error>` },
  });
  const failures = [
    answered(500, 'InternalError'),
    answered(503, 'SlowDown', { 'retry-after': '1' }),
    answered(429, 'TooManyRequests', { 'retry-after': '1' }),
    'cut',
    'truncate',
  ] as const;

  /** A service that starts looks at its bucket as well, and refuses to start where it cannot. */
  const ofFiles = /longshore\/[0-9a-f-]{36}$/;

  type Place = 'provider' | 'storage';

  /** Faults of a seed: one at the provider that every import meets, and others that it may, there or at the storage. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly others: readonly (readonly [Place, Fault])[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const nth = (most: number): number => 1 + Math.floor(random() * most);
    const broken = (): Fault => ({
      on: { method: 'GET', path: /large\.mov$/, nth: nth(3) },
      at: { of: 'response', part: 'body', share: random() },
      do: pick(['cut', 'truncate'] as const),
    });
    const kinds: (() => readonly [Place, Fault])[] = [
      () => ['provider', { on: { method: 'GET', nth: nth(8) }, do: pick(failures) }],
      () => ['provider', { on: { method: 'GET', nth: nth(8) }, at: { of: 'response', part: 'head', share: random() }, do: 'cut' }],
      () => ['provider', { on: { method: 'GET', nth: nth(8) }, do: { delay: 300 } }],
      () => ['storage', { on: { method: pick(['PUT', 'POST', 'GET', 'HEAD']), path: ofFiles, nth: nth(5) }, do: pick(failures) }],
      () => [
        'storage',
        {
          on: { method: 'PUT', path: ofFiles, nth: nth(6) },
          at: { of: 'request', part: 'body', share: random() },
          do: pick(['cut', 'corrupt']),
        },
      ],
      // Done, but its answer is lost: of a chunk or a small file, of the beginning of an upload, of its completion.
      () => ['storage', { on: { method: 'PUT', path: ofFiles, nth: nth(9) }, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }],
      () => [
        'storage',
        {
          on: { method: 'POST', path: ofFiles, nth: nth(4) },
          at: { of: 'response', part: 'head', share: random() },
          do: pick(['cut', 'truncate']),
        },
      ],
    ];
    return { sure: broken(), others: Array.from({ length: 4 }, () => pick(kinds)()) };
  }

  /** When a process dies: after so many bytes, at such a request on either side, or while nothing moves. */
  function momentOf(random: () => number): Promise<void> {
    const { proxy } = clouds;
    const kind = random();
    if (kind < 0.35) return proxy.passed(proxy.bytes() + Math.floor(random() * 16 * mebibyte));
    if (kind < 0.55) return proxy.seen(() => true, 1 + Math.floor(random() * 18));
    if (kind < 0.85) return storageProxy.seen(() => true, 1 + Math.floor(random() * 18));
    proxy.plan([{ on: { method: 'GET', path: /large\.mov$/ }, at: { of: 'response', part: 'body', share: random() }, do: 'stall' }]);
    return proxy.nextStall();
  }

  it.for(seeds(soaking ? 200 : whole ? 2 : 1))(
    'seed %i: come whole and once, though services die and the network breaks',
    async (seed, { signal }) => {
      const random = seededRandom(seed);
      const { proxy } = clouds;
      await clouds.endLeftovers();
      if (clouds.nodes.length === 0) await clouds.addNode();
      const { sure, others } = faultsOf(random);
      const deaths = Math.floor(random() * 4);
      let moment = deaths > 0 ? momentOf(random) : null;
      const begun = proxy.moment();
      const coming = await start(sources[seed % sources.length]!);
      proxy.plan([sure, ...others.flatMap(([place, fault]) => (place === 'provider' ? [fault] : []))]);
      storageProxy.plan(others.flatMap(([place, fault]) => (place === 'storage' ? [fault] : [])));
      const complete = hasCome(coming, signal);
      complete.catch(() => undefined);
      const watched: (readonly [number, readonly Known[]])[] = [];
      for (let death = 1; moment; death++) {
        const isOver = await Promise.race([moment.then(() => false), complete.then(() => true)]);
        signal.throwIfAborted();
        if (isOver) break;
        await clouds.killNode(clouds.nodes[0]!);
        watched.push([proxy.moment(), await knownChunks(coming)]);
        moment = death < deaths ? momentOf(random) : null;
        await clouds.lapseLeases();
        await clouds.addNode();
      }
      await complete;
      const missed = await proxy.verify().then(
        () => '',
        (error: Error) => error.message,
      );
      await storageProxy.verify().catch(() => undefined);
      // A short way meets not all of the others.
      expect(missed).not.toContain(describeFault(sure));
      expect(missed).not.toContain('waited for');
      const all = [...files].flatMap(([source, { length }]) =>
        Array.from({ length: Math.max(1, Math.ceil(length / chunkSize)) }, (_, index) => ({ source, start: index * chunkSize })),
      );
      expect(fetchedSince(begun, all).length).toBeGreaterThanOrEqual(files.size);
      for (const [since, known] of watched) expect(fetchedSince(since, known)).toEqual([]);
      await check(coming).catch((error: unknown) => {
        throw new Error(`after ${[sure, ...others.map(([, fault]) => fault)].map(describeFault).join('; ')}; ${watched.length} deaths`, {
          cause: error,
        });
      });
    },
  );
});
