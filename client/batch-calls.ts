import { ServiceError, TransferError } from './errors.ts';

/** Shared by batch calls for many files: uploads (`file-batches.ts`) and downloads (`download-batches.ts`). */

export interface BatchCallRules {
  /** Files that the service accepts in one call. */
  readonly maxFiles: number;
  /** Resolves when a file has waited long enough for others; some milliseconds. */
  readonly linger: () => Promise<void>;
}

/**
 * Files in one call, even if the service accepts more. A larger batch saves nothing, and each file is kept in memory
 * until the answer.
 */
export const maxFilesPerCall = 500;

/**
 * The answers, one for each file, in the order of the request.
 *
 * @throws TransferError `wrong_answer` where the number of answers differs
 */
export function checkAnswerCount<T>(asked: readonly unknown[], answered: readonly T[]): readonly T[] {
  if (answered.length === asked.length) return answered;
  throw new TransferError('wrong_answer', `The service answered for ${answered.length} files where ${asked.length} were asked for.`);
}

/** Uses batch calls; once the service turns out not to have them, calls for single files. */
export function batchedOrSingle(): <T>(batched: () => Promise<T>, single: () => Promise<T>) => Promise<T> {
  let unsupported = false;
  return async (batched, single) => {
    if (unsupported) return single();
    try {
      return await batched();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'no_such_endpoint') throw error;
      unsupported = true;
      return single();
    }
  };
}
