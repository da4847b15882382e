import { join } from 'node:path';
import { folderStore } from '../backup/folder-store.ts';
import { checkLocalObjects } from '../backup/local-objects.ts';
import { pathOf, verifyItem } from '../backup/object-copy.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { openFolderJournal } from './folder-journal.ts';
import { findOrphans, freeOrphans, orphanFolders } from './orphans.ts';
import { createPace } from './pace.ts';
import { pacedStore } from './paced-store.ts';
import { withheldObjects } from './withheld.ts';

const inBucket = 'so their address has to be given (--storage-url, or STORAGE_URL in the environment).';

/** Local storage, by its folder: also while another process serves it, or none. */
export function checkedFolder(dataDir: string): CheckedStorage {
  const objectsDir = join(dataDir, 'objects');
  return {
    requireOwn: (client) => checkLocalObjects(client, objectsDir, inBucket),
    journal: (_, folder, deep) => openFolderJournal(folder, deep),
    // One disk is read by few, and asked for names by many.
    width: { deep: 4, quick: 16 },
    look(_, { deep, rate, signal, moved }) {
      const withheld = withheldObjects(pacedStore(folderStore(objectsDir), createPace(rate, signal)), objectsDir);
      const at = { at: withheld.store, quick: !deep };
      return {
        verify: (item, inside) => verifyItem(item, { ...at, moved, inside }),
        verifyAgain: (item) => verifyItem(item, { ...at, moved: () => undefined }),
        pathOf,
        withhold: withheld.withhold,
        isWithheld: async (key) => withheld.has(key),
        release: withheld.release,
      };
    },
    async *unneeded(client, reached, at) {
      for (const folder of orphanFolders.slice(orphanFolders.indexOf(reached) + 1)) {
        yield { reached: folder, findings: await findOrphans(client, objectsDir, folder, at) };
      }
    },
    free: freeOrphans,
  };
}
