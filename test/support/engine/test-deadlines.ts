import type { Clock } from '#engine/ports.ts';
import type { Store } from '#engine/state/store.ts';
import { createDeadlines, type Deadlines } from '#engine/transfer/deadlines/deadlines.ts';
import type { TransferRecord } from '#engine/transfer/record.ts';

interface TestDeadlinesPorts {
  readonly store: Pick<Store, 'lists' | 'transfers'>;
  readonly clock: Clock;
  /** By default the state file's, without what is not committed yet. */
  readonly find?: (id: string) => TransferRecord | null;
}

/** Deadlines without speed limits, by a test's clock. */
export function testDeadlines({ store, clock, find = store.transfers.get }: TestDeadlinesPorts): Deadlines {
  return createDeadlines({ lists: store.lists, clock, elapsed: clock.now, limit: () => 0, find, expectedBytes: () => null });
}
