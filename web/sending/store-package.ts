import type { Entry } from './files/entry.ts';
import { type Item, noFacts, toStored } from './item.ts';
import type { Store, StoredPackage } from './store.ts';

/** Notes a new package with what is to be sent, before the first byte is. */
export async function storePackage(
  store: Store,
  made: Omit<StoredPackage, 'files' | 'bytes' | 'roots'>,
  entries: readonly Entry[],
): Promise<{ readonly stored: StoredPackage; readonly items: Item[] }> {
  const roots = [...new Set(entries.flatMap(({ root }) => root ?? []))];
  const indexOfRoot = new Map(roots.map((root, index) => [root, index]));
  const items = entries.map((entry, index): Item => {
    const { kind, path, name, size, lastModified, file, root } = entry;
    const rootIndex = root === null ? null : indexOfRoot.get(root)!;
    return { index, kind, path, name, size, lastModified, root: rootIndex, file, state: 'waiting', sent: 0, fault: null, facts: noFacts };
  });
  const stored: StoredPackage = {
    ...made,
    files: items.filter(({ kind }) => kind === 'file').length,
    bytes: items.reduce((sum, { size }) => sum + size, 0),
    roots,
  };
  await Promise.all([store.putPackage(stored), ...items.map((item) => store.putFile(toStored(stored.id, item)))]);
  return { stored, items };
}
