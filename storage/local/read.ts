import { openFlags } from '#filesystem/flags.ts';
import { readFully } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { objectDamaged, type StorageError } from '../errors.ts';
import { compare, comparison, partOf, smallPart } from './compare.ts';
import type { Stretch } from './ranges.ts';

export const readSize = 1024 * 1024;

const tooShort = () => objectDamaged('A stored file is shorter than it was when it was received.');

/**
 * The bytes of the ranges in pieces of up to 1 MiB, each in its own buffer. A part that is read as a whole is compared with its
 * digest before its last piece is given, so that nobody takes a damaged one for complete.
 */
export async function* readStretches(
  files: FileSystem,
  pathOf: (file: string) => string,
  wanted: readonly Stretch[],
  explain: (error: unknown) => StorageError,
): AsyncGenerator<Buffer> {
  for (const stretch of wanted) {
    const { file, offset, length } = stretch;
    const small = smallPart(stretch);
    const comparing = comparison(partOf(stretch));
    let opened: OpenFile | undefined;
    try {
      opened = await files.open(pathOf(file), openFlags.read);
      if (small) {
        const buffer = Buffer.allocUnsafeSlow(small.size);
        if ((await readFully(opened, buffer, small.size, 0)) < small.size) throw tooShort();
        yield compare(buffer, small).subarray(offset, offset + length);
        continue;
      }
      for (let done = 0; done < length; ) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, length - done));
        const bytesRead = await opened.read(buffer, 0, buffer.length, offset + done);
        if (bytesRead === 0) throw tooShort();
        done += bytesRead;
        const bytes = bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
        comparing.add(bytes);
        if (done === length) comparing.end();
        yield bytes;
      }
    } catch (error) {
      throw explain(error);
    } finally {
      await opened?.close();
    }
  }
}
