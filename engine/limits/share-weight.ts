import type { Priority } from '../transfer/record.ts';

/** Weights of running transfers that share a limit. */
const byPriority: Readonly<Record<Priority, number>> = { high: 4, normal: 2, low: 1 };
/** A transfer that would take no longer than this alone counts as small. It ends soon, so it delays the others little. */
const smallSeconds = 10;
const smallBonus = 8;

/**
 * The weight of a running transfer when several share a limit: by priority, and more for small ones, so that they do not
 * wait behind large ones.
 *
 * @param bytesPerSecond of the limit; 0 = none
 */
export function shareWeight(transfer: { readonly priority: Priority; readonly bytesLeft: number }, bytesPerSecond: number): number {
  const isSmall = transfer.bytesLeft <= bytesPerSecond * smallSeconds;
  return byPriority[transfer.priority] * (isSmall ? smallBonus : 1);
}
