import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError, type ProviderErrorCode } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type { BeginRequest, CloudEntry, CloudObject, CloudProvider, OpenUpload, StoredPart, UploadHandle } from '#providers/ports.ts';
import type { ProviderBench } from './bench.ts';

/** Files sent and listed as a transfer does it, one step at a time. */

/** A signal that nobody gives. */
export const never = new AbortController().signal;
const modified = new Date('2026-01-02T03:04:05Z');

export async function failureOf(work: Promise<unknown>): Promise<ProviderErrorCode | 'none'> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof ProviderError) return error.code;
    throw error;
  }
}

/** A `begin` that keeps what was saved. */
export async function begin(provider: CloudProvider, path: string, bytes: Buffer, options: Partial<BeginRequest> = {}) {
  const saved: UploadHandle[] = [];
  const upload = await provider.begin(
    {
      path,
      size: bytes.length,
      modified,
      contentType: 'application/octet-stream',
      digests: digestsOf(bytes, provider.plan.digestsToBegin),
      save: async (handle) => void saved.push(JSON.parse(JSON.stringify(handle)) as UploadHandle),
      ...options,
    },
    never,
  );
  return { ...upload, saved };
}

export const sliced = (bytes: Buffer, offset: number, size: number): Buffer => bytes.subarray(offset, offset + size);

/** Sends one part of a file. */
export function put(
  provider: CloudProvider,
  handle: UploadHandle,
  range: { readonly number: number; readonly offset: number; readonly size: number },
  bytes: Buffer,
  signal: AbortSignal = never,
): Promise<StoredPart> {
  const part = sliced(bytes, range.offset, range.size);
  const digests = digestsOf(part, provider.plan.partDigests);
  return provider.putPart({ handle, ...range, digests, open: (from) => Readable.from(pieces(part.subarray(from))) }, signal);
}

/** Bytes as a stream has them: not all at once. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Sends all parts that are not there yet. */
export async function putAll(provider: CloudProvider, { handle, layout, stored }: OpenUpload, bytes: Buffer): Promise<StoredPart[]> {
  const parts: StoredPart[] = [...stored];
  const there = new Set(stored.map(({ number }) => number));
  for (const range of partRanges(layout)) if (!there.has(range.number)) parts.push(await put(provider, handle, range, bytes));
  return parts.sort((one, other) => one.number - other.number);
}

export function complete(provider: CloudProvider, handle: UploadHandle, parts: readonly StoredPart[], bytes: Buffer): Promise<CloudObject> {
  return provider.complete({ handle, parts, digests: digestsOf(bytes, provider.plan.digestsToComplete) }, never);
}

export async function store(provider: CloudProvider, path: string, bytes: Buffer, options: Partial<BeginRequest> = {}) {
  const upload = await begin(provider, path, bytes, options);
  const parts = await putAll(provider, upload, bytes);
  return { upload, parts, object: await complete(provider, upload.handle, parts, bytes) };
}

/** All pages of a folder, each checked for its length. */
export async function listAll(provider: CloudProvider, folder: string, count: number, recursive = false): Promise<CloudEntry[]> {
  const entries: CloudEntry[] = [];
  let cursor: string | null = null;
  do {
    const page = await provider.list({ folder, count, recursive, ...(cursor !== null && { cursor }) }, never);
    expect(page.entries.length).toBeLessThanOrEqual(count);
    entries.push(...page.entries);
    expect(page.cursor === null || page.cursor !== cursor, 'a cursor that stands still').toBe(true);
    cursor = page.cursor;
  } while (cursor !== null);
  return entries;
}

export const newFolder = (): string => `conformance-${randomUUID()}`;

/** What the server keeps after the work that it did not keep before. */
export async function leftAfter({ stored }: Pick<ProviderBench, 'stored'>, work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(await stored());
  await work();
  return (await stored()).filter((one) => !before.has(one));
}
