import { chunkSizeForGrowing } from '#client/chunks.ts';
import { limits } from '#protocol/limits.ts';
import { type FileStamp, sameFile } from '../../../io/file-stamp.ts';

/** What is known of a file that is being written to when it is looked at. Sizes in bytes, times in milliseconds. */
export interface GrowingLook {
  /** As it was when the last look was noted. */
  readonly before: Pick<FileStamp, 'inode'>;
  /** As it is; `null` if it is not there. */
  readonly now: FileStamp | null;
  /** For how long it has been as it is, or away. */
  readonly unchangedFor: number;
  /** Chunks that the storage has confirmed. */
  readonly sentChunks: number;
  /** Of its open upload; `null` before that is begun. */
  readonly chunkSize: number | null;
}

interface GrowingRule {
  /** How long a file that is still counts as whole, in milliseconds. */
  readonly idle: number;
  /** The largest chunk that the service takes, in bytes. */
  readonly maxChunkSize: number;
}

export type GrowingStep =
  | { readonly do: 'wait' }
  /** Chunks are whole that are not sent: all before this byte. */
  | { readonly do: 'send'; readonly until: number; readonly chunkSize: number }
  /** It is still: what was sent is compared with it, and the rest is sent. */
  | { readonly do: 'settle'; readonly stamp: FileStamp }
  /** It is another file, or what was sent is not in it any more: nothing that was sent counts. */
  | { readonly do: 'restart'; readonly stamp: FileStamp; readonly why: 'replaced' | 'cut' | 'too_large' }
  /** It is not there any more. */
  | { readonly do: 'leave_out' };

/** Chunks that are sent before it is looked at again, so that no file keeps others from their turn for long. */
const chunksPerTurn = 8;

const wait: GrowingStep = { do: 'wait' };

/** What to do with a file that is being written to. Pure. */
export function growingStep({ before, now, unchangedFor, sentChunks, chunkSize: given }: GrowingLook, rule: GrowingRule): GrowingStep {
  const isStill = unchangedFor >= rule.idle;
  // A program that replaces a file removes it for a moment.
  if (now === null) return isStill ? { do: 'leave_out' } : wait;
  const fitting = chunkSizeForGrowing(now.size, { most: rule.maxChunkSize });
  const chunkSize = given ?? fitting;
  if (!sameFile(before, now)) return { do: 'restart', stamp: now, why: 'replaced' };
  if (now.size < sentChunks * chunkSize) return { do: 'restart', stamp: now, why: 'cut' };
  if (now.size > chunkSize * limits.maxChunkCount && fitting > chunkSize) return { do: 'restart', stamp: now, why: 'too_large' };
  if (isStill) return { do: 'settle', stamp: now };
  const closed = Math.min(Math.floor(now.size / chunkSize), limits.maxChunkCount);
  if (closed <= sentChunks) return wait;
  return { do: 'send', until: Math.min(closed, sentChunks + chunksPerTurn) * chunkSize, chunkSize };
}
