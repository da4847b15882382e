import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { digestOfChunks } from '#client/chunks.ts';
import { type DownloadFacts, type DownloadJob, type DownloadPorts, downloadFile } from '#client/download.ts';
import { TransferError } from '#client/errors.ts';
import type { SliceHasher } from '#client/ports.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { createFakeHosted } from '#test/support/engine/in-memory-hosted.ts';

interface MemorySink {
  bytes: Buffer;
}

const content = Buffer.from('0123456789');
const chunkDigests = ['0123', '4567', '89'].map((text) => blake3Hex(Buffer.from(text)));
const digest = await digestOfChunks(blake3Hex, chunkDigests);

function setUp(
  options: { size?: number; digest?: string | null; fail?: (call: number, offset: number) => TransferError | 'damage' | undefined } = {},
) {
  const hosted = createFakeHosted();
  hosted.files.set('file', { id: 'file', name: 'a', path: '', kind: 'file', size: 10, chunkSize: 4, state: 'finalized' });
  const sink: MemorySink = { bytes: Buffer.alloc(0) };
  const received: string[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  let facts: DownloadFacts = { ranges: new Map() };
  let bytes = 0;
  let time = 0;
  const hashSlice: SliceHasher<MemorySink> = async ({ bytes: held }, { offset, length }) => {
    if (held.length < offset + length) throw new TransferError('file_changed', 'It is shorter.');
    return { blake3: blake3Hex(held.subarray(offset, offset + length)) };
  };
  const ports: DownloadPorts<MemorySink> = {
    api: hosted.api,
    hashSlice,
    digest: blake3Hex,
    gate: pLimit(4),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0,
    now: () => time,
    async receive(url, into, { offset, length }, { onBytes, signal }) {
      signal.throwIfAborted();
      const call = received.push(`${url.slice(url.lastIndexOf('/') + 1)}:${offset}+${length}`) - 1;
      const failure = options.fail?.(call, offset);
      const piece = Buffer.from(content.subarray(offset, offset + length));
      if (failure instanceof TransferError) {
        onBytes(1);
        throw failure;
      }
      if (failure === 'damage') piece[0]! ^= 1;
      const grown = Buffer.alloc(Math.max(into.bytes.length, offset + length));
      into.bytes.copy(grown);
      piece.copy(grown, offset);
      into.bytes = grown;
      onBytes(length);
      return { blake3: blake3Hex(piece) };
    },
  };
  const job = (): DownloadJob<MemorySink> => ({
    packageId: 'package',
    file: {
      id: 'file',
      name: 'a',
      size: options.size ?? 10,
      chunkSize: 4,
      ...(options.digest === null ? {} : { digest: options.digest ?? digest }),
    },
    sink,
    facts,
    journal: {
      rangeWritten(index, range) {
        facts = { ranges: new Map([...facts.ranges, [index, range]]) };
      },
      rangesForgotten(indexes) {
        facts = { ranges: new Map(indexes === 'all' ? [] : [...facts.ranges].filter(([index]) => !indexes.includes(index))) };
      },
    },
    signal: stop.signal,
    onBytes: (count) => {
      bytes += count;
    },
    concurrency: 1,
  });
  return {
    hosted,
    sink,
    received,
    waits,
    stop,
    ports,
    job,
    counted: () => bytes,
    facts: () => facts,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
    ranges: () => received.map((line) => line.slice(line.indexOf(':') + 1)),
  };
}

const cut = (): TransferError => new TransferError('cut', 'The connection broke.');
const expired = (): TransferError => new TransferError('address_refused', 'The address has expired.');

describe('a whole download', () => {
  test('asks for the address once, fetches ranges by the file’s chunk size, and verifies', async () => {
    const { ports, job, hosted, sink, ranges, counted } = setUp();
    expect(await downloadFile(ports, { ...job(), concurrency: 3 })).toEqual({ digest, verified: true });
    expect(hosted.log).toEqual(['address']);
    expect(ranges()).toEqual(['0+4', '4+4', '8+2']);
    expect(sink.bytes.toString()).toBe('0123456789');
    expect(counted()).toBe(10);
  });

  test('of a file without a digest says that nothing was compared', async () => {
    const { ports, job } = setUp({ digest: null });
    expect(await downloadFile(ports, job())).toEqual({ digest, verified: false });
  });

  test('of no bytes asks nobody', async () => {
    const empty = await digestOfChunks(blake3Hex, [blake3Hex(Buffer.alloc(0))]);
    const { ports, job, hosted, received } = setUp({ size: 0, digest: empty });
    expect(await downloadFile(ports, job())).toEqual({ digest: empty, verified: true });
    expect([...hosted.log, ...received]).toEqual([]);
  });
});

describe('going on after a death', () => {
  test.each([
    [0, ['0+4', '4+4', '8+2']],
    [1, ['4+4', '8+2']],
    [2, ['8+2']],
  ])('at range %i: exactly the ranges that remain', async (at, remaining) => {
    const set = setUp({ fail: (call) => (call === at ? new TransferError('disk_full', 'Full.') : undefined) });
    await expect(downloadFile(set.ports, set.job())).rejects.toMatchObject({ code: 'disk_full' });
    set.received.length = 0;
    set.ports = { ...set.ports };
    const fresh = setUp();
    fresh.sink.bytes = set.sink.bytes;
    await downloadFile(fresh.ports, { ...fresh.job(), facts: set.facts() });
    expect(fresh.ranges()).toEqual(remaining);
    expect(fresh.sink.bytes.toString()).toBe('0123456789');
    expect(fresh.counted()).toBe(10);
  });

  test('a range that a power cut took, or changed, comes again', async () => {
    const { ports, job, sink, received, ranges } = setUp();
    await downloadFile(ports, job());
    sink.bytes = Buffer.from('012x4567');
    received.length = 0;
    await downloadFile(ports, job());
    expect(ranges()).toEqual(['0+4', '8+2']);
    expect(sink.bytes.toString()).toBe('0123456789');
  });

  test('a file that is all there costs no request', async () => {
    const { ports, job, hosted, received } = setUp();
    await downloadFile(ports, job());
    hosted.log.length = 0;
    received.length = 0;
    await downloadFile(ports, job());
    expect([...hosted.log, ...received]).toEqual([]);
  });
});

describe('what goes wrong', () => {
  test('a cut comes again after a pause, and its bytes count once', async () => {
    const { ports, job, waits, counted, ranges } = setUp({ fail: (call) => (call === 1 ? cut() : undefined) });
    await downloadFile(ports, job());
    expect(ranges()).toEqual(['0+4', '4+4', '4+4', '8+2']);
    expect(waits).toEqual([200]);
    expect(counted()).toBe(10);
  });

  test('what keeps being cut is thrown', async () => {
    const { ports, job, received } = setUp({ fail: cut });
    await expect(downloadFile(ports, job())).rejects.toMatchObject({ code: 'cut' });
    expect(received).toHaveLength(4);
  });

  test('an expired address brings a new one', async () => {
    const { ports, job, hosted, received } = setUp({ fail: (call) => (call === 1 ? expired() : undefined) });
    await downloadFile(ports, job());
    expect(hosted.log).toEqual(['address', 'address']);
    expect(new Set(received.map((line) => line.split(':')[0])).size).toBe(2);
  });

  test('an address that is always refused is thrown', async () => {
    const { ports, job, hosted } = setUp({ fail: expired });
    await expect(downloadFile(ports, job())).rejects.toMatchObject({ code: 'address_refused' });
    expect(hosted.log).toEqual(['address', 'address', 'address']);
  });

  test('an old address is not used for a new range', async () => {
    const set = setUp();
    const receive: typeof set.ports.receive = (...call) => {
      set.wait(16 * 60_000);
      return set.ports.receive(...call);
    };
    await downloadFile({ ...set.ports, receive }, set.job());
    expect(set.hosted.log).toEqual(['address', 'address']);
  });

  test('damage costs the whole file once more, after a pause', async () => {
    const { ports, job, sink, counted, received, waits } = setUp({ fail: (call) => (call === 1 ? 'damage' : undefined) });
    expect(await downloadFile(ports, job())).toEqual({ digest, verified: true });
    expect(received).toHaveLength(6);
    expect(waits).toHaveLength(1);
    expect(sink.bytes.toString()).toBe('0123456789');
    expect(counted()).toBe(10);
  });

  test('then only what came otherwise than before comes again, as often as it takes', async () => {
    // Ranges 1 and 2 differ between the first two rounds, so that only they come a third time, and a fourth.
    const damaged = new Set([1, 5, 6]);
    const { ports, job, sink, received } = setUp({ fail: (call) => (damaged.has(call) ? 'damage' : undefined) });
    const doubts = new Map<number, string>();
    expect(await downloadFile(ports, { ...job(), doubts })).toMatchObject({ verified: true });
    expect(received.slice(6).some((line) => line.includes(':0+'))).toBe(false);
    expect(sink.bytes.toString()).toBe('0123456789');
  });

  test('a line that goes on damaging is left to whoever has more patience, with what is known by then', async () => {
    let rounds = 0;
    const { ports, job, sink, received } = setUp({ fail: (_, offset) => (offset === 4 && ++rounds <= 6 ? 'damage' : undefined) });
    const doubts = new Map<number, string>();
    // Other bytes each time.
    const receive: typeof ports.receive = async (...call) => {
      const came = await ports.receive(...call);
      return call[2].offset === 4 && rounds <= 6 ? { blake3: blake3Hex(Buffer.from(String(rounds))) } : came;
    };
    const failure = await downloadFile({ ...ports, receive }, { ...job(), doubts }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'line_damages' });
    expect(received).toHaveLength(3 + 3 + 1 + 1);
    expect(await downloadFile({ ...ports, receive }, { ...job(), doubts })).toMatchObject({ verified: true });
    expect(sink.bytes.toString()).toBe('0123456789');
  });

  test('what comes with the same wrong bytes twice lies so in the storage: an error in words, and nothing of it is kept', async () => {
    const { ports, job, counted, facts, received } = setUp({ fail: (_, offset) => (offset === 4 ? 'damage' : undefined) });
    await expect(downloadFile(ports, job())).rejects.toMatchObject({
      code: 'digest_mismatch',
      message: expect.stringContaining('Ask the sender'),
    });
    expect(received).toHaveLength(6);
    expect(facts().ranges.size).toBe(0);
    expect(counted()).toBe(0);
  });

  test('an abort ends it with the signal’s reason', async () => {
    const { ports, job, stop } = setUp({ fail: cut });
    const sleep = async (): Promise<void> => stop.abort(new Error('paused'));
    await expect(downloadFile({ ...ports, sleep }, job())).rejects.toThrow('paused');
  });
});
