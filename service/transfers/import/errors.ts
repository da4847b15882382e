import type { FileFailure } from '../delivery/errors.ts';

/** The package takes no files any more: it was finalized, deleted, or is over. The message may be shown. */
export class PackageClosedError extends Error {
  override readonly name = 'PackageClosedError';
}

/** Files that cannot come. The message names the first one and may be shown. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly failures: readonly FileFailure[];

  /** `failed`: how many, where `failures` are the first of them. `what` ends the sentence about the others. */
  constructor(failed: number, failures: readonly FileFailure[], what = 'could not be brought in') {
    const [first] = failures;
    const others = failed > 1 ? ` ${failed - 1} more ${what}.` : '';
    super(`${first?.path ?? 'A file'}: ${first?.message ?? 'It could not be brought in.'}${others}`);
    this.failures = failures;
  }
}
