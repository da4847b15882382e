import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { chunkSizeForGrowing } from '#client/chunks.ts';
import { type UploadJob, type UploadPorts, uploadFile } from '#client/upload.ts';
import { sendClosedChunks } from '#client/upload-closed-chunks.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { limits } from '#protocol/limits.ts';
import { createFakeHosted, type Fate, hashMemory, type MemorySource } from '#test/support/engine/in-memory-hosted.ts';
import { createMemoryJournal } from '#test/support/engine/in-memory-journal.ts';

const chunkSize = 4;

/** A file that grows, in chunks of four bytes. */
function setUp(fate?: (line: string, ordinal: number) => Fate) {
  const hosted = createFakeHosted({ chunkSize, ...(fate ? { fate } : {}) });
  const journal = createMemoryJournal();
  let bytes = 0;
  const ports: UploadPorts<MemorySource> = {
    api: hosted.api,
    storage: hosted.fetcher,
    send: hosted.send,
    hashSlice: hashMemory,
    digest: blake3Hex,
    gate: pLimit(1),
    sleep: async () => {},
    random: () => 0,
    now: () => 0,
  };
  const job = (content: string, size = content.length): UploadJob<MemorySource> => ({
    packageId: 'package',
    file: { kind: 'file', name: 'clip.mov', path: '', lastModified: '2026-11-20T18:04:11.000Z' },
    source: { size, bytes: Buffer.from(content) },
    facts: journal.facts(),
    journal,
    signal: new AbortController().signal,
    onBytes: (count) => {
      bytes += count;
    },
    concurrency: 1,
  });
  const send = (content: string, asksStorage = false) =>
    sendClosedChunks(ports, job(content, Math.floor(content.length / chunkSize) * chunkSize), { asksStorage });
  return { hosted, journal, send, finish: (content: string) => uploadFile(ports, job(content)), counted: () => bytes };
}

const storedText = ({ files }: ReturnType<typeof createFakeHosted>): string | undefined => [...files.values()][0]?.content?.toString();

test('chunks go as they become whole, each once, and the rest with the end', async () => {
  const { hosted, journal, send, finish } = setUp();
  await send('abcdef');
  await send('abcdefghijkl');
  expect([...hosted.files.values()]).toMatchObject([{ size: 0, state: 'new' }]);
  expect(journal.facts()).toMatchObject({ state: 'open', upload: { unknownSize: true } });
  await finish('abcdefghijklm');
  expect(hosted.log).toEqual([
    ...['create', 'begin', 'blueprints 0+1', 'put 0', 'blueprints 1+2', 'put 1', 'put 2'],
    ...['chunks', 'blueprints 3+1', 'put 3', 'finalize'],
  ]);
  expect(storedText(hosted)).toBe('abcdefghijklm');
});

test('a file that ends where a chunk ends is finalized without another one', async () => {
  const { hosted, send, finish } = setUp();
  await send('abcdefgh');
  await finish('abcdefgh');
  expect(hosted.log.slice(-2)).toEqual(['put 1', 'finalize']);
  expect(storedText(hosted)).toBe('abcdefgh');
});

test('a chunk that was changed and is forgotten is sent anew, although the storage has one', async () => {
  const { hosted, journal, send, finish } = setUp();
  await send('abcdefgh');
  journal.chunksForgotten([0]);
  await finish('ABcdefghi');
  expect(hosted.log.filter((line) => line.startsWith('put'))).toEqual(['put 0', 'put 1', 'put 0', 'put 2']);
  expect(storedText(hosted)).toBe('ABcdefghi');
});

test('after a death no confirmed chunk is sent again, noted or not', async () => {
  const { hosted, send, finish } = setUp((line) => (line === 'put 1' && puts++ === 0 ? 'lost_after' : 'pass'));
  let puts = 0;
  await expect(send('abcdefgh')).rejects.toThrow('hang up');
  await send('abcdefghijkl', true);
  await finish('abcdefghijkl');
  expect(new Set(hosted.confirmed).size).toBe(hosted.confirmed.length);
  expect(storedText(hosted)).toBe('abcdefghijkl');
});

test('an upload that was begun with a size is begun again without one', async () => {
  const { hosted, journal, send } = setUp();
  await send('abcd');
  const facts = journal.facts();
  if (facts.state !== 'open') throw new Error('It is not open.');
  const { unknownSize: _, ...sized } = facts.upload;
  journal.uploadCreated(sized);
  await send('abcdefgh');
  expect(hosted.log.filter((line) => line === 'create' || line.startsWith('put'))).toEqual(['create', 'put 0', 'create', 'put 0', 'put 1']);
});

test('its chunks are large enough for four times its size, as far as the service takes such', () => {
  const MiB = 1024 * 1024;
  const most = limits.maxChunkSize;
  expect(chunkSizeForGrowing(0, { most })).toBe(64 * MiB);
  expect(chunkSizeForGrowing(160_000 * MiB, { most })).toBe(64 * MiB);
  expect(chunkSizeForGrowing(1_000_000 * MiB, { most })).toBe(400 * MiB);
  expect(chunkSizeForGrowing(1_000_000 * MiB, { most: 20 * MiB })).toBe(20 * MiB);
});
