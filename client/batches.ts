import { MoveError, ServiceError } from './errors.ts';

/** What calls for many files at once have in common, up (`file-batches.ts`) and down (`download-batches.ts`). */

export interface BatchRules {
  /** Files that the service takes in one call. */
  readonly most: number;
  /** Resolves when a file has waited for others long enough; some milliseconds. */
  readonly pause: () => Promise<void>;
}

/** Files in one call, whatever the service takes. More make no call cheaper, and each is in memory meanwhile. */
export const filesAtOnce = 500;

/**
 * The answers, one for each file, in the order asked.
 *
 * @throws MoveError `wrong_answer` where there are more or fewer
 */
export function oneForEach<T>(asked: readonly unknown[], answered: readonly T[]): readonly T[] {
  if (answered.length === asked.length) return answered;
  throw new MoveError('wrong_answer', `The service answered for ${answered.length} files where ${asked.length} were asked for.`);
}

/** Asks by the batch, until the service turns out not to have such calls: then file by file. */
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
