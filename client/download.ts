import { limits } from '#protocol/limits.ts';
import { chunkCount, chunkSlice, digestOfChunks } from './chunks.ts';
import { type Doubts, lineDamages } from './damage.ts';
import { addressOf } from './download-addresses.ts';
import { TransferError } from './errors.ts';
import { remedyFor } from './faults.ts';
import { forEachConcurrent } from './for-each-concurrent.ts';
import type { HostedClient } from './hosted.ts';
import type { Digester, Gate, RangeReceiver, SliceHasher } from './ports.ts';
import { quickRetry, type RetryPorts, troubleOf, withRetries } from './retries.ts';

/** Known facts of one file's download: the BLAKE3 (64 hex digits) of each written range, by zero-based index. */
export interface DownloadFacts {
  readonly ranges: ReadonlyMap<number, { readonly blake3: string }>;
}

/** Stores a download's facts. A lost fact only costs its range again. */
export interface DownloadJournal {
  /** The range's bytes have been handed to the operating system. */
  rangeWritten(index: number, range: { blake3: string }): void | Promise<void>;
  /** These ranges must be fetched again. */
  rangesForgotten(indexes: readonly number[] | 'all'): void | Promise<void>;
}

interface FileToFetch {
  readonly id: string;
  /** For messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** From the listing. Ranges have this size too, since the digest is computed over chunks. */
  readonly chunkSize?: number;
  /** `blake3:<hex>`, if the storage or the sender knew it. */
  readonly digest?: string;
}

/** `T` is the sink that bytes are written to. */
export interface DownloadPorts<T> extends RetryPorts {
  /** With the package's read token. */
  readonly api: HostedClient;
  readonly receive: RangeReceiver<T>;
  /** Reads back and hashes what an earlier run has written. */
  readonly hashSlice: SliceHasher<T>;
  readonly digest: Digester;
  /** Concurrency of ranges, shared by all files. */
  readonly gate: Gate;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface DownloadJob<T> {
  readonly packageId: string;
  readonly file: FileToFetch;
  readonly sink: T;
  /** The journal's facts of this file. */
  readonly facts: DownloadFacts;
  readonly journal: DownloadJournal;
  readonly signal: AbortSignal;
  /**
   * Starts from 0 in every run. Ranges of an earlier run are counted at once, others while they are received; a
   * negative count takes back the bytes of a failed attempt.
   */
  readonly onBytes: (count: number) => void;
  /** Concurrent ranges of this file; the gate may allow fewer. */
  readonly concurrency?: number;
  /** The same object for each attempt at this file. It separates damage on the network path from damage in the storage. */
  readonly doubts?: Doubts;
}

interface DownloadedFile {
  /** `blake3:<hex>` of what was written. */
  readonly digest: string;
  /** Whether the package had a digest to compare with. If so, it matched. */
  readonly verified: boolean;
}

const defaultConcurrency = 4;
const refusalsAtMost = 3;

/**
 * Downloads one file into a sink (contract/files-and-blueprints.md §9): requests its address, fetches ranges in
 * parallel, and compares the digest over their digests with the file's. A range of an earlier run counts if the sink's
 * bytes still have the noted digest. A wrong digest costs the whole file once more, since it does not tell which range
 * is wrong; after that only ranges that changed between the two rounds are fetched again. If no range changed, the
 * storage itself has these bytes: `digest_mismatch`. Short network problems are retried here; every other failure is
 * thrown for `remedyFor` to classify. When the promise settles, no work is left running.
 */
export async function downloadFile<T>(ports: DownloadPorts<T>, job: DownloadJob<T>): Promise<DownloadedFile> {
  const { doubts = new Map() } = job;
  const ranges = await takeOverWritten(ports, job);
  const trouble = troubleOf(ports);
  try {
    for (let rounds = 1; ; rounds++) {
      await receiveRanges(ports, job, ranges);
      const digests = [...ranges].sort(([a], [b]) => a - b).map(([, blake3]) => blake3);
      const digest = await digestOfChunks(ports.digest, digests);
      if (job.file.digest === undefined || job.file.digest === digest) return { digest, verified: job.file.digest !== undefined };
      if (await forgetDoubtful(job, ranges, doubts)) throw damaged(job.file);
      const damage = lineDamages(ports);
      const wait = quickRetry(damage, rounds, ports.random);
      if (wait === null) throw damage;
      trouble.met(damage);
      await ports.sleep(wait, job.signal);
    }
  } finally {
    trouble.over();
  }
}

/**
 * Drops the ranges that changed since the last round. If none changed, drops all and returns that: the bytes are
 * damaged in the storage.
 */
async function forgetDoubtful<T>(job: DownloadJob<T>, ranges: Map<number, string>, doubts: Doubts): Promise<boolean> {
  const changed = [...ranges].filter(([index, blake3]) => doubts.get(index) !== blake3).map(([index]) => index);
  const isAtRest = changed.length === 0;
  const doubtful = isAtRest ? [...ranges.keys()] : changed;
  doubts.clear();
  if (!isAtRest) for (const [index, blake3] of ranges) doubts.set(index, blake3);
  await job.journal.rangesForgotten(doubtful.length === ranges.size ? 'all' : doubtful);
  for (const index of doubtful) {
    ranges.delete(index);
    job.onBytes(-rangeOf(job.file, index).length);
  }
  return isAtRest;
}

function rangeSize(file: FileToFetch): number {
  return file.chunkSize || limits.defaultChunkSize;
}

function rangeOf(file: FileToFetch, index: number) {
  return chunkSlice(index, file.size, rangeSize(file));
}

/** The ranges that are in the facts and also in the sink: after a power failure the two may differ. */
async function takeOverWritten<T>(ports: DownloadPorts<T>, job: DownloadJob<T>): Promise<Map<number, string>> {
  const count = chunkCount(job.file.size, rangeSize(job.file));
  const ranges = new Map<number, string>();
  const lost: number[] = [];
  for (const [index, noted] of job.facts.ranges) {
    if (index < count && (await digestInSink(ports, job, index)) === noted.blake3) {
      ranges.set(index, noted.blake3);
      job.onBytes(rangeOf(job.file, index).length);
    } else lost.push(index);
  }
  if (lost.length > 0) await job.journal.rangesForgotten(lost);
  return ranges;
}

/** `null` where the sink is shorter. */
async function digestInSink<T>(ports: DownloadPorts<T>, job: DownloadJob<T>, index: number): Promise<string | null> {
  try {
    return (await ports.hashSlice(job.sink, rangeOf(job.file, index), { md5: false, signal: job.signal })).blake3;
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof TransferError && error.code === 'file_changed') return null;
    throw error;
  }
}

async function receiveRanges<T>(ports: DownloadPorts<T>, job: DownloadJob<T>, ranges: Map<number, string>): Promise<void> {
  const count = chunkCount(job.file.size, rangeSize(job.file));
  const missing: number[] = [];
  for (let index = 0; index < count; index++) if (!ranges.has(index)) missing.push(index);
  if (missing.length === 0) return;
  const address = createAddress(ports, job);
  await forEachConcurrent(Math.min(job.concurrency ?? defaultConcurrency, missing.length), missing, async (index, halted) => {
    const blake3 = await receiveRange(ports, job, address, index, halted);
    ranges.set(index, blake3);
    await job.journal.rangeWritten(index, { blake3 });
  });
}

async function receiveRange<T>(
  ports: DownloadPorts<T>,
  job: DownloadJob<T>,
  address: Address,
  index: number,
  halted: () => boolean,
): Promise<string> {
  const slice = rangeOf(job.file, index);
  // An empty file: there is nothing to fetch, and HTTP has no empty range.
  if (slice.length === 0) return ports.digest(new Uint8Array(0));
  let failures = 0;
  let refusals = 0;
  const trouble = troubleOf(ports);
  try {
    return await attempts();
  } finally {
    trouble.over();
  }

  async function attempts(): Promise<string> {
    for (;;) {
      let counted = 0;
      const onBytes = (bytes: number): void => {
        counted += bytes;
        job.onBytes(bytes);
      };
      let url = '';
      try {
        const received = await ports.gate(async () => {
          job.signal.throwIfAborted();
          if (halted()) throw new Error('Another range of this file has failed.');
          url = await address.get();
          job.signal.throwIfAborted();
          return ports.receive(url, job.sink, slice, { onBytes, signal: job.signal });
        });
        if (counted !== slice.length) onBytes(slice.length - counted);
        return received.blake3;
      } catch (error) {
        if (counted !== 0) job.onBytes(-counted);
        job.signal.throwIfAborted();
        if (remedyFor(error).kind === 'new_blueprints') {
          if (++refusals === refusalsAtMost) throw error;
          address.discard(url);
          continue;
        }
        const wait = quickRetry(error, ++failures, ports.random);
        if (wait === null) throw error;
        trouble.met(error);
        await ports.sleep(wait, job.signal);
      }
    }
  }
}

interface Address {
  get(): Promise<string>;
  /** The storage refused this address. */
  discard(url: string): void;
}

/** Milliseconds. An address is valid for an hour by default, and a slow range that starts late must still complete. */
const goodFor = 30 * 60_000;

/** The file's download address, requested once and shared by all concurrent ranges. */
function createAddress<T>(ports: DownloadPorts<T>, job: DownloadJob<T>): Address {
  let current: { url: string; until: number } | null = null;
  let asking: Promise<void> | null = null;
  const { packageId, file, signal } = job;

  async function ask(): Promise<void> {
    const until = ports.now() + goodFor;
    const url = await withRetries(ports, signal, () => addressOf({ api: ports.api, packageId, signal }, file.id));
    current = { url, until };
  }

  return {
    async get() {
      while (current === null || current.until <= ports.now()) {
        asking ??= ask().finally(() => {
          asking = null;
        });
        await asking;
      }
      return current.url;
    },
    discard(url) {
      if (current?.url === url) current = null;
    },
  };
}

function damaged(file: FileToFetch): TransferError {
  return new TransferError(
    'digest_mismatch',
    `${file.name} came twice with the same bytes, and they are not those that its sender sent. It is damaged in the storage. Ask the sender to send it again.`,
  );
}
