import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { digestOfChunks } from '#client/chunks.ts';
import { TransferError } from '#client/errors.ts';
import { remedyFor } from '#client/faults.ts';
import { type UploadFacts, type UploadJob, type UploadPorts, uploadFile } from '#client/upload.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { createFakeHosted, type Fate, hashMemory, type MemorySource } from '#test/support/engine/in-memory-hosted.ts';
import { createMemoryJournal } from '#test/support/engine/in-memory-journal.ts';

const nothing: UploadFacts = { state: 'none' };

function setUp(
  text: string,
  options: {
    checksum?: ChunkChecksum;
    fate?: (line: string, ordinal: number) => Fate;
    facts?: UploadFacts;
    kind?: 'file' | 'directory';
  } = {},
) {
  const hosted = createFakeHosted({
    ...(options.checksum ? { chunkChecksum: options.checksum } : {}),
    ...(options.fate ? { fate: options.fate } : {}),
  });
  const journal = createMemoryJournal(options.facts);
  const waits: number[] = [];
  const stop = new AbortController();
  let bytes = 0;
  const ports: UploadPorts<MemorySource> = {
    api: hosted.api,
    storage: hosted.fetcher,
    send: hosted.send,
    hashSlice: hashMemory,
    digest: blake3Hex,
    gate: pLimit(4),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0,
    now: () => 0,
  };
  const content = Buffer.from(text);
  const job = (facts: UploadFacts = nothing): UploadJob<MemorySource> => ({
    packageId: 'package',
    file: { kind: options.kind ?? 'file', name: 'a.txt', path: 'folder', lastModified: '2026-11-20T18:04:11.000Z' },
    source: { size: content.length, bytes: content },
    facts,
    journal,
    signal: stop.signal,
    onBytes: (count) => {
      bytes += count;
    },
    concurrency: 1,
  });
  return { hosted, journal, waits, stop, ports, job, counted: () => bytes, content };
}

/** A file as its package holds it now. */
function storedText(hosted: ReturnType<typeof createFakeHosted>): string | undefined {
  return [...hosted.files.values()][0]?.content?.toString();
}

test('a storage that is silent when an upload is opened has stalled, and one that is not there cannot be reached', async () => {
  for (const [code, told] of [
    ['STALLED', 'stalled'],
    ['ECONNREFUSED', 'unreachable'],
  ] as const) {
    const { ports, job } = setUp('some bytes');
    const storage = async (): Promise<never> => {
      throw Object.assign(new Error('nothing came'), { code });
    };
    await expect(uploadFile({ ...ports, storage }, job())).rejects.toMatchObject({ code: told });
  }
});

describe('a whole upload', () => {
  test('of one chunk costs five requests', async () => {
    const { hosted, ports, job, journal, counted } = setUp('abc');
    const { digest } = await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create', 'begin', 'blueprints 0+1', 'put 0', 'finalize']);
    expect(storedText(hosted)).toBe('abc');
    expect(digest).toBe(`blake3:${blake3Hex(Buffer.from(blake3Hex(Buffer.from('abc')), 'hex'))}`);
    expect(journal.isFinalized()).toBe(true);
    expect(counted()).toBe(3);
  });

  test('of no bytes sends one empty chunk', async () => {
    const { hosted, ports, job } = setUp('');
    await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create', 'begin', 'blueprints 0+1', 'put 0', 'finalize']);
    expect(storedText(hosted)).toBe('');
  });

  test('of many chunks asks for their blueprints at once', async () => {
    const { hosted, ports, job } = setUp('0123456789');
    await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create', 'begin', 'blueprints 0+3', 'put 0', 'put 1', 'put 2', 'finalize']);
    expect(storedText(hosted)).toBe('0123456789');
  });

  test('of a folder is the creation alone', async () => {
    const { hosted, ports, job, journal } = setUp('', { kind: 'directory' });
    await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create']);
    expect(journal.isFinalized()).toBe(true);
  });

  test.each<ChunkChecksum>(['blake3', 'md5', 'none'])('compares what the storage says where it says something (%s)', async (checksum) => {
    const { hosted, ports, job } = setUp('0123456789', { checksum });
    await uploadFile(ports, job());
    expect(storedText(hosted)).toBe('0123456789');
  });

  test('keeps to the gate, whatever its own concurrency', async () => {
    const { hosted, ports, job } = setUp('x'.repeat(64));
    let running = 0;
    let most = 0;
    const counted: typeof ports.send = async (...call) => {
      most = Math.max(most, ++running);
      await new Promise((resume) => setImmediate(resume));
      running--;
      return ports.send(...call);
    };
    await uploadFile({ ...ports, send: counted, gate: pLimit(3) }, { ...job(), concurrency: 8 });
    expect(most).toBe(3);
    expect(storedText(hosted)).toBe('x'.repeat(64));
  });
});

describe('going on after a death', () => {
  /** Runs until the process dies at request `ordinal`, before it acts or before its answer is noted; then goes on. */
  async function dieAndGoOn(ordinal: number, fate: 'lost_before' | 'lost_after', checksum: ChunkChecksum) {
    let dead = false;
    const set = setUp('0123456789', { checksum, fate: (_, at) => (!dead && at === ordinal ? fate : 'pass') });
    // Dying is losing the answer and all that would come after.
    const dying = {
      ...set.ports,
      sleep: async () => {
        throw new Error('died');
      },
    };
    const died = await uploadFile(dying, set.job()).then(
      () => false,
      () => true,
    );
    dead = true;
    set.hosted.log.length = 0;
    await uploadFile(set.ports, set.job(set.journal.facts()));
    return { ...set, died };
  }

  const steps = ['create', 'begin', 'blueprints 0+3', 'put 0', 'put 1', 'put 2', 'finalize'];
  const remaining: Record<string, readonly string[]> = {
    'create lost_before': steps,
    'create lost_after': steps,
    'begin lost_before': steps.slice(1),
    'begin lost_after': steps.slice(1),
    'blueprints 0+3 lost_before': ['chunks', ...steps.slice(2)],
    'blueprints 0+3 lost_after': ['chunks', ...steps.slice(2)],
    'put 0 lost_before': ['chunks', ...steps.slice(2)],
    'put 0 lost_after': ['chunks', 'blueprints 1+2', 'put 1', 'put 2', 'finalize'],
    'put 1 lost_before': ['chunks', 'blueprints 1+2', 'put 1', 'put 2', 'finalize'],
    'put 1 lost_after': ['chunks', 'blueprints 2+1', 'put 2', 'finalize'],
    'put 2 lost_before': ['chunks', 'blueprints 2+1', 'put 2', 'finalize'],
    'put 2 lost_after': ['chunks', 'finalize'],
    'finalize lost_before': ['finalize'],
    'finalize lost_after': ['finalize'],
  };

  const cases = (['blake3', 'md5'] as const).flatMap((checksum) =>
    steps.flatMap((step, at) => (['lost_before', 'lost_after'] as const).map((fate) => ({ checksum, step, at, fate }))),
  );

  test.each(cases)('$checksum: dead at $step, $fate: exactly the requests that remain', async ({ checksum, step, at, fate }) => {
    const { hosted, died, counted, journal } = await dieAndGoOn(at, fate, checksum);
    expect(died).toBe(true);
    // Blueprints start where the first missing chunk lies; the cache begins at what it is asked for.
    expect(hosted.log).toEqual(remaining[`${step} ${fate}`]);
    expect(storedText(hosted)).toBe('0123456789');
    expect(new Set(hosted.confirmed).size).toBe(hosted.confirmed.length);
    expect(journal.isFinalized()).toBe(true);
    expect(counted()).toBeGreaterThanOrEqual(10);
  });

  test('without etags that say anything, a chunk that was not noted goes again, and only that', async () => {
    const { hosted } = await dieAndGoOn(4, 'lost_after', 'none');
    expect(hosted.log).toEqual(['chunks', 'blueprints 1+2', 'put 1', 'put 2', 'finalize']);
    expect(storedText(hosted)).toBe('0123456789');
  });

  test('a finalized file of which every note was lost is taken over by its digest', async () => {
    const { hosted, ports, job, journal, counted } = setUp('0123456789');
    await uploadFile(ports, job());
    hosted.log.length = 0;
    await uploadFile(ports, job(nothing));
    expect(hosted.log).toEqual(['create', 'list']);
    expect(journal.isFinalized()).toBe(true);
    expect(counted()).toBe(20);
  });

  test('one that holds other bytes is replaced', async () => {
    const { hosted, ports, job } = setUp('0123456789');
    await uploadFile(ports, job());
    hosted.log.length = 0;
    const other = Buffer.from('9876543210');
    await uploadFile(ports, { ...job(nothing), source: { size: 10, bytes: other } });
    expect(hosted.log.slice(0, 4)).toEqual(['create', 'list', 'delete', 'create']);
    expect(storedText(hosted)).toBe('9876543210');
  });

  test('noted chunks that the storage lost, or holds otherwise, go again', async () => {
    let refusing = true;
    const set = setUp('0123456789', { fate: (line) => (refusing && line === 'put 2' ? { status: 405 } : 'pass') });
    await expect(uploadFile(set.ports, set.job())).rejects.toMatchObject({ code: 'storage_refused' });
    refusing = false;
    const parts = [...set.hosted.uploads.values()][0]!.parts;
    parts.delete(1);
    parts.set(2, { bytes: Buffer.from('9999'), etag: `b3-${blake3Hex(Buffer.from('9999'))}` });
    set.hosted.log.length = 0;
    await uploadFile(set.ports, set.job(set.journal.facts()));
    expect(set.hosted.log).toEqual(['chunks', 'blueprints 0+3', 'put 0', 'put 1', 'put 2', 'finalize']);
    expect(storedText(set.hosted)).toBe('0123456789');
  });
});

describe('what goes wrong', () => {
  const once = (what: string, fate: Fate) => {
    let fired = 0;
    return { fate: (line: string): Fate => (line === what && fired++ === 0 ? fate : 'pass'), fired: () => fired };
  };

  test.each(['create', 'begin', 'blueprints 0+3', 'put 1', 'finalize'])('a hiccup at %s is tried again after a pause', async (step) => {
    const plan = once(step, { status: 503, text: '' });
    const { ports, job, hosted, waits, counted } = setUp('0123456789', { fate: plan.fate });
    await uploadFile(ports, job());
    expect(plan.fired()).toBe(2);
    expect(waits).toEqual([200]);
    expect(storedText(hosted)).toBe('0123456789');
    expect(counted()).toBe(10);
  });

  test.each([
    ['the connection broke', 'cut'],
    ['nothing came', 'stalled'],
    ['a gateway answered in its place', 'storage_failed'],
    ['it could not be read', 'wrong_answer'],
  ] as const)('a chunk whose answer was lost (%s) is asked about before it would go twice', async (_, code) => {
    const plan = once('put 1', 'lost_after');
    const { ports, job, hosted, counted } = setUp('0123456789', { fate: plan.fate });
    const send: typeof ports.send = (...call) =>
      ports.send(...call).catch((cause: unknown) => {
        throw new TransferError(code, 'The answer was lost.', { cause });
      });
    await uploadFile({ ...ports, send }, job());
    expect(hosted.log.slice(3)).toEqual(['put 0', 'put 1', 'chunks', 'put 2', 'finalize']);
    expect(storedText(hosted)).toBe('0123456789');
    expect(counted()).toBe(10);
  });

  test('Retry-After is kept to', async () => {
    const plan = once('put 0', { status: 503, headers: { 'retry-after': '7' } });
    const { ports, job, waits } = setUp('0123', { fate: plan.fate });
    await uploadFile(ports, job());
    expect(waits).toEqual([7_000]);
  });

  test('an expired blueprint brings new ones, from that chunk on', async () => {
    const plan = once('put 1', { status: 403, text: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>' });
    const { ports, job, hosted } = setUp('0123456789', { fate: plan.fate });
    await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create', 'begin', 'blueprints 0+3', 'put 0', 'put 1', 'blueprints 1+2', 'put 1', 'put 2', 'finalize']);
  });

  test('blueprints that are always refused are an error in the storage’s words', async () => {
    const { ports, job } = setUp('0123', {
      fate: (line) => (line === 'put 0' ? { status: 403, text: '<Error><Message>The clock is wrong.</Message></Error>' } : 'pass'),
    });
    await expect(uploadFile(ports, job())).rejects.toThrow('The clock is wrong.');
  });

  test('an upload that is gone begins anew', async () => {
    const plan = once('put 1', { status: 404, text: '<Error><Code>NoSuchUpload</Code></Error>' });
    const { ports, job, hosted, counted } = setUp('0123456789', { fate: plan.fate });
    await uploadFile(ports, job());
    expect(hosted.log.slice(4)).toEqual(['put 1', 'create', 'begin', 'blueprints 0+3', 'put 0', 'put 1', 'put 2', 'finalize']);
    expect(counted()).toBe(10);
  });

  test('an expired create blueprint begins anew', async () => {
    const plan = once('begin', { status: 403 });
    const { ports, job, hosted } = setUp('0123', { fate: plan.fate });
    await uploadFile(ports, job());
    expect(hosted.log).toEqual(['create', 'begin', 'create', 'begin', 'blueprints 0+1', 'put 0', 'finalize']);
  });

  /** Sends part 2 with other bytes than are digested, as often as there are some. */
  const onTheWay = (ports: ReturnType<typeof setUp>['ports'], wrong: string[]): typeof ports.send => {
    return async (blueprint, source, slice, options) => {
      const bytes = slice.offset === 4 ? wrong.shift() : undefined;
      if (bytes === undefined) return ports.send(blueprint, source, slice, options);
      const sent = await ports.send(blueprint, { size: source.size, bytes: Buffer.from(`0123${bytes}89`) }, slice, options);
      return { ...sent, blake3: blake3Hex(Buffer.from('4567')) };
    };
  };

  test('a chunk that comes out wrong goes again after a pause, and each damage is counted', async () => {
    const { ports, job, hosted, counted, waits } = setUp('0123456789');
    const damages = { times: 4 };
    const met: string[] = [];
    const trouble = (error: unknown) => {
      met.push((error as Error).message);
      return () => undefined;
    };
    await uploadFile({ ...ports, send: onTheWay(ports, ['xxxx', 'yyyy', 'xxxx']), damages, trouble }, job());
    expect(storedText(hosted)).toBe('0123456789');
    expect(counted()).toBe(10);
    expect(waits).toHaveLength(3);
    expect(damages.times).toBe(7);
    expect(met.at(-1)).toMatch(/^The line damages data \(7 times\)/);
  });

  test('a line that goes on damaging is left to whoever has more patience, and passes by itself', async () => {
    const { ports, job, hosted, journal } = setUp('0123456789');
    const send = onTheWay(ports, ['a...', 'b...', 'c...', 'd...', 'e...']);
    const failure = await uploadFile({ ...ports, send }, job()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'line_damages' });
    expect(remedyFor(failure)).toEqual({ kind: 'retry_soon' });
    await uploadFile({ ...ports, send }, job(journal.facts()));
    expect(storedText(hosted)).toBe('0123456789');
  });

  test('a chunk of which the same wrong bytes are made twice ends in words', async () => {
    const { ports, job } = setUp('0123456789');
    const uploading = uploadFile({ ...ports, send: onTheWay(ports, ['xxxx', 'xxxx']) }, job());
    await expect(uploading).rejects.toMatchObject({ code: 'chunk_spoiled', message: expect.stringContaining('Part 2') });
  });

  test('a chunk that finalize finds wrong goes again, and only that one', async () => {
    const { ports, job, hosted, counted } = setUp('0123456789');
    let damaged = false;
    const storage: typeof ports.send = async (blueprint, source, slice, options) => {
      const sent = await ports.send(blueprint, source, slice, options);
      if (slice.offset === 8 && !damaged) {
        damaged = true;
        [...hosted.uploads.values()][0]!.parts.set(1, { bytes: Buffer.from('zzzz'), etag: 'b3-other' });
      }
      return sent;
    };
    await uploadFile({ ...ports, send: storage }, job());
    expect(hosted.log.slice(6)).toEqual(['finalize', 'chunks', 'blueprints 0+1', 'put 0', 'finalize']);
    expect(storedText(hosted)).toBe('0123456789');
    expect(counted()).toBe(10);
  });

  test('a service that keeps finding the same chunk wrong ends in words', async () => {
    const { ports, job, hosted } = setUp('0123456789', {
      fate: (line) =>
        line === 'finalize'
          ? { status: 409, text: JSON.stringify({ code: 196614, message: 'Chunk 2 is wrong: no. Upload it again and finalize again.' }) }
          : 'pass',
    });
    await expect(uploadFile(ports, job())).rejects.toMatchObject({ code: 'chunk_spoiled' });
    expect(hosted.log.filter((line) => line === 'put 1')).toHaveLength(2);
    expect(hosted.log.filter((line) => line === 'put 0')).toHaveLength(1);
  });

  test('after one chunk failed, the others under way finish and are noted, and nothing runs on', async () => {
    const { ports, job, hosted, journal } = setUp('x'.repeat(40));
    const gates = new Map<number, () => void>();
    const send: typeof ports.send = async (blueprint, source, slice, options) => {
      await new Promise<void>((resume) => gates.set(slice.offset / 4, resume));
      if (slice.offset === 4) throw new TransferError('file_changed', 'It changed.');
      return ports.send(blueprint, source, slice, options);
    };
    const uploading = uploadFile({ ...ports, send }, { ...job(), concurrency: 3 });
    const outcome = expect(uploading).rejects.toMatchObject({ code: 'file_changed' });
    while (gates.size < 3) await new Promise((resume) => setImmediate(resume));
    gates.get(1)!();
    await new Promise((resume) => setImmediate(resume));
    gates.get(0)!();
    gates.get(2)!();
    await outcome;
    expect(journal.chunks().sort()).toEqual([0, 2]);
    expect(gates.size).toBe(3);
    expect(hosted.log.filter((line) => line.startsWith('put'))).toHaveLength(2);
  });

  test('an abort ends it with the signal’s reason, whatever it is doing', async () => {
    const { ports, job, stop } = setUp('0123', { fate: () => ({ status: 503 }) });
    const sleep = async (): Promise<void> => stop.abort(new Error('paused by the person'));
    await expect(uploadFile({ ...ports, sleep }, job())).rejects.toThrow('paused by the person');
  });
});

test('the digest is over the binary digests, in the chunks’ order', async () => {
  const chunks = ['0123', '4567', '89'].map((text) => blake3Hex(Buffer.from(text)));
  const { ports, job } = setUp('0123456789');
  expect((await uploadFile(ports, job())).digest).toBe(await digestOfChunks(blake3Hex, chunks));
  expect(await digestOfChunks(blake3Hex, chunks)).toBe(`blake3:${blake3Hex(Buffer.from(chunks.join(''), 'hex'))}`);
});
