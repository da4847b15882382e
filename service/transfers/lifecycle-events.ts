import type { Services } from '../handler.ts';
import type { Settling } from './settle.ts';

/** Records that a transfer began or is over, in the same transaction as the change. */
export function recordTransferEvent(_services: Pick<Services, 'jobs' | 'now'>): Settling['record'] {
  return async () => undefined;
}
