import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { TransportTimeouts } from '#engine/io/transport.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import type { BytePosition, Deed, Fault, RequestMatch } from '#test/support/faults/proxy/plan.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { firstOf } from '#test/support/level.ts';
import { seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Every request of an upload and of its download meets a fault of a kind, at a byte that the seed chooses. */

const MiB = 1024 * 1024;
/** More than one request takes: whatever the first meets, the second goes its way. */
const smallFiles = 17;
const tree: Tree = {
  'large.bin': seededBytes(11 * MiB + 7, 1),
  ...Object.fromEntries(Array.from({ length: smallFiles }, (_, n) => [`small/${n}.bin`, seededBytes(250_000 + n, n + 2)])),
  'zero.bin': '',
  'empty/folder': null,
};
/** Those of the large file; small ones have some only after their request has failed. */
const puts = 3;
const gets = 3;

/** All kinds of requests to the API, each by the first of its kind. */
const uploadCalls: readonly RequestMatch[] = [
  { method: 'GET', path: /\/system\/packages\/spec$/ },
  { method: 'POST', path: /^\/v1\/teams\/[^/]+\/packages$/ },
  { method: 'POST', path: /\/files$/ },
  { method: 'POST', path: /\/files\/batch\/blueprints$/ },
  { method: 'POST', path: /\/files\/[0-9a-f-]{36}$/ },
  { method: 'POST', path: /\/files\/batch\/record$/ },
  { method: 'POST', path: /\/files\/[0-9a-f-]{36}\/finalize$/ },
  { method: 'POST', path: /^\/v1\/packages\/[^/]+\/finalize$/ },
  { method: 'GET', path: /\/receipt$/ },
  { method: 'GET', path: /jwks\.json$/ },
  { method: 'GET', path: /\/links$/ },
  { method: 'POST', path: /\/links$/ },
];
/** Opening the link is not among them: whoever asks for a download is told at once that it failed. */
const downloadCalls: readonly RequestMatch[] = [
  { method: 'GET', path: /\/files$/ },
  { method: 'GET', path: /\/system\/packages\/spec$/ },
  { method: 'POST', path: /\/files\/batch\/download$/ },
  { method: 'GET', path: /\/download$/ },
  { method: 'GET', path: /\/receipt$/ },
  { method: 'GET', path: /jwks\.json$/ },
];

let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
const engines: Engine[] = [];

beforeAll(async () => {
  faulty = await startProxiedService();
});

afterAll(async () => {
  await faulty?.close();
});

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  writeTree(source, tree);
});

afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    for (const engine of engines.splice(0)) await engine.close();
    await folder.remove();
  }
});

/** Short only where it is waited for: whoever gives up on a busy machine may never meet what is planned. */
const timeoutsFor = (deed: Deed) => (deed === 'stall' ? { stallMs: 1_000, answerMs: 2_000 } : {});

async function engineAt(name: string, timeouts: TransportTimeouts): Promise<Engine> {
  const { service, api } = faulty;
  const dataDir = join(folder.path, name);
  const engine = await startTestEngine({ dataDir, serviceUrl: api.url, apiKey: service.apiKey, clock: fastClock(20), timeouts });
  engines.push(engine);
  await engine.session.current();
  return engine;
}

async function upload(engine: Engine, name: string): Promise<AgentTransfer> {
  const { id } = await engine.transfers.upload({
    team_id: faulty.service.teamId,
    paths: [source],
    package_name: name,
    recipients: [],
    chunk_size: 5 * MiB,
  });
  return transferWhen(engine, id);
}

async function download(engine: Engine, url: string, target: string): Promise<AgentTransfer> {
  const { id } = await engine.transfers.download({ url, dst_folder: target });
  return transferWhen(engine, id);
}

const whole = { state: 'complete', error: null, files: smallFiles + 3 };

/** Sends the tree and fetches it while these faults happen; then all that must hold is looked at. */
async function thereAndBack(name: string, deed: Deed, random: () => number): Promise<void> {
  const [up, down] = everywhere(deed, random);
  const timeouts = timeoutsFor(deed);
  const from = faulty.storage.passages.length;
  faulty.api.plan(up.api);
  faulty.storage.plan(up.storage);
  const sent = await upload(await engineAt('sender', timeouts), name);
  expect(sent).toMatchObject(whole);
  await faulty.verify();
  faulty.api.plan(down.api);
  faulty.storage.plan(down.storage);
  const target = join(folder.path, 'target');
  const got = await download(await engineAt('receiver', timeouts), sent.url, target);
  expect(got).toMatchObject(whole);
  await faulty.verify();
  const passages = faulty.storage.passages.slice(from);
  await checkInvariants({ service: faulty.service, sent, source, received: join(target, 'source'), passages });
}

interface FaultsOf {
  readonly api: readonly Fault[];
  readonly storage: readonly Fault[];
}

/** For each request the same deed, at a place of its own. */
function everywhere(deed: Deed, random: () => number): readonly [FaultsOf, FaultsOf] {
  const anywhere = (): BytePosition => {
    const of = random() < 0.4 ? 'request' : 'response';
    // What answers hold is less than what they mean: most are lost before their first byte.
    if (of === 'response' && random() < 0.4) return { of, part: 'head', share: 0 };
    return { of, part: random() < 0.3 ? 'head' : 'body', share: random() };
  };
  const at = (matches: readonly RequestMatch[]): Fault[] => matches.map((on) => ({ on, at: anywhere(), do: deed }));
  // Each another one: two faults of one request could not both happen.
  const some = (count: number, of: number): number[] => {
    const left = Array.from({ length: of }, (_, index) => index + 1);
    return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0]!);
  };
  // Each stall costs the time until it is given up.
  const spared = deed === 'stall' && !soaking ? 0.7 : 0;
  return [
    {
      api: at(uploadCalls.filter(() => random() >= spared)),
      storage: at([
        { method: 'POST', path: /^(?!.*\/-\/parts$)/ },
        { method: 'POST', path: /\/-\/parts$/ },
        ...some(2, puts).map((nth) => ({ method: 'PUT', nth })),
      ]),
    },
    {
      api: at(downloadCalls.filter(() => random() >= spared)),
      storage: at([{ method: 'POST', path: /\/-\/objects$/ }, ...some(2, gets).map((nth) => ({ method: 'GET', nth }))]),
    },
  ];
}

const deeds: readonly (readonly [string, Deed])[] = [
  ['cut', 'cut'],
  ['stalled', 'stall'],
  ['doubled', 'duplicate'],
  [
    'answered by a gateway that has lost the service',
    { answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' } },
  ],
  // Variants of a cut, and of what stalls.
  ['truncated', 'truncate'],
  ['delayed', { delay: 120 }],
];

describe.each(firstOf(deeds, 4))('every kind of request is %s once:', (what, deed) => {
  test.each(seeds(soaking ? 30 : 1))('(seed %i)', async (seed) => {
    await thereAndBack(`${what} ${seed}`, deed, seededRandom(seed));
  });
});
