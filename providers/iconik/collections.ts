import { createFolderPaths } from '../folder-paths.ts';
import { type IconikApi, type IconikRecord, objectsIn, textIn } from './api.ts';

/** The most that iconik documents for a page. */
const maxPage = 100;

/** Stands for the top, which is no collection. */
export const top = '';

export interface PageRequest {
  /** One-based. */
  readonly page: number;
  readonly count: number;
  readonly type?: 'collections';
}

export interface CollectionPage {
  /** Collections and assets, without those in iconik's bin. */
  readonly objects: readonly IconikRecord[];
  readonly last: boolean;
}

export interface Collections {
  /** The id of a path's collection; null if there is none. */
  find(path: string, signal: AbortSignal): Promise<string | null>;
  /** The same; collections that are missing are made. */
  make(path: string, signal: AbortSignal): Promise<string>;
  /** What is in a collection. One that is not there any more is empty. */
  page(id: string, request: PageRequest, signal: AbortSignal): Promise<CollectionPage>;
  /** Moves a collection into iconik's bin if nothing is in it. */
  removeEmpty(path: string, signal: AbortSignal): Promise<void>;
  /** Ids may be over: a collection was removed by somebody. */
  forget(): void;
}

export const isActive = ({ status }: IconikRecord): boolean => status === undefined || status === 'ACTIVE';

/** Folders are collections. iconik lets several have one title in one place: the oldest is meant, whoever made it. */
export function createCollections({ find, json, send }: IconikApi): Collections {
  const paths = createFolderPaths({ root: async () => top, ignoresCase: false });

  async function page(id: string, { page: number, count, type }: PageRequest, signal: AbortSignal): Promise<CollectionPage> {
    const path = id === top ? '/assets/v1/collections/' : `/assets/v1/collections/${id}/contents/`;
    const query = {
      page: String(number),
      per_page: String(Math.min(count, maxPage)),
      sort: 'date_created,asc',
      ...(id === top ? { is_root: 'true' } : type && { object_types: type }),
    };
    const answer = await find({ method: 'GET', path, query }, signal);
    if (!answer) {
      paths.forget();
      return { objects: [], last: true };
    }
    const objects = objectsIn(answer);
    return { objects: objects.filter(isActive), last: objects.length === 0 || number >= Number(answer['pages'] ?? 1) };
  }

  async function oldest(parent: string, title: string, signal: AbortSignal): Promise<string | null> {
    let found: { readonly id: string; readonly order: string } | null = null;
    for (let number = 1, last = false; !last; number++) {
      const read: CollectionPage = await page(parent, { page: number, count: maxPage, type: 'collections' }, signal);
      for (const one of read.objects.filter((object) => object['title'] === title)) {
        const id = textIn(one, 'id');
        const order = `${String(one['date_created'])} ${id}`;
        if (found === null || order < found.order) found = { id, order };
      }
      last = read.last;
    }
    return found?.id ?? null;
  }

  async function makeIn(parent: string, title: string, signal: AbortSignal): Promise<string> {
    const there = await oldest(parent, title, signal);
    if (there !== null) return there;
    const inCollection = parent !== top;
    const made = await json(
      {
        method: 'POST',
        path: '/assets/v1/collections/',
        query: { apply_collection_acls: String(inCollection) },
        body: { title, ...(inCollection && { parent_id: parent }) },
      },
      signal,
    );
    const id = textIn(made, 'id');
    // Another node may have made it at the same moment.
    const first = (await oldest(parent, title, signal)) ?? id;
    if (first !== id) await send({ method: 'DELETE', path: `/assets/v1/collections/${id}/` }, signal, [403, 404]);
    return first;
  }

  const look = (path: string, signal: AbortSignal) => paths.walk(path, oldest, signal);

  return {
    find: look,
    async make(path, signal) {
      return (await paths.walk(path, makeIn, signal))!;
    },
    page,
    async removeEmpty(path, signal) {
      paths.forget();
      const id = await look(path, signal);
      paths.forget();
      if (id === null || id === top) return;
      // What is in it is not ours.
      for (let number = 1, last = false; !last; number++) {
        const read: CollectionPage = await page(id, { page: number, count: maxPage }, signal);
        if (read.objects.length > 0) return;
        last = read.last;
      }
      await send({ method: 'DELETE', path: `/assets/v1/collections/${id}/` }, signal, [404]);
    },
    forget: () => paths.forget(),
  };
}
