import { comparison } from './compare.ts';
import type { ComparedParts } from './compared-parts.ts';
import type { ComparisonReceiver } from './comparison-queue.ts';
import { parsePartFile } from './layout.ts';
import type { Stretch } from './ranges.ts';

/**
 * Large parts for receivers that do not compare by themselves (docs/decisions/0102, 0108). Of a part that is sent as a whole the
 * digest is made of the bytes as they go out, and the last piece of a damaged one never does: the connection is cut instead, so a
 * browser tells of a failed download. For a range of it all of the part is compared before.
 */

interface Compared {
  /** Bytes that are about to go out, in order. Throws `object_damaged` in place of the last ones of a damaged part. */
  readonly add: (bytes: Buffer) => Promise<void>;
}

export const uncompared: Compared = { add: async () => undefined };

/** Compares a stretch of the file at `path`. Rejects with `object_damaged` where that is known before it is sent, and with `ReceiverGone`. */
export async function comparing(
  parts: ComparedParts,
  path: string,
  { file, offset, length }: Stretch,
  receiver: ComparisonReceiver,
): Promise<Compared> {
  const part = parsePartFile(file);
  if (!part) return uncompared;
  if (offset > 0 || length < part.size) {
    await parts.ensure(path, part, receiver);
    return uncompared;
  }
  const digest = comparison(part);
  let left = length;
  return {
    async add(bytes) {
      digest.add(bytes);
      left -= bytes.length;
      if (left > 0) return;
      try {
        digest.end();
      } catch (error) {
        // Where that fails, whoever asks next is sent it up to here again.
        await parts.withhold(path, part).catch(() => undefined);
        throw error;
      }
      parts.remember(path);
    },
  };
}
