import { openFlags } from '#filesystem/flags.ts';
import { writeFullyNow } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { codeOf, targetFailure } from '../disk-failures.ts';
import { secondsOf } from '../file-time.ts';

/** Options for writing a small file that is complete in memory. */
export interface WholeFileOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Called with the file once it is open and before anything is written to it; if it throws, nothing is written. */
  readonly opened?: ((file: OpenFile) => void) | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Writes a new temporary file with synchronous calls; a file of an earlier run with this name is deleted. Returns it open:
 * it must be flushed and closed. A failed write leaves nothing. Throws `TransferError`s.
 */
export function writeWholeNow(
  temporary: string,
  bytes: Buffer,
  { mtimeMs, opened, fileSystem = nodeFileSystem }: WholeFileOptions,
): OpenFile {
  let file: OpenFile | null = null;
  try {
    file = openNew(fileSystem, temporary);
    opened?.(file);
    writeFullyNow(file, [bytes], 0);
    file.setTimesNow(secondsOf(mtimeMs));
    return file;
  } catch (error) {
    if (file) {
      file.closeNow();
      fileSystem.removeNow(temporary);
    }
    throw targetFailure(temporary, error);
  }
}

function openNew(fileSystem: FileSystem, temporary: string): OpenFile {
  try {
    return fileSystem.openNow(temporary, openFlags.create, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    fileSystem.removeNow(temporary);
    return fileSystem.openNow(temporary, openFlags.create, 0o666);
  }
}
