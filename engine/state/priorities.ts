import type { Priority } from '../transfer/record.ts';

/** The number of each priority in the transfers table: the highest has the highest. */
export const ranks: Readonly<Record<Priority, number>> = { low: 0, normal: 1, high: 2 };
/** By that number. */
export const priorities: readonly Priority[] = ['low', 'normal', 'high'];
