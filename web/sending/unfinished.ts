import type { PageClient } from '../common/page-client.ts';
import { type Entry, pathOf } from './files/entry.ts';
import { fromHandles } from './files/read-entries.ts';
import { fromStored, fullPath, type Item } from './item.ts';
import type { Store, StoredPackage } from './store.ts';

/** A handle with permission calls, in browsers that can store handles. */
type AskingHandle = FileSystemHandle & {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
};

/** The items of a package from an earlier visit. Their files are missing until they are found or chosen again. */
export async function readItems(store: Store, packageId: string): Promise<Item[]> {
  const [files, chunks] = [await store.files(packageId), await store.chunks(packageId)];
  return files.map((file) => fromStored(file, chunks.get(file.index)));
}

/**
 * Opens the stored handles and asks the person for permission where needed. Call it inside a click handler. Handles
 * that cannot be opened are skipped.
 */
export async function reopen({ roots }: StoredPackage): Promise<Entry[]> {
  const open: FileSystemHandle[] = [];
  for (const root of roots as readonly AskingHandle[]) {
    try {
      const state = (await root.queryPermission?.({ mode: 'read' })) ?? 'granted';
      if (state === 'granted' || (await root.requestPermission?.({ mode: 'read' })) === 'granted') open.push(root);
    } catch {
      // The drive is not connected, or the browser has lost the handle: the page asks for the file by name.
    }
  }
  return [...(await fromHandles(open)).entries];
}

/**
 * Finds missing files among the chosen ones, by path. A folder that was chosen alone lacks its parent folders in the
 * path; so without a full match, the end of a path is enough if it matches only one missing file.
 */
export function findAgain(items: readonly Item[], entries: readonly Entry[]): Map<Item, File> {
  const wanted = items.filter(({ state, kind }) => kind === 'file' && (state === 'missing' || state === 'failed'));
  const byPath = new Map(wanted.map((item) => [fullPath(item), item]));
  const byName = new Map<string, Item[]>();
  for (const item of wanted) byName.set(item.name, [...(byName.get(item.name) ?? []), item]);
  const found = new Map<Item, File>();
  for (const entry of entries) {
    if (!entry.file) continue;
    const item = byPath.get(pathOf(entry)) ?? byEnd(byName.get(entry.name) ?? [], entry);
    if (item) found.set(item, entry.file);
  }
  return found;
}

function byEnd(candidates: readonly Item[], entry: Entry): Item | undefined {
  const same = candidates.filter(
    (item) => item.size === entry.size && item.lastModified === entry.lastModified && `/${fullPath(item)}`.endsWith(`/${pathOf(entry)}`),
  );
  return same.length === 1 ? same[0] : undefined;
}

/** Forgets a package and deletes its data at the service, if the service is reachable. */
export async function discard(
  api: PageClient,
  tokenOf: (stored: StoredPackage) => Promise<string>,
  store: Store,
  stored: StoredPackage,
): Promise<void> {
  await store.dropPackage(stored.id);
  const params = { package_id: stored.id };
  try {
    const own = api.as({ kind: 'package', token: await tokenOf(stored) });
    const files = await own.call('listFiles', { params });
    for (const { id } of files) await own.call('deleteFile', { params: { ...params, file_id: id } });
  } catch {
    // The service's cleanup deletes unclosed packages later.
  }
}
