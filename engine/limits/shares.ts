import type { Priority } from '../transfer/record.ts';

/** Of what a limit allows, beside the others that run. */
const byPriority: Readonly<Record<Priority, number>> = { high: 4, normal: 2, low: 1 };
/** What so little is left of is through soon, and holds the others up for no longer. */
const soonSeconds = 10;
const bonusOfSmall = 8;

/**
 * How a running transfer counts when several share a limit: by its priority, and more where alone it would be through in
 * seconds, so that small ones do not wait beside large ones.
 *
 * @param bytesPerSecond of the limit; 0 = none
 */
export function shareOf(transfer: { readonly priority: Priority; readonly bytesLeft: number }, bytesPerSecond: number): number {
  const isSmall = transfer.bytesLeft <= bytesPerSecond * soonSeconds;
  return byPriority[transfer.priority] * (isSmall ? bonusOfSmall : 1);
}
