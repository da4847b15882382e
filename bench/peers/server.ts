import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A server that peers send to and fetch from. The big file lies in its bucket `big`, the small ones in `small`. */
export interface PeerServer {
  /** In the words of the table. */
  readonly name: string;
  readonly url: string;
  cpuSeconds(): number;
  /** Bytes that have come into the bucket `incoming` since it was emptied. */
  receivedBytes(): number;
  emptyIncoming(): void;
  stop(): Promise<void>;
}

export const buckets = { incoming: 'incoming', big: 'big', small: 'small' } as const;

/** Sum of the sizes of the files below a folder whose names match; 0 when it is not there. */
export function bytesBelow(folder: string, matches: (name: string) => boolean = () => true): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isFile() && matches(entry.name)) bytes += statSync(join(entry.parentPath, entry.name)).size;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return bytes;
}
