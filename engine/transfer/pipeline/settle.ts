import { helpsToWait, mayEndTransfer, remedyFor } from '#client/faults.ts';
import type { FileRecord } from '../record.ts';

/** What a batch came to for one of its files; `file` is as noted by now. */
export type Outcome =
  /** Nothing is left to do, and that is noted. */
  | { readonly file: FileRecord; readonly is: 'done' }
  /** It took no part, or not to the end. Only in a batch with others. */
  | { readonly file: FileRecord; readonly is: 'missed' }
  | { readonly file: FileRecord; readonly is: 'failed'; readonly error: unknown };

/** What a batch came to. Nothing of it is thrown but the signal's reason, and errors that end the transfer. */
export interface Outcomes {
  /** One for each file of the batch. */
  readonly files: readonly Outcome[];
  /** The request that moved the bytes was lost as a whole. */
  readonly lost: { readonly error: unknown } | null;
}

export interface Settled {
  /** These go again, each as a batch of one. */
  readonly retries: readonly FileRecord[];
  /** Before they do, one pause as after this error. */
  readonly pauseAfter: { readonly error: unknown } | null;
  /** These cannot be moved, and others can. */
  readonly failed: readonly { readonly file: FileRecord; readonly error: unknown }[];
  readonly ends: { readonly error: unknown } | null;
}

const nothing: Settled = { retries: [], pauseAfter: null, failed: [], ends: null };

/**
 * What is done after a batch. A batch of one has made all attempts that can help: its error ends the file or the
 * transfer. Of a batch of many, whatever is not done goes again by itself, which meets the error in its usual words.
 */
export function settle({ files, lost }: Outcomes): Settled {
  if (lost && mayEndTransfer(lost.error)) return { ...nothing, ends: lost };
  const left = files.filter(({ is }) => is !== 'done');
  if (left.length === 0) return nothing;
  const failed = files.filter((outcome) => outcome.is === 'failed');
  if (files.length === 1) {
    const [alone] = failed;
    if (!alone) throw new Error('A batch of one file has come to nothing.');
    return mayEndTransfer(alone.error) ? { ...nothing, ends: alone } : { ...nothing, failed };
  }
  const errors = lost ? [lost, ...failed] : failed;
  const passing = errors.find(({ error }) => helpsToWait(remedyFor(error)));
  return { ...nothing, retries: left.map(({ file }) => file), pauseAfter: passing ?? null };
}
