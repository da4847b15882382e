import { ProviderError } from '../errors.ts';
import { createFolderPaths } from '../folder-paths.ts';
import { type BoxApi, type BoxRecord, recordIn } from './api.ts';
import { boxErrorIn } from './errors.ts';

const root = '0';

export interface BoxItems {
  readonly entries: readonly BoxRecord[];
  readonly marker: string | null;
}

export interface Folders {
  /** The id of a folder's path, or null if there is none. */
  find(path: string, signal: AbortSignal): Promise<string | null>;
  /** The same; folders that are missing are made. */
  make(path: string, signal: AbortSignal): Promise<string>;
  items(id: string, marker: string | null, limit: number, fields: string, signal: AbortSignal): Promise<BoxItems>;
  /** Ids may be over: a folder was removed by somebody. */
  forget(): void;
}

/** Box has ids for folders, and names that differ only in case are the same. */
export function createFolders({ api, json, send, errorOf }: BoxApi): Folders {
  const paths = createFolderPaths({ root: async () => root, ignoresCase: true });

  async function items(id: string, marker: string | null, limit: number, fields: string, signal: AbortSignal): Promise<BoxItems> {
    const query = new URLSearchParams({ usemarker: 'true', limit: String(limit), fields, ...(marker !== null && { marker }) });
    const { entries, next_marker } = await json('GET', `${api}/folders/${id}/items?${query}`, null, signal);
    return {
      entries: Array.isArray(entries) ? (entries as BoxRecord[]) : [],
      marker: typeof next_marker === 'string' && next_marker !== '' ? next_marker : null,
    };
  }

  async function childOf(parent: string, name: string, signal: AbortSignal): Promise<string | null> {
    let marker: string | null = null;
    do {
      const page: BoxItems = await items(parent, marker, 1000, 'type,id,name', signal);
      const found = page.entries.find(({ type, name: one }) => type === 'folder' && String(one).toLowerCase() === name.toLowerCase());
      if (found) return String(found['id']);
      marker = page.marker;
    } while (marker !== null);
    return null;
  }

  async function makeIn(parent: string, name: string, signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({ name, parent: { id: parent } });
    const headers = { 'content-type': 'application/json' };
    const answer = await send({ method: 'POST', url: `${api}/folders`, headers, body }, signal, [409]);
    if (answer.status < 300) return String(recordIn(answer.bytes)['id']);
    const { conflict, code } = boxErrorIn(answer.bytes);
    if (code !== 'item_name_in_use') throw errorOf(answer);
    if (conflict?.type === 'folder') return conflict.id;
    throw new ProviderError('exists', 'There is a file at Box where a folder is needed. Rename one of them.');
  }

  return {
    items,
    find: (path, signal) => paths.walk(path, childOf, signal),
    async make(path, signal) {
      return (await paths.walk(path, makeIn, signal))!;
    },
    forget: () => paths.forget(),
  };
}
