import type { Store } from '#engine/state/store.ts';
import type { TransferRecord } from '#engine/transfer/record.ts';

/** Every transfer in the list of a state that can be read, as they were added. */
export function allTransfers(store: Pick<Store, 'lists' | 'transfers'>): TransferRecord[] {
  const ids = store.lists.page({ page: 1, limit: 1_000_000, sort: 'created_at' });
  return ids.flatMap((id) => store.transfers.get(id) ?? []);
}
