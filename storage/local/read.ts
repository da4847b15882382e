import { type FileHandle, open } from 'node:fs/promises';
import { StorageError } from '../errors.ts';
import type { Stretch } from './ranges.ts';

export const readSize = 1024 * 1024;

/** The bytes of the ranges in pieces of up to 1 MiB, each in its own buffer. */
export async function* readStretches(
  pathOf: (file: string) => string,
  wanted: readonly Stretch[],
  explain: (error: unknown) => StorageError,
): AsyncGenerator<Buffer> {
  for (const { file, offset, length } of wanted) {
    let handle: FileHandle | undefined;
    try {
      handle = await open(pathOf(file), 'r');
      for (let done = 0; done < length; ) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, length - done));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset + done);
        if (bytesRead === 0) throw new StorageError('storage_unavailable', 'A stored file is shorter than it was when it was received.');
        done += bytesRead;
        yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw explain(error);
    } finally {
      await handle?.close();
    }
  }
}
