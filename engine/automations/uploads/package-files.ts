import { join } from 'node:path';
import { basename as posixBasename, dirname as posixDirname } from 'node:path/posix';
import type { NewFile } from '../../transfer/record.ts';
import type { NewLedgerRow } from '../record.ts';
import type { PlannedPackage } from './decide.ts';
import type { SeenFile } from './scan-folder.ts';

/** The rows that a package is made of: those of its transfer, and those of the ledger, which tell the same. */

/** Its files and empty folders as a transfer has them. An entry that is a folder keeps its name, not those above it. */
export function transferFiles(
  { entry, files, emptyFolders, whole }: Pick<PlannedPackage, 'entry' | 'files' | 'emptyFolders' | 'whole'>,
  folder: string,
): NewFile[] {
  const above = entry === '' ? '.' : posixDirname(entry);
  const placed = (path: string) => {
    const inside = above === '.' ? path : path.slice(above.length + 1);
    const parent = posixDirname(inside);
    return { path: parent === '.' ? '' : parent, name: posixBasename(inside), local: join(folder, path) };
  };
  return [
    ...files.map(({ path, size, mtimeMs, inode }) => ({
      kind: 'file' as const,
      ...placed(path),
      size,
      modifiedAt: mtimeMs,
      inode,
      ...(whole && !whole.has(path) ? { state: 'growing' as const } : {}),
    })),
    ...emptyFolders.map((path) => ({ kind: 'directory' as const, ...placed(path), size: 0, modifiedAt: 0, inode: '' })),
  ];
}

/** Its files as the ledger has them while they are sent. */
export function ledgerRows(
  files: readonly SeenFile[],
  transferId: string,
  at: number,
  contentOf: (path: string) => string,
): NewLedgerRow[] {
  return files.map(({ path, size, mtimeMs, identity }) => ({
    key: path,
    path,
    size,
    modifiedAt: mtimeMs,
    identity,
    blake3: contentOf(path),
    transferId,
    state: 'sending',
    at,
  }));
}

/** The ledger's key of a file of a transfer. */
export function keyOf(local: string, folder: string): string {
  const inside = local.slice(folder.length).replace(/^[\\/]/, '');
  return process.platform === 'win32' ? inside.replaceAll('\\', '/') : inside;
}
