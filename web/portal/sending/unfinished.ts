import type { PageClient } from '#web/common/page-client.ts';
import { type Entry, pathOf } from '../files/entry.ts';
import { fromHandles } from '../files/gather.ts';
import { fromStored, fullPath, type Item } from './item.ts';
import type { Store, StoredPackage } from './store.ts';

/** A handle as browsers that keep them have it. */
type AskingHandle = FileSystemHandle & {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
};

/** What an earlier visit left of a package. Files are missing in it until they are found or chosen again. */
export async function readItems(store: Store, packageId: string): Promise<Item[]> {
  const [files, chunks] = [await store.files(packageId), await store.chunks(packageId)];
  return files.map((file) => fromStored(file, chunks.get(file.index)));
}

/**
 * Opens what the browser has kept, asking the person where it has to: call it while a click is handled. What cannot be
 * opened is left out.
 */
export async function reopen({ roots }: StoredPackage): Promise<Entry[]> {
  const open: FileSystemHandle[] = [];
  for (const root of roots as readonly AskingHandle[]) {
    try {
      const state = (await root.queryPermission?.({ mode: 'read' })) ?? 'granted';
      if (state === 'granted' || (await root.requestPermission?.({ mode: 'read' })) === 'granted') open.push(root);
    } catch {
      // The drive is away, or the browser has forgotten: it is asked for by name.
    }
  }
  return [...(await fromHandles(open)).entries];
}

/**
 * Finds the missing files among what was chosen, by their paths. A folder chosen by itself leaves out the folders above
 * it, so where the whole path is not there, an end of it that fits one missing file alone is as good.
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

/** Forgets a package, and frees what of it lies at the service as far as that can be reached. */
export async function discard(api: PageClient, store: Store, packageId: string): Promise<void> {
  await store.dropPackage(packageId);
  const params = { package_id: packageId };
  try {
    const files = await api.call('listFiles', { params });
    for (const { id } of files) await api.call('deleteFile', { params: { ...params, file_id: id } });
  } catch {
    // A package that is not closed is cleared away by the service in time.
  }
}
