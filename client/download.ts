import { limits } from '#protocol/limits.ts';
import { chunkCount, chunkSlice, digestOfChunks } from './chunks.ts';
import { type Addresses, singleAddresses } from './download-batches.ts';
import { MoveError } from './errors.ts';
import { remedyFor } from './faults.ts';
import type { HostedClient } from './hosted.ts';
import { inLanes } from './lanes.ts';
import type { Digester, Gate, RangeReceiver, SliceHasher } from './ports.ts';
import { quickRetry, type RetryPorts, withRetries } from './retries.ts';

/** What is known of one file's download: the BLAKE3 (64 hex digits) of each range written, by zero-based index. */
export interface DownloadFacts {
  readonly ranges: ReadonlyMap<number, { readonly blake3: string }>;
}

/** Where a download's facts are kept. A fact lost costs only its range again. */
export interface DownloadJournal {
  /** The range's bytes have been handed to the operating system. */
  rangeWritten(index: number, range: { blake3: string }): void | Promise<void>;
  /** These ranges have to come again. */
  rangesForgotten(indexes: readonly number[] | 'all'): void | Promise<void>;
}

export interface FileToFetch {
  readonly id: string;
  /** For messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** As the listing has it; ranges are as large, since the digest goes by them. */
  readonly chunkSize?: number;
  /** `blake3:<hex>`, where the storage or the sender knew it. */
  readonly digest?: string;
}

/** `T` is where the bytes go. */
export interface DownloadPorts<T> extends RetryPorts {
  /** With the package's read token. */
  readonly api: HostedClient;
  /** Gives the addresses of files; a call for each unless said. */
  readonly addresses?: Addresses;
  readonly receive: RangeReceiver<T>;
  /** Reads back what an earlier run has written. */
  readonly hashSlice: SliceHasher<T>;
  readonly digest: Digester;
  /** How many ranges come in at once, over all files. */
  readonly gate: Gate;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface DownloadJob<T> {
  readonly packageId: string;
  readonly file: FileToFetch;
  readonly sink: T;
  /** What the journal holds of it. */
  readonly facts: DownloadFacts;
  readonly journal: DownloadJournal;
  readonly signal: AbortSignal;
  /** Counts from 0 in every run: ranges taken over at once, others as they come in; taken back (negative) where an attempt fails. */
  readonly onBytes: (count: number) => void;
  /** Ranges of this file under way at once; the gate has the last word. */
  readonly lanes?: number;
}

export interface DownloadedFile {
  /** `blake3:<hex>` of what was written. */
  readonly digest: string;
  /** Whether the package told a digest to compare with; if so, it was the same. */
  readonly verified: boolean;
}

const lanesByDefault = 4;
const refusalsAtMost = 3;
const roundsAtMost = 2;

/**
 * Downloads one file into a sink (interface §4.3): asks for its address, fetches ranges in parallel, and
 * compares the digest over their digests with the file's. Ranges of an earlier run count where what lies in
 * the sink still has the digest noted for it. A digest that differs costs the whole file once more, since
 * nothing tells which range is wrong; the second time it is `digest_mismatch`. Quick hiccups are tried again
 * here; every other failure is thrown for `remedyFor` to sort. When it settles, nothing of it runs any more.
 */
export async function downloadFile<T>(ports: DownloadPorts<T>, job: DownloadJob<T>): Promise<DownloadedFile> {
  const ranges = await takeOverWritten(ports, job);
  for (let rounds = 1; ; rounds++) {
    await receiveRanges(ports, job, ranges);
    const digests = [...ranges].sort(([a], [b]) => a - b).map(([, blake3]) => blake3);
    const digest = await digestOfChunks(ports.digest, digests);
    if (job.file.digest === undefined || job.file.digest === digest) return { digest, verified: job.file.digest !== undefined };
    ranges.clear();
    await job.journal.rangesForgotten('all');
    job.onBytes(-job.file.size);
    if (rounds === roundsAtMost) throw damaged(job.file);
  }
}

function rangeSize(file: FileToFetch): number {
  return file.chunkSize || limits.defaultChunkSize;
}

function rangeOf(file: FileToFetch, index: number) {
  return chunkSlice(index, file.size, rangeSize(file));
}

/** The ranges that the facts name and the sink really holds: after a power cut the two may differ. */
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

/** `null` where the sink does not have that many bytes. */
async function digestInSink<T>(ports: DownloadPorts<T>, job: DownloadJob<T>, index: number): Promise<string | null> {
  try {
    return (await ports.hashSlice(job.sink, rangeOf(job.file, index), { md5: false, signal: job.signal })).blake3;
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof MoveError && error.code === 'file_changed') return null;
    throw error;
  }
}

async function receiveRanges<T>(ports: DownloadPorts<T>, job: DownloadJob<T>, ranges: Map<number, string>): Promise<void> {
  const count = chunkCount(job.file.size, rangeSize(job.file));
  const missing: number[] = [];
  for (let index = 0; index < count; index++) if (!ranges.has(index)) missing.push(index);
  if (missing.length === 0) return;
  const address = createAddress(ports, job);
  await inLanes(Math.min(job.lanes ?? lanesByDefault, missing.length), missing, async (index, halted) => {
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
  // Nothing to fetch, and no range of nothing can be asked for.
  if (slice.length === 0) return ports.digest(new Uint8Array(0));
  let failures = 0;
  let refusals = 0;
  for (;;) {
    let counted = 0;
    const onBytes = (bytes: number): void => {
      counted += bytes;
      job.onBytes(bytes);
    };
    let url = '';
    try {
      // Else only those whom the gate has let in would share a call.
      if (ports.addresses) await address.get();
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
      await ports.sleep(wait, job.signal);
    }
  }
}

interface Address {
  get(): Promise<string>;
  /** The storage refused this one. */
  discard(url: string): void;
}

/** Milliseconds. An address stands for an hour unless asked otherwise, and a slow range begun late must still get through. */
const goodFor = 30 * 60_000;

/** The file's download address, asked for once and shared by the lanes. */
function createAddress<T>(ports: DownloadPorts<T>, job: DownloadJob<T>): Address {
  let current: { url: string; until: number } | null = null;
  let asking: Promise<void> | null = null;
  const addressOf = ports.addresses ?? singleAddresses({ api: ports.api, packageId: job.packageId, signal: job.signal });

  async function ask(): Promise<void> {
    const until = ports.now() + goodFor;
    const url = await withRetries(ports, job.signal, () => addressOf(job.file.id));
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

function damaged(file: FileToFetch): MoveError {
  return new MoveError(
    'digest_mismatch',
    `${file.name} came twice with other bytes than its sender sent. It is damaged in the storage, or something on the way changes bytes. Ask the sender to send it again.`,
  );
}
