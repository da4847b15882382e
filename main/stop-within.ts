import { setTimeout as sleep } from 'node:timers/promises';

/** A part of a program that stops. */
interface Part {
  /** What it is, for a person. */
  readonly name: string;
  readonly close: () => Promise<unknown>;
}

/** A part has not stopped in time: the process has to be ended as it is. */
export class LateStopError extends Error {
  override readonly name = 'LateStopError';
}

/**
 * Closes parts one after the other, each whether or not the one before could be closed.
 *
 * @param milliseconds that all of them have
 * @throws LateStopError that names the part that has not ended by then, or the first failure of one
 */
export async function stopWithin(milliseconds: number, parts: readonly Part[]): Promise<void> {
  let closing = '';
  const failures: unknown[] = [];
  const inOrder = async (): Promise<'stopped'> => {
    for (const { name, close } of parts) {
      closing = name;
      await close().catch((error: unknown) => failures.push(error));
    }
    return 'stopped';
  };
  const inTime = new AbortController();
  const end = await Promise.race([inOrder(), sleep(milliseconds, 'late' as const, { signal: inTime.signal })]);
  inTime.abort();
  if (end === 'late') {
    const waited = `${closing} has not stopped within ${milliseconds / 1_000} s, most likely because a disk or network drive does not answer`;
    throw new LateStopError(`${waited}. Its process is ended as it is; transfers go on at the next start.`);
  }
  if (failures.length > 0) throw failures[0];
}
