import { partRanges } from '#providers/parts.ts';
import type { CloudObject, CopySource, OpenUpload, StoredPart } from '#providers/ports.ts';
import type { FileSender, OutgoingFile } from './outgoing-file.ts';
import { createPartTasks } from './part-tasks.ts';
import type { Permit } from './permits.ts';

interface CopyRequest {
  readonly sender: FileSender;
  readonly file: OutgoingFile;
  /** The upload that was begun before; null if none. */
  readonly before: OpenUpload | null;
  readonly begin: (partSize: number, source: CopySource, permit: Permit) => Promise<OpenUpload>;
  readonly stored: (part: StoredPart) => void;
}

/**
 * Has the provider's server copy a file, part by part. Null where its bytes have to be sent. The file's BLAKE3 is not computed,
 * since its bytes are not seen: the provider compares the digests of the parts with those with which our storage took them.
 */
export async function copyFile({ sender, file, before, begin, stored }: CopyRequest): Promise<CloudObject | null> {
  const { provider, copies, permits, concurrency, signal } = sender;
  const { copied } = file;
  if (copied === null) return null;
  return await copies.use(copied, async ({ source, partSize }, hasCopied) => {
    if (before && before.copyOf !== source.etag) return null;
    const permit = await permits.acquire(signal);
    try {
      const open = before ?? (await begin(partSize, source, permit));
      return await copyParts(open, source, hasCopied);
    } finally {
      permit.release();
    }
  });

  async function copyParts({ handle, layout, stored: known }: OpenUpload, source: CopySource, hasCopied: () => void): Promise<CloudObject> {
    const parts = new Map(known.map((part) => [part.number, part]));
    const [first, ...others] = [...partRanges(layout)].filter(({ number }) => !parts.has(number));
    const tasks = createPartTasks(concurrency, signal);
    const copy = async (range: NonNullable<typeof first>): Promise<void> => {
      const part = await provider.copyPart!({ handle, ...range, source }, tasks.signal);
      hasCopied();
      parts.set(part.number, part);
      stored(part);
    };
    try {
      if (first) await copy(first);
      for (const range of others) await tasks.start(() => copy(range));
      await tasks.end();
    } catch (error) {
      await tasks.cancel(error);
      throw error;
    }
    const ascending = [...parts.values()].sort((one, other) => one.number - other.number);
    return await provider.complete({ handle, parts: ascending, digests: {} }, signal);
  }
}
