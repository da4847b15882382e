import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ConnectionCheck } from '#protocol/hosted/connections.ts';
import type { Direction } from '#protocol/providers.ts';
import { digestsOf } from './digests.ts';
import { ProviderError } from './errors.ts';
import { partRanges } from './parts.ts';
import type { CloudEntry, CloudObject, CloudProvider, StoredPart, UploadHandle } from './ports.ts';

type StepResult = ConnectionCheck['steps'][number];
type StepName = StepResult['step'];

/** Told as a check goes on: a step begins (`null`), and how it went. */
export type StepListener = (step: StepName, result: StepResult | null) => void;

export interface CheckOptions {
  readonly direction: Direction;
  /** Where it is tried: the folder that deliveries go to, without what differs between them, or one that files come from. */
  readonly folder: string;
  /** `cloud_to_service`: the other folders that files come from. */
  readonly otherFolders?: readonly string[];
  readonly signal: AbortSignal;
  /** Milliseconds for all steps together; unlimited by default. */
  readonly timeLimit?: number;
  /** Told of each step at once, for somebody who watches. */
  readonly onStep?: StepListener;
}

export interface CheckReport extends ConnectionCheck {
  /** Why steps failed, in their order. */
  readonly failures: readonly unknown[];
}

const bytes = Buffer.from('Longshore checks that it may use this storage. This may be deleted.\n');

/**
 * Does what a transfer does, with a small file of its own, and says for each step how it went (contract/connections.md §6).
 * Every step is tried that can be, so that permissions have to be corrected only once. What it wrote it removes, also when
 * the time is up or the signal is aborted. Never rejects but with the signal's reason.
 */
export async function checkProvider(provider: CloudProvider, options: CheckOptions): Promise<CheckReport> {
  const { direction, folder, otherFolders = [], timeLimit, onStep } = options;
  const timeIsUp = timeLimit === undefined ? null : AbortSignal.timeout(timeLimit);
  const signal = timeIsUp ? AbortSignal.any([options.signal, timeIsUp]) : options.signal;
  const steps: StepResult[] = [];
  const failures: unknown[] = [];

  let underWay: StepName | null = null;
  const begins = (step: StepName): void => {
    if (underWay === step) return;
    underWay = step;
    onStep?.(step, null);
  };
  const ends = (result: StepResult): void => {
    steps.push(result);
    onStep?.(result.step, result);
  };
  /** What failed, unless the caller has given up. */
  const failed = (step: StepName, error: unknown): void => {
    options.signal.throwIfAborted();
    const failure = timeIsUp?.aborted ? tooSlow(timeLimit!) : error;
    failures.push(failure);
    ends({ step, ok: false, message: messageOf(failure) });
  };
  const attempt = async <T>(step: StepName, work: () => Promise<T>): Promise<T | undefined> => {
    begins(step);
    try {
      const result = await work();
      ends({ step, ok: true, message: '' });
      return result;
    } catch (error) {
      failed(step, error);
      return undefined;
    }
  };
  const skip = (step: StepName): void => {
    ends({ step, ok: false, message: 'Not tried, since a step before failed.' });
  };
  const report = (notes: readonly string[]): CheckReport => ({ ok: steps.every(({ ok }) => ok), steps, notes: [...notes], failures });

  let notes: readonly string[];
  const first = direction === 'service_to_cloud' ? 'put' : 'list';
  begins(first);
  try {
    notes = await provider.check({ direction, folder }, signal);
  } catch (error) {
    failed(first, error);
    return report([]);
  }

  if (direction === 'cloud_to_service') {
    const entries = await attempt('list', () => listAll(provider, [folder, ...otherFolders], signal));
    const readable = entries?.find((entry) => entry.kind === 'file' && !entry.archived && entry.size > 0);
    if (!entries) skip('get');
    else if (readable) await attempt('get', () => readFirstByte(provider, readable.id, signal));
    else notes = [...notes, 'There is no file to read in the first entries of its folders, so reading could not be tried.'];
    return report(notes);
  }

  const path = [folder, `longshore-check-${randomUUID()}.txt`].filter((step) => step !== '').join('/');
  const absent = await absentFolders(provider, folder, signal);
  const stored = await attempt('put', () => store(provider, path, signal));
  try {
    await attempt('list', () => provider.list({ folder, count: 10 }, signal));
    if (stored) await attempt('get', () => compare(provider, stored, signal));
    else skip('get');
    await attempt('abort', () => beginAndAbort(provider, `${path}.part`, signal));
    if (stored) await attempt('delete', () => provider.remove({ id: stored.id }, signal));
    else skip('delete');
    return report(notes);
  } finally {
    if (stored && signal.aborted) await cleanup((limit) => provider.remove({ id: stored.id }, limit));
    if (absent.length > 0) await cleanup((limit) => removeFolders(provider, absent, limit));
  }
}

const messageOf = (error: unknown): string =>
  error instanceof ProviderError ? error.message : 'The check failed for a reason of its own. The log of the service says more.';

const tooSlow = (timeLimit: number): ProviderError =>
  new ProviderError(
    'unreachable',
    `The storage did not get this far within ${timeLimit / 1000} s. Try again; if that goes on, ask its operator.`,
  );

/** The first entries of each folder. */
async function listAll(provider: CloudProvider, folders: readonly string[], signal: AbortSignal): Promise<readonly CloudEntry[]> {
  const entries: CloudEntry[] = [];
  for (const folder of folders) entries.push(...(await provider.list({ folder, count: 10 }, signal)).entries);
  return entries;
}

/** Large enough to be sent in parts, since that may need permissions of its own. */
const unfinishedSize = 64 * 1024 * 1024;
const cleanupMilliseconds = 15_000;

const begin = (provider: CloudProvider, path: string, size: number, save: (handle: UploadHandle) => Promise<void>, signal: AbortSignal) =>
  provider.begin(
    {
      path,
      size,
      modified: new Date(0),
      contentType: 'text/plain',
      digests: digestsOf(bytes, provider.plan.digestsToBegin),
      save,
    },
    signal,
  );

/** Works with a time of its own: what it was for may have ended. What it cannot remove stays. */
const cleanup = (work: (limit: AbortSignal) => Promise<void>): Promise<void> =>
  work(AbortSignal.timeout(cleanupMilliseconds)).catch(() => undefined);

/** Removes what an upload left. Its last answer may have been lost, so it may be a whole file. */
async function discard(provider: CloudProvider, handle: UploadHandle, signal: AbortSignal): Promise<void> {
  const found = await provider.resume({ handle }, signal);
  if (found.state === 'complete') await provider.remove({ id: found.object.id }, signal);
  else await provider.abort({ handle }, signal);
}

/** What `work` began is removed if it fails. */
async function withCleanup<T>(provider: CloudProvider, work: (save: (handle: UploadHandle) => Promise<void>) => Promise<T>): Promise<T> {
  let saved: UploadHandle | undefined;
  try {
    return await work(async (handle) => {
      saved = handle;
    });
  } catch (error) {
    const left = saved;
    if (left) await cleanup((limit) => discard(provider, left, limit));
    throw error;
  }
}

/** Folders on the way to `folder` that are not there yet, the deepest first. None where that cannot be told. */
async function absentFolders(provider: CloudProvider, folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const hasFolder = provider.hasFolder?.bind(provider);
  if (!hasFolder || folder === '') return [];
  const steps = folder.split('/');
  const absent: string[] = [];
  try {
    for (; steps.length > 0; steps.pop()) {
      const path = steps.join('/');
      if (await hasFolder({ path }, signal)) break;
      absent.push(path);
    }
    return absent;
  } catch {
    return [];
  }
}

/** Removes folders that the check has made, unless something lies in them by now. */
async function removeFolders(provider: CloudProvider, paths: readonly string[], signal: AbortSignal): Promise<void> {
  for (const path of paths) {
    const { entries } = await provider.list({ folder: path, count: 1 }, signal);
    if (entries.length > 0) return;
    if (await provider.hasFolder?.({ path }, signal)) await provider.remove({ id: path }, signal);
  }
}

const store = (provider: CloudProvider, path: string, signal: AbortSignal): Promise<CloudObject> =>
  withCleanup(provider, async (save) => {
    const { handle, layout } = await begin(provider, path, bytes.length, save, signal);
    const parts: StoredPart[] = [];
    for (const range of partRanges(layout)) {
      const part = bytes.subarray(range.offset, range.offset + range.size);
      const digests = digestsOf(part, provider.plan.partDigests);
      parts.push(await provider.putPart({ handle, ...range, digests, open: (from) => Readable.from([part.subarray(from)]) }, signal));
    }
    return await provider.complete({ handle, parts, digests: digestsOf(bytes, provider.plan.digestsToComplete) }, signal);
  });

const beginAndAbort = (provider: CloudProvider, path: string, signal: AbortSignal): Promise<void> =>
  withCleanup(provider, async (save) => {
    const size = Math.min(Math.max(unfinishedSize, 2 * provider.plan.usualPart), provider.plan.largestFile);
    const { handle } = await begin(provider, path, size, save, signal);
    await provider.abort({ handle }, signal);
  });

async function compare(provider: CloudProvider, { id, etag }: CloudObject, signal: AbortSignal): Promise<void> {
  const read = await buffer(await provider.openRange({ id, ifMatch: etag, range: { start: 0, end: bytes.length - 1 } }, signal));
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  if (sha256(read) !== sha256(bytes)) {
    throw new ProviderError('bad_answer', 'The storage gives back other bytes than it was given. Ask its operator.');
  }
}

async function readFirstByte(provider: CloudProvider, id: string, signal: AbortSignal): Promise<void> {
  await buffer(await provider.openRange({ id, range: { start: 0, end: 0 } }, signal));
}
