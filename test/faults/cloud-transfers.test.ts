import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import type { CloudBucket, CloudServer } from '#test/support/faults/cloud-servers.ts';
import { type CloudServices, startCloudServices } from '#test/support/faults/cloud-services.ts';
import { type Deed, describeFault, type Fault } from '#test/support/faults/proxy/plan.ts';
import type { FaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { type Passage, repeated } from '#test/support/faults/proxy/traffic.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { firstOf, whole } from '#test/support/level.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { senderOf } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { transferProcesses } from '#test/support/service/start-service-process.ts';
import { hasRgw } from '#test/support/storage/rgw.ts';
import { hasSwift } from '#test/support/storage/swift.ts';

/**
 * A package on its way into a bucket of a real server: over sockets that break, past a server that fails, by service
 * processes that are killed. It arrives whole and once, nothing is left behind, and what was confirmed is not sent again.
 */

const mebibyte = 1024 * 1024;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(!hasRgw() || !hasSwift())('a package on its way to a cloud', () => {
  let clouds: CloudServices;
  let servers: readonly CloudServer[];
  let proxy: FaultProxy;

  beforeAll(async () => {
    clouds = await startCloudServices();
    const { azure, ceph, openStack } = clouds.servers;
    servers = [azure, ceph, openStack];
    proxy = clouds.proxy;
  });
  afterAll(() => clouds?.close());

  /** A package that is finalized, and its owner's headers. */
  interface Sent {
    readonly teamId: string;
    readonly owner: Readonly<Record<string, string>>;
    readonly packageId: string;
    readonly token: Readonly<Record<string, string>>;
    /** By their path in the package. */
    readonly files: ReadonlyMap<string, Buffer>;
  }

  /** To make one takes as long as to deliver it. */
  let sent: Sent | undefined;
  let deliveries = 0;

  async function sentPackage(): Promise<Sent> {
    if (sent && ++deliveries < limits.transfersPerPackage) return sent;
    deliveries = 0;
    const call = callAt(clouds.nodes[0]!.url);
    const auth = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
    const owner = { 'x-user-token': auth.body.token };
    const teamId = auth.body.teams[0]!.id;
    const made = await call<Package>('POST', `/v1/teams/${teamId}/packages`, {
      headers: owner,
      body: { name: 'Day 1', description: '', recipients: [] },
    });
    const token = { 'x-package-token': made.body.access_token };
    const sender = senderOf({ call }, made.body, token);
    const files = new Map([
      ['large.mov', randomBytes(14 * mebibyte + 17)],
      ['empty', Buffer.alloc(0)],
    ]);
    for (let index = 0; index < 6; index++) files.set(`roll ${index % 2}/${index}.wav`, randomBytes(1 + index * 10_000));
    for (const [path, bytes] of files) {
      const slash = path.lastIndexOf('/');
      await sender.send(path.slice(0, Math.max(0, slash)), path.slice(slash + 1), bytes);
    }
    expect((await sender.finalize()).status).toBe(204);
    sent = { teamId, owner, packageId: made.body.id, token, files };
    return sent;
  }

  interface Delivery extends Sent {
    readonly bucket: CloudBucket;
    readonly connectionId: string;
  }

  /** A connection to a new bucket, through the proxy. */
  async function connect(server: CloudServer): Promise<Delivery> {
    const bucket = await server.newBucket();
    proxy.upstream = bucket.upstream;
    const known = await sentPackage();
    const { status, body } = await callAt(clouds.nodes[0]!.url)<Connection>('POST', `/v1/teams/${known.teamId}/cloud_connections`, {
      headers: known.owner,
      body: { name: 'Archive', ...bucket.connection(proxy.url) },
    });
    expect(status).toBe(201);
    return { ...known, bucket, connectionId: body.id };
  }

  async function start({ packageId, token, connectionId }: Delivery): Promise<void> {
    const body = { cloud_connection_id: connectionId };
    const { status } = await callAt(clouds.nodes[0]!.url)('POST', `/v1/packages/${packageId}/transfer`, { headers: token, body });
    expect(status).toBe(201);
  }

  interface Row {
    readonly state: string;
    readonly message: string;
    readonly files: number;
    readonly attempts: number;
  }

  async function transferOf({ connectionId }: Delivery): Promise<Row> {
    const text = 'select state, message, files, attempts from cloud_transfers where cloud_connection_id = $1';
    const { rows } = await clouds.database.query<Row>(text, [connectionId]);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  }

  /** Resolves when the transfer is complete. Pauses before further attempts are over at once, since nothing else happens in them. */
  async function arrived(delivery: Delivery, signal: AbortSignal): Promise<void> {
    for (let row = await transferOf(delivery); row.state !== 'complete'; row = await transferOf(delivery)) {
      expect(row.state, row.message).not.toBe('error');
      await clouds.endPauses();
      signal.throwIfAborted();
      await sleep(100);
    }
  }

  /**
   * Everything is there as it was sent, and nothing else. Gives how often something was sent again that was confirmed. The
   * manifest does not count: one whose answer was lost is written anew, since nobody knows whether it names what is there.
   */
  async function check(delivery: Delivery, passages: readonly Passage[]): Promise<number> {
    const again = repeated(passages, 'PUT');
    const { bucket, files } = delivery;
    const folder = 'Longshore/Day 1';
    const objects = await bucket.objects();
    const manifest = objects.find((name) => name.startsWith(`${folder}/longshore-manifest-`));
    expect(manifest !== undefined).toBe('upload_transfer_manifest' in bucket.connection(''));
    expect(objects.filter((name) => name !== manifest).toSorted()).toEqual([...files.keys()].map((path) => `${folder}/${path}`).toSorted());
    expect(await bucket.unfinished()).toEqual([]);
    for (const [path, bytes] of files) expect(sha256(await bucket.read(`${folder}/${path}`)), path).toBe(sha256(bytes));
    if (manifest !== undefined) {
      const { files: listed } = JSON.parse((await bucket.read(manifest)).toString()) as { files: { path: string }[] };
      expect(listed.map(({ path }) => path).toSorted()).toEqual([...files.keys()].toSorted());
    }
    expect(await transferOf(delivery)).toMatchObject({ state: 'complete', files: files.size });
    const written = manifest === undefined ? '' : sha256(await bucket.read(manifest));
    return again.filter((what) => what !== written).length;
  }

  const answered = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Deed => ({
    answer: { status, headers: { 'content-type': 'application/xml', ...headers }, body: `<Error><Code>${code}</Code></Error>` },
  });

  /** Faults of a seed: one that every delivery meets, and others that it may. */
  function faultsOf(random: () => number): { readonly sure: Fault; readonly others: readonly Fault[] } {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const nth = (most: number): number => 1 + Math.floor(random() * most);
    const failures = [
      answered(500, 'InternalError'),
      answered(503, 'SlowDown', { 'retry-after': '1' }),
      answered(429, 'TooManyRequests', { 'retry-after': '1' }),
      'cut',
      'truncate',
    ] as const;
    const kinds: (() => Fault)[] = [
      () => ({ on: { method: pick(['PUT', 'POST', 'GET', 'HEAD']), nth: nth(4) }, do: pick(failures) }),
      () => ({
        on: { method: 'PUT', path: /large\.mov$/, nth: nth(3) },
        at: { of: 'request', part: 'body', share: random() },
        do: pick(['cut', 'corrupt'] as const),
      }),
      // Done, but its answer is lost: of a part, of the beginning of an upload, of its completion.
      () => ({ on: { method: 'PUT', nth: nth(9) }, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }),
      () => ({
        on: { method: 'POST', nth: nth(2) },
        at: { of: 'response', part: 'head', share: random() },
        do: pick(['cut', 'truncate'] as const),
      }),
      () => ({ on: { method: 'POST', nth: 2 }, at: { of: 'response', part: 'head', share: 0 }, do: answered(200, 'InternalError') }),
      () => ({ on: { method: pick(['PUT', 'GET']), nth: nth(5) }, do: { delay: 300 } }),
    ];
    return { sure: kinds[1]!(), others: Array.from({ length: 3 }, () => pick(kinds)()) };
  }

  /** When a process dies: after so many bytes, at such a request, or while nothing moves. */
  function momentOf(random: () => number): Promise<void> {
    const kind = random();
    if (kind < 0.45) return proxy.passed(proxy.bytes() + Math.floor(random() * 14 * mebibyte));
    if (kind < 0.85) return proxy.seen(() => true, 1 + Math.floor(random() * 20));
    proxy.plan([{ on: { method: 'PUT', path: /large\.mov$/ }, at: { of: 'request', part: 'body', share: random() }, do: 'stall' }]);
    return proxy.nextStall();
  }

  it.for(seeds(soaking ? 200 : whole ? 2 : 1))(
    'seed %i: arrives whole and once, though services die and the network breaks',
    async (seed, { signal }) => {
      const random = seededRandom(seed);
      const server = servers[seed % servers.length]!;
      await clouds.endLeftovers();
      if (clouds.nodes.length === 0) await clouds.addNode();
      const delivery = await connect(server);
      const { sure, others } = faultsOf(random);
      const passagesBefore = proxy.passages.length;
      proxy.plan([sure, ...others]);
      const deaths = Math.floor(random() * 3);
      let moment = deaths > 0 ? momentOf(random) : null;
      await start(delivery);
      const complete = arrived(delivery, signal);
      complete.catch(() => undefined);
      for (let death = 1; moment; death++) {
        const isOver = await Promise.race([moment.then(() => false), complete.then(() => true)]);
        signal.throwIfAborted();
        if (isOver) break;
        await clouds.killNode(clouds.nodes[0]!);
        moment = death < deaths ? momentOf(random) : null;
        await clouds.lapseLeases();
        await clouds.addNode();
      }
      await complete;
      const missed = await proxy.verify().then(
        () => '',
        (error: Error) => error.message,
      );
      // A short way meets not all of the others.
      expect(missed).not.toContain(describeFault(sure));
      expect(missed).not.toContain('waited for');
      const again = await check(delivery, proxy.passages.slice(passagesBefore));
      // Who did not hear that a part was taken has to send it again.
      const unheard = others.filter(({ on, at }) => on.method === 'PUT' && at?.of === 'response').length;
      expect(again).toBeLessThanOrEqual(unheard);
    },
  );

  /** What has begun where a process stops, and what of it the other has done when it gets on again. */
  const standstills = [
    { amid: 'a part', until: 'after the other has sent all' },
    { amid: 'a part', until: 'while the other sends' },
    { amid: 'the end of an upload', until: 'after the other has sent all' },
    { amid: 'the end of an upload', until: 'while the other sends' },
  ] as const;

  it.each(firstOf(standstills))(
    'is taken over from a service that stands still amid $amid, and changes nothing when it gets on $until',
    async ({ amid, until }) => {
      await clouds.endLeftovers();
      const [still = await clouds.addNode()] = clouds.nodes;
      const delivery = await connect(servers[1]!);
      proxy.plan([
        amid === 'a part'
          ? { on: { method: 'PUT', path: /large\.mov$/, nth: 2 }, at: { of: 'request', part: 'body', share: 0.5 }, do: 'stall' }
          : { on: { method: 'POST', nth: 2 }, at: { of: 'response', part: 'head', share: 0 }, do: 'stall' },
      ]);
      const stalled = proxy.nextStall();
      await start(delivery);
      await stalled;
      const worker = (await transferProcesses()).find(({ parent }) => parent === still.child.pid)!.pid;
      const both = [still.child.pid!, worker];
      const wake = (): void => both.forEach((pid) => void process.kill(pid, 'SIGCONT'));
      for (const pid of both) process.kill(pid, 'SIGSTOP');
      try {
        const seen = proxy.seen(() => true, 1);
        await clouds.addNode();
        await clouds.lapseLeases();
        if (until === 'while the other sends') {
          await seen;
          wake();
        }
        await arrived(delivery, new AbortController().signal);
        const before = await transferOf(delivery);
        wake();
        // Whoever has given up what stalled has seen that it is another's.
        await proxy.verify();
        expect(await transferOf(delivery)).toEqual(before);
        await check(delivery, []);
      } finally {
        wake();
        await clouds.killNode(still);
      }
    },
  );

  it('is taken over by another service when its own is killed', async ({ signal }) => {
    await clouds.endLeftovers();
    const [victim = await clouds.addNode()] = clouds.nodes;
    const delivery = await connect(servers[1]!);
    const passagesBefore = proxy.passages.length;
    // So that it cannot end before the second one is there.
    proxy.plan([{ on: { method: 'PUT', path: /large\.mov$/, nth: 2 }, at: { of: 'request', part: 'body', share: 0.5 }, do: 'stall' }]);
    const stalled = proxy.nextStall();
    await start(delivery);
    await stalled;
    await clouds.addNode();
    expect(await transferOf(delivery)).toMatchObject({ state: 'started', attempts: 1 });
    await clouds.killNode(victim);
    if (!soaking) await clouds.lapseLeases();
    await arrived(delivery, signal);
    await proxy.verify();
    expect(await check(delivery, proxy.passages.slice(passagesBefore))).toBe(0);
    expect((await transferOf(delivery)).attempts).toBe(2);
  });
});
