import { ServiceError } from '#client/errors.ts';
import type { PageClient } from '../common/page-client.ts';
import { fileIdIn, type Item, noFacts, toStored } from './item.ts';
import type { Store } from './store.ts';

/** A person's decisions about failed items, as far as they concern the items themselves. */

interface ChoicePorts {
  readonly api: PageClient;
  readonly store: Store;
  readonly packageId: string;
}

/** Removes an item from the package. Rejects where the service cannot delete the started upload. */
export async function leaveOut({ api, store, packageId }: ChoicePorts, item: Item): Promise<void> {
  const fileId = fileIdIn(item.facts);
  // A started upload would prevent closing the package.
  if (fileId !== null) {
    await api.call('deleteFile', { params: { package_id: packageId, file_id: fileId } }).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.error !== 'not_found') throw error;
    });
  }
  item.state = 'left_out';
  item.sent = 0;
  void store.dropFile(packageId, item.index);
}

/** Gives an item its file. A file with another size or time is a different file, so its sent chunks do not count. */
export function supply({ store, packageId }: Omit<ChoicePorts, 'api'>, item: Item, file: File): void {
  if (file.size !== item.size || file.lastModified !== item.lastModified) {
    item.size = file.size;
    item.lastModified = file.lastModified;
    item.facts = noFacts;
    item.sent = 0;
    void store.dropChunks(packageId, item.index);
  }
  item.file = file;
  void store.putFile(toStored(packageId, item));
}
