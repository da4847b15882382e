import { TransferError } from '#client/errors.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { lstatOrThrow } from '#filesystem/system-error.ts';
import { AgentError } from '#protocol/errors.ts';
import { sourceFailure } from '../../io/disk-failures.ts';
import { type FileStamp, sameStamp, stampOf } from '../../io/file-stamp.ts';
import type { JobContext } from '../job.ts';

/** Whether the error says that a file changed since it was scanned. */
export function isChanged(error: unknown): boolean {
  return error instanceof TransferError && error.code === 'file_changed';
}

const quietAtFirst = 2_000;
const quietAtMost = 60_000;

/**
 * Waits until two checks of a file give the same stamp, and returns it. The more often the file has changed (1, 2, …),
 * the longer it has to be unchanged. Used as a work function of `retryWithActivity`. Throws the same errors as reading the
 * file, and `path_unreadable` if it is no longer a file.
 */
export async function untilStill(
  path: string,
  changes: number,
  { sleep, signal, activity, clock }: Pick<JobContext, 'sleep' | 'signal' | 'activity' | 'clock'>,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<FileStamp> {
  const quiet = Math.min(quietAtMost, quietAtFirst * 2 ** Math.min(changes - 1, 10));
  for (let before = look(fileSystem, path); ; ) {
    const awake = activity.wait({ reason: `${path} is being written to; it is sent when it is still.`, until: clock.now() + quiet });
    try {
      await sleep(quiet, signal);
    } finally {
      awake();
    }
    const now = look(fileSystem, path);
    if (sameStamp(before, now)) return now;
    before = now;
  }
}

function look(fileSystem: FileSystem, path: string): FileStamp {
  try {
    const found = lstatOrThrow(fileSystem, path);
    if (!found.isFile()) throw new AgentError('path_unreadable', { path, detail: 'it is not a file any more.' });
    return stampOf(found);
  } catch (error) {
    throw sourceFailure(path, error);
  }
}
