import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { aroundCalls } from '#providers/wrappers/around.ts';
import type { ImportRequest } from '#service/transfers/import/ports.ts';
import { StorageError } from '#storage/errors.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { type ImportBench, importBench, putIntoCloud, smallChunks, smallImport } from '#test/support/service/import-bench.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';

type Parts = Pick<ImportRequest, 'provider' | 'storage' | 'files' | 'journal'>;

const killed = new Error('the process was killed');

/** All functions of an object with something done before and after. */
function around<T extends object>(target: T, run: (name: string, call: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(one, name: string) {
      const value = one[name as keyof T];
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => run(name, async () => (await (value as (...all: unknown[]) => unknown).apply(one, args)) as unknown);
    },
  });
}

/** A process that is killed at its `calls`-th call, before or after what that does; or whose provider or storage fails there. */
function mortal(parts: Parts, calls: number, random: () => number): { readonly parts: Parts; readonly signal: AbortSignal } {
  const stop = new AbortController();
  let made = 0;
  const fault = Math.floor(random() * 4);
  const before = random() < 0.5;
  const run = async (room: 'provider' | 'storage' | 'ours', call: () => Promise<unknown>): Promise<unknown> => {
    stop.signal.throwIfAborted();
    made += 1;
    if (made !== calls) return await call();
    if (!before) await call();
    if (fault === 1 && room === 'provider') throw new ProviderError('busy', 'The provider is busy.');
    if (fault === 2 && room === 'storage') throw new StorageError('storage_unavailable', 'The storage is busy.');
    stop.abort(killed);
    throw killed;
  };
  return {
    parts: {
      provider: aroundCalls(parts.provider as CloudProvider, async ({ run: call }) => (await run('provider', call)) as never),
      storage: around(parts.storage, (_, call) => run('storage', call)),
      files: around(parts.files, (_, call) => run('ours', call)),
      journal: around(parts.journal, (_, call) => run('ours', call)),
    },
    signal: stop.signal,
  };
}

/** Fails the test if a range of a chunk is asked for that the journal knew to be stored. */
function guarded(at: ImportBench, running: TestStorage): Parts & { readonly twice: string[] } {
  const twice: string[] = [];
  const provider = createInMemoryProvider(at.cloud);
  return {
    twice,
    storage: running.storage,
    files: at.files,
    journal: at.journal,
    provider: {
      ...provider,
      async openRange(request, signal) {
        const row = at.state.rows.find(({ id }) => id === request.id)!;
        const number = Math.floor((request.range?.start ?? 0) / smallChunks) + 1;
        if (row.isComplete || (row.uploadId !== null && at.state.chunks.get(row.position)?.has(number)))
          twice.push(`${request.id} ${number}`);
        return await provider.openRange(request, signal);
      },
    },
  };
}

/** Killed processes lose no pages of the system's cache, so waiting for the disk would only take time. */
const unflushed: FileSystem = {
  ...nodeFileSystem,
  open: async (...request) => withoutFlush(await nodeFileSystem.open(...request)),
  openNow: (...request) => withoutFlush(nodeFileSystem.openNow(...request)),
};

const withoutFlush = (file: OpenFile): OpenFile => Object.assign(file, { flush: async () => undefined, flushNow: () => undefined });

const filesBelow = async (root: string, folder: string): Promise<string[]> =>
  (await readdir(join(root, folder), { recursive: true, withFileTypes: true })).flatMap(({ name, parentPath }) =>
    parentPath === join(root, folder) ? [] : [name],
  );

describe('an import whose processes are killed again and again', () => {
  test.each(seeds(soaking ? 200 : whole ? 3 : 1))('seed %d: everything comes once, and nothing else is left', async (seed) => {
    const random = seededRandom(seed);
    const running = await startTestStorage({ inProcess: { files: unflushed } });
    const cloud = newCloud();
    const sizes = [0, 1, 900, smallChunks, smallChunks + 1, 3 * smallChunks, 17 * smallChunks + 7, 40_000];
    for (const [index, size] of sizes.entries()) {
      putIntoCloud(cloud, `d/${index % 2}/${index}.bin`, Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256))));
    }
    putIntoCloud(cloud, 'alone.bin', Buffer.alloc(9_000, 7));
    const at = importBench(cloud, running.storage, [
      { id: 'd', name: 'd', kind: 'directory' },
      { id: 'alone.bin', name: 'alone.bin', kind: 'file' },
    ]);
    const { twice, ...parts } = guarded(at, running);
    for (let lives = 0; ; lives++) {
      // It lives longer and longer, so that it ends.
      const life = mortal(parts, 1 + Math.floor(random() * (20 + lives * 10)), random);
      try {
        const done = await at.run({ ...life.parts, signal: life.signal, limits: smallImport });
        expect(done.files).toBe(sizes.length + 1);
        break;
      } catch (error) {
        if (error !== killed && !(error instanceof ProviderError) && !(error instanceof StorageError)) throw error;
      }
    }
    expect(twice).toEqual([]);
    for (const [index] of sizes.entries()) {
      const path = `d/${index % 2}/${index}.bin`;
      const file = at.packaged.get(path)!;
      const { bytes } = cloud.files.get(path)!;
      expect(file.state).toBe('finalized');
      expect(file.digest).toBe(fileDigest(bytes, smallChunks));
      expect((await buffer(await running.storage.read(file.fileId))).equals(bytes)).toBe(true);
    }
    expect(at.packaged.size).toBe(sizes.length + 1);
    expect(await filesBelow(running.root, 'uploads')).toEqual([]);
    const objects = (await filesBelow(running.root, 'objects')).filter((name) => !name.includes('.'));
    expect(objects.toSorted()).toEqual([...at.packaged.values()].map(({ fileId }) => fileId).toSorted());
    await running.close();
  });
});
