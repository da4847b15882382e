import { afterAll, describe, expect, test } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider, CopyPartRequest, UploadHandle, UploadPlan } from '#providers/ports.ts';
import { aroundCalls } from '#providers/wrappers/around.ts';
import { cleanUp } from '#service/transfers/delivery/clean-up.ts';
import { deliver } from '#service/transfers/delivery/deliver.ts';
import { manifestName } from '#service/transfers/delivery/manifest.ts';
import { originalName } from '#service/transfers/delivery/names.ts';
import { manifestId } from '#service/transfers/delivery/ports.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { createCopyingProvider } from '#test/support/providers/copying-provider.ts';
import { type Cloud, createInMemoryProvider, inMemoryPlan, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { filesBelow, manifestFacts } from '#test/support/service/delivery-bench.ts';
import { createInMemoryJournal, newDeliveryState, rowOf } from '#test/support/service/in-memory-delivery-journal.ts';
import { type StoredFiles, storeFiles } from '#test/support/service/stored-files.ts';

const never = new Promise<never>(() => {});
const signal = new AbortController().signal;

/** A process that dies at one of its steps: what it has asked for may have happened or not, and it learns nothing more. */
class Process {
  #left: number;
  #die!: () => void;
  readonly died = new Promise<'died'>((resolve) => {
    this.#die = () => resolve('died');
  });

  constructor(steps: number) {
    this.#left = steps;
  }

  async step(): Promise<void> {
    // What lies between two steps takes turns of the event loop, so that others get theirs.
    await new Promise((resolve) => setImmediate(resolve));
    if (--this.#left === 0) this.#die();
    if (this.#left <= 0) await never;
  }

  async around<T>(work: () => Promise<T>): Promise<T> {
    await this.step();
    const result = await work();
    await this.step();
    return result;
  }
}

type Random = () => number;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));
const bytesBy = (random: Random, size: number): Buffer => Buffer.from(Array.from({ length: size }, () => upTo(random, 255)));

function packageBy(random: Random): StoredFiles {
  const folders = ['', 'day 1/', 'Day 1/', 'day 1/deep/', 'nul\0/'];
  const contents: Record<string, Buffer | null> = {};
  for (let count = upTo(random, 9); count >= 0; count--) {
    const path = `${folders[upTo(random, folders.length - 1)]}${['file', 'FILE', 'other', '_x0041_'][upTo(random, 3)]} ${upTo(random, 2)}`;
    contents[path] = random() < 0.1 ? null : bytesBy(random, random() < 0.2 ? 0 : upTo(random, 7_000));
  }
  return storeFiles(contents);
}

function planBy(random: Random): UploadPlan {
  const partSize = 1_000 * (1 + upTo(random, 3));
  return {
    ...inMemoryPlan,
    smallestPart: partSize,
    usualPart: partSize,
    order: random() < 0.3 ? 'ascending' : 'any',
    digestsToBegin: random() < 0.2 ? ['md5'] : [],
    digestsToComplete: random() < 0.5 ? ['crc32c', 'sha1'] : [],
  };
}

/** Sees at the provider's own side what must never happen. */
function witnessed(cloud: Cloud, plan: UploadPlan, ignoresCase: boolean, copied: ReadonlyMap<string, Buffer> | null): CloudProvider {
  const copying = copied && createCopyingProvider(cloud, copied, plan);
  const inner: CloudProvider = copying ?? createInMemoryProvider(cloud, plan);
  const expectAbsent = (handle: UploadHandle, number: number): void => {
    if (!cloud.uploads.get(String(handle['uploadId']))?.parts.has(number)) return;
    throw new Error(`Part ${number} of ${String(handle['path'])} is sent again, though it is there.`);
  };
  return {
    ...inner,
    paths: { ...inner.paths, ignoresCase },
    begin: (request, abort) => {
      if (cloud.files.has(request.path)) throw new Error(`${request.path} is begun again, though it is there.`);
      return inner.begin(request, abort);
    },
    putPart: (request, abort) => {
      expectAbsent(request.handle, request.number);
      return inner.putPart(request, abort);
    },
    ...(copying && {
      copyPart: (request: CopyPartRequest, abort: AbortSignal) => {
        expectAbsent(request.handle, request.number);
        return copying.copyPart(request, abort);
      },
    }),
  };
}

/** `copies`: our storage and theirs are one server, which copies, or stops to allow it. */
function scenario(seed: number, { copies = false } = {}) {
  const random = seededRandom(seed);
  const stored = packageBy(random);
  const cloud = newCloud();
  const provider = witnessed(cloud, planBy(random), random() < 0.4, copies ? stored.bytes : null);
  const refusals = copies && random() < 0.3 ? 0.1 : 0;
  let copied = 0;
  const state = newDeliveryState(stored.files);
  const memory = 4_000 + upTo(random, 15_000);
  const limits = { files: 1 + upTo(random, 4), parts: 1 + upTo(random, 3) };
  const manifest = random() < 0.5 ? manifestFacts : null;

  /** What a process sees of the world: each call is two steps of its life, and may fail before or after it has worked. */
  const seenBy = (process: Process, faults: number) => ({
    provider: aroundCalls(provider, ({ name, run }) =>
      process.around(async () => {
        if (name === 'copyPart' && random() < refusals) throw new ProviderError('forbidden', 'It may not copy.');
        const fails = random() < faults;
        const failure = new ProviderError('unreachable', 'The connection broke.');
        if (fails && random() < 0.5) throw failure;
        const answer = await run();
        if (name === 'copyPart') copied++;
        if (fails) throw failure;
        return answer;
      }),
    ),
    storage: {
      read: (key: string, range?: { start: number; end: number }) => process.around(() => stored.read(key, range)),
      ...(copies && { locate: (key: string) => ({ origins: ['https://s3.example'], bucket: 'ours', key }) }),
    },
    journal: createInMemoryJournal(state, () => process.step()),
  });
  /** Runs until it ends or dies. */
  async function lives(work: (process: Process, faults: number) => Promise<unknown>): Promise<boolean> {
    const isLast = random() < 0.15;
    const process = new Process(isLast ? Number.POSITIVE_INFINITY : 1 + upTo(random, 10 + stored.files.length * 12));
    const faults = isLast ? 0 : random() < 0.5 ? 0 : 0.05;
    const end = await Promise.race([work(process, faults).then(() => 'ended' as const), process.died]).catch((error: unknown) => {
      if (error instanceof ProviderError && error.code === 'unreachable') return 'failed' as const;
      throw error;
    });
    return end === 'ended';
  }
  const deliverOnce = () =>
    lives((process, faults) =>
      deliver({
        ...seenBy(process, faults),
        memory: createPartMemory({ reserved: memory / 4, shared: (memory * 3) / 4 }).open(),
        folder: 'Longshore/Rushes',
        givenFolder: null,
        manifest,
        limits,
        signal,
        onProgress: () => {},
      }),
    );
  const cleanUpOnce = () => lives((process, faults) => cleanUp({ ...seenBy(process, faults), givenFolder: null, signal }));
  return { random, stored, cloud, state, manifest, deliverOnce, cleanUpOnce, copied: () => copied };
}

function expectNothingUnfinished({ cloud, state, stored }: ReturnType<typeof scenario>): void {
  expect([...cloud.uploads.values()].map(({ path }) => path)).toEqual([]);
  const complete = [...stored.files.map(({ id }) => id), manifestId].flatMap((id) => rowOf(state, id).object?.id ?? []);
  expect([...cloud.files.keys(), ...cloud.folders].sort()).toEqual(complete.sort());
}

describe.each([
  ['', {}],
  [' of files that are copied at the server', { copies: true }],
] as const)('a delivery%s whose process dies at any step', (_, how) => {
  let copied = 0;
  afterAll(() => expect(copied > 0).toBe('copies' in how));
  for (const seed of seeds(soaking ? 3_000 : 15)) {
    test(`seed ${seed}: nothing is lost, doubled or left behind, and no confirmed part is sent again`, async () => {
      const world = scenario(seed, how);
      const { random, stored, cloud, state, manifest, deliverOnce, cleanUpOnce } = world;
      while (!(await deliverOnce())) {
        // Somebody cancels it, and lets it go on after.
        if (random() < 0.15) {
          while (!(await cleanUpOnce()));
          expectNothingUnfinished(world);
        }
      }
      expectNothingUnfinished(world);
      copied += world.copied();
      const folder = state.folder!;
      const arrived = filesBelow(cloud, folder);
      if (manifest) expect(arrived.delete(manifestName(manifest.transferId))).toBe(true);
      for (const { id, kind, path } of stored.files) {
        const { target } = rowOf(state, id);
        expect(originalName(target!.slice(folder.length + 1))).toBe(path);
        if (kind === 'directory') expect(cloud.folders.has(target!)).toBe(true);
        else expect(cloud.files.get(target!)?.bytes.equals(stored.bytes.get(id)!), path).toBe(true);
      }
      expect(arrived.size).toBe(stored.files.filter(({ kind }) => kind === 'file').length);
    });
  }
});
