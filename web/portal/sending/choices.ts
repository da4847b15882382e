import { ServiceError } from '#client/errors.ts';
import type { PageClient } from '#web/common/page-client.ts';
import { type Item, noFacts, toStored } from './item.ts';
import type { Store } from './store.ts';

/** What a person decides about items that did not get through, as far as it concerns the items themselves. */

export interface ChoicePorts {
  readonly api: PageClient;
  readonly store: Store;
  readonly packageId: string;
}

/** Takes an item out of the package. Rejects where the service does not let go of what was begun of it. */
export async function leaveOut({ api, store, packageId }: ChoicePorts, item: Item): Promise<void> {
  const { fileId } = item.facts;
  // What was begun of it would keep the package from being closed.
  if (fileId !== undefined) {
    await api.call('deleteFile', { params: { package_id: packageId, file_id: fileId } }).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.error !== 'not_found') throw error;
    });
  }
  item.state = 'left_out';
  item.sent = 0;
  void store.dropFile(packageId, item.index);
}

/** Gives an item its file. One of another size or time is another file by now: nothing of what went out counts. */
export function supply({ store, packageId }: Omit<ChoicePorts, 'api'>, item: Item, file: File): void {
  if (file.size !== item.size || file.lastModified !== item.lastModified) {
    item.size = file.size;
    item.lastModified = file.lastModified;
    item.facts = noFacts();
    void store.dropChunks(packageId, item.index);
  }
  item.file = file;
  item.sent = 0;
  void store.putFile(toStored(packageId, item));
}
