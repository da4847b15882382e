import { setTimeout as sleep } from 'node:timers/promises';

/** A part of a program that stops. */
export interface StoppingPart {
  /** What it is, for a person. */
  readonly name: string;
  readonly close: () => Promise<unknown> | unknown;
}

/** What is told of a part that does not stop. */
interface LateStop {
  /** What is most likely silent: "a disk or network drive". */
  readonly silent: string;
  /** What becomes of what it was doing. */
  readonly next: string;
}

/** A part has not stopped in time: the process has to be ended as it is. */
export class LateStopError extends Error {
  override readonly name = 'LateStopError';
}

/**
 * Closes parts one after the other, each whether or not the one before could be closed.
 *
 * @param milliseconds that all of them have; `null` for any time
 * @throws LateStopError that names the part that has not ended by then, or the first failure of one
 */
export async function stopWithin(milliseconds: number | null, parts: readonly StoppingPart[], { silent, next }: LateStop): Promise<void> {
  let closing = '';
  const failures: unknown[] = [];
  const inOrder = async (): Promise<'stopped'> => {
    for (const { name, close } of parts) {
      closing = name;
      await Promise.try(close).catch((error: unknown) => failures.push(error));
    }
    return 'stopped';
  };
  const end = milliseconds === null ? await inOrder() : await beforeLate(inOrder(), milliseconds);
  if (end === 'late') {
    const waited = `${closing} has not stopped within ${milliseconds! / 1_000} s, most likely because ${silent} does not answer`;
    throw new LateStopError(`${waited}. Its process is ended as it is; ${next}.`);
  }
  if (failures.length > 0) throw failures[0];
}

async function beforeLate<T>(stopping: Promise<T>, milliseconds: number): Promise<T | 'late'> {
  const inTime = new AbortController();
  const end = await Promise.race([stopping, sleep(milliseconds, 'late' as const, { signal: inTime.signal })]);
  inTime.abort();
  return end;
}
