import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { ProviderError } from '../errors.ts';
import { type BoxApi, type BoxRecord, recordIn } from './api.ts';
import { boxErrorIn } from './errors.ts';

const root = '0';
const maxPaths = 10_000;

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

/** Box has ids for folders. One lock a parent, so that two files of one new folder make it once. */
export function createFolders({ api, json, send, errorOf }: BoxApi): Folders {
  const known = new LRUCache<string, string>({ max: maxPaths });
  const locks = new LRUCache<string, LimitFunction>({ max: maxPaths });
  // Names that differ only in case are the same at Box.
  const keyOf = (path: string): string => path.toLowerCase();

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

  async function walk(
    path: string,
    signal: AbortSignal,
    step: (parent: string, name: string) => Promise<string | null>,
  ): Promise<string | null> {
    signal.throwIfAborted();
    let id = root;
    let at = '';
    for (const name of path === '' ? [] : path.split('/')) {
      at = at === '' ? name : `${at}/${name}`;
      const key = keyOf(at);
      const parent = id;
      let lock = locks.get(parent);
      if (!lock) {
        lock = pLimit(1);
        locks.set(parent, lock);
      }
      const found: string | null =
        known.get(key) ??
        (await lock(async () => {
          const id = known.get(key) ?? (await step(parent, name));
          if (id !== null) known.set(key, id);
          return id;
        }));
      if (found === null) return null;
      id = found;
    }
    return id;
  }

  return {
    items,
    find: (path, signal) => walk(path, signal, (parent, name) => childOf(parent, name, signal)),
    async make(path, signal) {
      return (await walk(path, signal, (parent, name) => makeIn(parent, name, signal)))!;
    },
    forget: () => known.clear(),
  };
}
