import { TransferError } from './errors.ts';

/** Number of damages (received bytes differ from sent ones) in the whole transfer. */
export interface DamageCount {
  times: number;
}

/** Result of a file's last round whose digest was wrong: BLAKE3 by zero-based range. Kept while the file is being fetched. */
export type Doubts = Map<number, string>;

/**
 * Counts one more damage on the network path. A faulty line damages different bytes each time, so a retry helps. Damage
 * in the storage, or by a device that always makes the same change, gives the same result twice.
 */
export function lineDamages({ damages }: { readonly damages?: DamageCount }, cause?: unknown): TransferError {
  const times = damages ? ++damages.times : 1;
  const message =
    times === 1
      ? 'The line damages data (once): what arrives is not what was sent. It goes on by itself; another network may help.'
      : `The line damages data (${times} times): what arrives is not what was sent. It goes on by itself; another network may help.`;
  return new TransferError('line_damages', message, { cause, times });
}
