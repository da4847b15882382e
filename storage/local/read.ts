import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { objectDamaged, type StorageError } from '../errors.ts';
import type { Stretch } from './ranges.ts';

export const readSize = 1024 * 1024;

/** The bytes of the ranges in pieces of up to 1 MiB, each in its own buffer. */
export async function* readStretches(
  files: FileSystem,
  pathOf: (file: string) => string,
  wanted: readonly Stretch[],
  explain: (error: unknown) => StorageError,
): AsyncGenerator<Buffer> {
  for (const { file, offset, length } of wanted) {
    let opened: OpenFile | undefined;
    try {
      opened = await files.open(pathOf(file), openFlags.read);
      for (let done = 0; done < length; ) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, length - done));
        const bytesRead = await opened.read(buffer, 0, buffer.length, offset + done);
        if (bytesRead === 0) throw objectDamaged('A stored file is shorter than it was when it was received.');
        done += bytesRead;
        yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw explain(error);
    } finally {
      await opened?.close();
    }
  }
}
