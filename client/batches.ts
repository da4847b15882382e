import { MoveError, ServiceError } from './errors.ts';

/** Shared by batch calls for many files: uploads (`file-batches.ts`) and downloads (`download-batches.ts`). */

export interface BatchRules {
  /** Files that the service accepts in one call. */
  readonly most: number;
  /** Resolves when a file has waited long enough for others; some milliseconds. */
  readonly pause: () => Promise<void>;
}

/**
 * Files in one call, even if the service accepts more. A larger batch saves nothing, and each file is kept in memory
 * until the answer.
 */
export const filesAtOnce = 500;

/**
 * The answers, one for each file, in the order of the request.
 *
 * @throws MoveError `wrong_answer` where the number of answers differs
 */
export function oneForEach<T>(asked: readonly unknown[], answered: readonly T[]): readonly T[] {
  if (answered.length === asked.length) return answered;
  throw new MoveError('wrong_answer', `The service answered for ${answered.length} files where ${asked.length} were asked for.`);
}

/** Uses batch calls; once the service turns out not to have them, calls for single files. */
export function batchedOrAlone(): <T>(batched: () => Promise<T>, alone: () => Promise<T>) => Promise<T> {
  let absent = false;
  return async (batched, alone) => {
    if (absent) return alone();
    try {
      return await batched();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'no_such_endpoint') throw error;
      absent = true;
      return alone();
    }
  };
}
