import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { batchedCalls, uploadCapabilities } from '#client/batch-file-calls.ts';
import { ServiceError } from '#client/errors.ts';
import { type UploadFacts, type UploadJob, type UploadPorts, uploadFile } from '#client/upload.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { createFakeHosted, type Fate, hashMemory, type MemorySource } from '#test/support/engine/in-memory-hosted.ts';
import { createMemoryJournal } from '#test/support/engine/in-memory-journal.ts';

const nothing: UploadFacts = { state: 'none' };
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

/** So many files that go out by batch; a journal each. `again` is the next process, with what the journals hold. */
function setUp(texts: readonly string[], options: { checksum?: ChunkChecksum; fate?: (line: string, ordinal: number) => Fate } = {}) {
  const hosted = createFakeHosted({
    ...(options.checksum ? { chunkChecksum: options.checksum } : {}),
    ...(options.fate ? { fate: options.fate } : {}),
  });
  const journals = texts.map(() => createMemoryJournal());
  const signal = new AbortController().signal;
  const run = (facts: (index: number) => UploadFacts) => {
    const ports: UploadPorts<MemorySource> = {
      api: hosted.api,
      calls: batchedCalls({ api: hosted.api, packageId: 'package', signal, maxFiles: 1_000, linger: soon }),
      storage: hosted.fetcher,
      send: hosted.send,
      hashSlice: hashMemory,
      digest: blake3Hex,
      gate: pLimit(4),
      sleep: async () => {},
      random: () => 0,
      now: () => 0,
    };
    const job = (index: number): UploadJob<MemorySource> => ({
      packageId: 'package',
      file: { kind: 'file', name: `${index}`, path: '', lastModified: '2026-11-20T18:04:11.000Z' },
      source: { size: texts[index]!.length, bytes: Buffer.from(texts[index]!) },
      facts: facts(index),
      journal: journals[index]!,
      signal,
      onBytes: () => {},
    });
    return Promise.allSettled(texts.map((_, index) => uploadFile(ports, job(index))));
  };
  const held = () => Object.fromEntries([...hosted.files.values()].map(({ name, content, state }) => [name, [state, content?.toString()]]));
  return { hosted, run: () => run(() => nothing), again: () => run((index) => journals[index]!.facts()), held };
}

const whole = (texts: readonly string[]) => Object.fromEntries(texts.map((text, index) => [`${index}`, ['finalized', text]]));

describe('many small files', () => {
  test('cost one call to create, one PUT each, one call to finalize', async () => {
    const texts = ['a', '', 'ccc'];
    const { hosted, run, held } = setUp(texts);
    expect((await run()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(hosted.log).toEqual(['creates 3', 'put 0', 'put 0', 'put 0', 'finalizes 3']);
    expect(held()).toEqual(whole(texts));
  });

  test('with one of more chunks among them, which begins its upload by itself', async () => {
    const texts = ['a', '0123456789'];
    const { hosted, run, held } = setUp(texts);
    await run();
    expect(hosted.log).toEqual(expect.arrayContaining(['creates 2', 'begin', 'blueprints 0+3']));
    expect(hosted.log).not.toContain('create');
    expect(held()).toEqual(whole(texts));
  });

  test('with one that is refused: the others get through', async () => {
    const { hosted, run, held } = setUp(['a', 'b']);
    hosted.files.set('other', { id: 'other', name: '1', path: '', kind: 'directory', size: 0, chunkSize: 0, state: 'finalized' });
    // It is in the way and is of another kind, so it is deleted and the file created after all.
    await run();
    expect(hosted.log).toContain('delete');
    expect(held()).toEqual(whole(['a', 'b']));
  });

  test('are sent again where the storage holds other bytes', async () => {
    let corrupted = false;
    const corrupting = setUp(['a', 'b'], {
      fate: (line) => {
        if (line.startsWith('finalizes') && !corrupted) {
          corrupted = true;
          const [upload] = [...corrupting.hosted.uploads.values()];
          upload!.parts.set(1, { bytes: Buffer.from('x'), etag: `b3-${blake3Hex(Buffer.from('x'))}` });
        }
        return 'pass';
      },
    });
    expect((await corrupting.run()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(corrupting.hosted.log.filter((line) => line === 'put 0')).toHaveLength(3);
    expect(corrupting.held()).toEqual(whole(['a', 'b']));
  });

  test('by a service that turns out not to have the calls, go by one call each', async () => {
    const texts = ['a', 'b'];
    const { hosted, run, held } = setUp(texts, {
      fate: (line) =>
        line.startsWith('creates') ? { status: 404, text: JSON.stringify({ code: 65_541, message: 'There is no endpoint.' }) } : 'pass',
    });
    await run();
    expect(hosted.log.filter((line) => line.startsWith('creates'))).toHaveLength(1);
    expect(hosted.log.filter((line) => line === 'create' || line === 'finalize')).toEqual(['create', 'create', 'finalize', 'finalize']);
    expect(held()).toEqual(whole(texts));
  });

  test('are refused each with its own sentence', async () => {
    const { hosted } = setUp([]);
    const signal = new AbortController().signal;
    const calls = batchedCalls({ api: hosted.api, packageId: 'package', signal, maxFiles: 1_000, linger: soon });
    const body = { chunk_extras: [{ part_number: '1', etag: 'b3-' }], file_extras: { upload_id: 'none' }, size: 1 };
    const failure = await calls.finalize('unknown', body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({ error: 'not_found', answered: 404, details: { resource: 'file' } });
  });
});

test('what the service takes in one call is asked of its spec', async () => {
  const { hosted } = setUp([]);
  expect(await uploadCapabilities(hosted.api, new AbortController().signal)).toEqual({
    maxFiles: 1_000,
    maxRecords: 0,
    batchPutUrl: null,
    maxChunkSize: 1_000,
  });
});

describe('going on after a death', () => {
  const texts = ['a', 'bb', '', 'dddd'];
  const steps = ['creates 4', 'put', 'put', 'put', 'put', 'finalizes 4'];
  const checksums: readonly ChunkChecksum[] = ['blake3', 'md5', 'none'];
  const cases = checksums.flatMap((checksum) =>
    steps.flatMap((step, ordinal) => (['lost_before', 'lost_after'] as const).map((fate) => ({ checksum, step, ordinal, fate }))),
  );

  test.each(cases)('at $step ($ordinal, $fate, $checksum)', async ({ checksum, ordinal, fate }) => {
    let dead = false;
    // Once dead, nothing of the old process gets through any more.
    const set = setUp(texts, {
      checksum,
      fate: (_, at) => {
        if (at === ordinal) return fate;
        return at > ordinal && !dead ? 'lost_before' : 'pass';
      },
    });
    await set.run();
    dead = true;
    const ends = await set.again();
    expect(ends.map(({ status }) => status)).toEqual(texts.map(() => 'fulfilled'));
    expect(set.held()).toEqual(whole(texts));
    if (checksum === 'none') return;
    // What the storage has confirmed is not sent again, whether or not its answer came through.
    expect(new Set(set.hosted.confirmed).size).toBe(set.hosted.confirmed.length);
    expect(set.hosted.confirmed).toHaveLength(texts.length);
  });
});
