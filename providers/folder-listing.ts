import { ProviderError } from './errors.ts';
import type { CloudEntry, CloudObject, ListPage, ListRequest } from './ports.ts';

/** What a page of a folder shows: its files, and its folders with the provider's ids. */
export interface FolderPage {
  readonly files: readonly (CloudObject & { readonly name: string })[];
  readonly folders: readonly { readonly id: string; readonly name: string }[];
  /** Asks for the next page; null at the end. */
  readonly marker: string | null;
}

export interface FolderReader {
  /** The id of a folder's path, or null if there is none. */
  find(path: string, signal: AbortSignal): Promise<string | null>;
  page(id: string, marker: string | null, count: number, signal: AbortSignal): Promise<FolderPage>;
}

/** Where a listing stands: the folders still to be read, and the place in the first of them. */
interface Cursor {
  readonly folders: readonly { readonly id: string; readonly path: string }[];
  readonly marker: string | null;
}

const written = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function readCursor(text: string): Cursor {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
  } catch {
    throw new ProviderError('misconfigured', 'The list cannot go on from this cursor. Begin it again.');
  }
}

/** `CloudProvider.list` for providers that have ids for folders and list one at a time. */
export async function listFolders(
  { folder, cursor, count, recursive = false }: ListRequest,
  { find, page }: FolderReader,
  signal: AbortSignal,
): Promise<ListPage> {
  let at: Cursor;
  if (cursor === undefined) {
    const id = await find(folder, signal);
    if (id === null) return { entries: [], cursor: null };
    at = { folders: [{ id, path: folder }], marker: null };
  } else at = readCursor(cursor);
  const [first, ...others] = at.folders;
  if (!first) return { entries: [], cursor: null };
  const { files, folders, marker } = await page(first.id, at.marker, count, signal);
  const below = folders.map(({ id, name }) => ({ id, name, path: first.path === '' ? name : `${first.path}/${name}` }));
  const entries: CloudEntry[] = [
    ...files.map((file) => ({ kind: 'file' as const, ...file })),
    ...below.map(({ path, name }) => ({ kind: 'folder' as const, id: path, name })),
  ];
  const rest = marker === null ? others : [first, ...others];
  const next: Cursor = { folders: recursive ? [...rest, ...below.map(({ id, path }) => ({ id, path }))] : rest, marker };
  return { entries, cursor: next.folders.length > 0 ? written(next) : null };
}
