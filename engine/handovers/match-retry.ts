import type { FileSystem } from '#filesystem/port.ts';
import { type PathGuard, pathGuardFor } from '../folders/path-guard.ts';
import type { Store } from '../state/store.ts';
import type { FileRecord, UploadRecord } from '../transfer/record.ts';
import { type MatchedFile, matchFiles } from './match-files.ts';

interface MatchPorts {
  readonly store: Pick<Store, 'files' | 'writer'>;
  readonly pathGuard: PathGuard;
  readonly fileSystem: FileSystem;
}

const rowsPerPage = 1_000;

/**
 * Looks once more for files that were changed or missing when a browser handed them over, before they are tried again. What is
 * there now as the browser had it goes on from its confirmed chunks; what has changed begins anew, and is sent as it is.
 * Returns the write that notes this, for the batch in which they are tried again.
 */
export async function matchForRetry({ store, pathGuard, fileSystem }: MatchPorts, record: UploadRecord): Promise<() => void> {
  const { files } = store;
  const guard = pathGuardFor({ pathGuard }, record);
  const found: { readonly row: FileRecord; readonly now: MatchedFile }[] = [];
  for (let afterId = 0; ; ) {
    const rows = files.after(record.id, afterId, rowsPerPage);
    if (rows.length === 0) break;
    afterId = rows.at(-1)!.id;
    const unseen = rows.filter(({ kind, state, inode }) => kind === 'file' && state === 'error' && inode === '');
    const matched = await matchFiles(unseen.map(asHanded), record.request.paths, { fileSystem, guard });
    for (const [index, now] of matched.entries()) found.push({ row: unseen[index]!, now });
  }
  return () => {
    for (const { row, now } of found) {
      if (now.local !== '') files.movedTo(row.id, now.local);
      if (now.state === 'found') files.stillAs(row.id, now.stamp);
      // Its noted chunks are of other bytes.
      else if (now.state === 'changed') files.restamped(row.id, { size: row.size, mtimeMs: row.modifiedAt, inode: '' });
    }
  };
}

const asHanded = ({ kind, path, name, size, modifiedAt }: FileRecord) => ({
  kind,
  path,
  name,
  size,
  last_modified: new Date(modifiedAt).toISOString(),
});
