import pLimit from 'p-limit';
import { ProviderError } from '../errors.ts';
import { type FolderPage, listFolders } from '../folder-listing.ts';
import type { CloudHttp } from '../http/client.ts';
import { firstBytes } from '../http/first-bytes.ts';
import type { CloudObject, CloudProvider } from '../ports.ts';
import { type IconikApi, type IconikRecord, noSense, textIn } from './api.ts';
import { closedFiles, type FileRecord, readFile, removeAsset } from './assets.ts';
import { type Collections, top } from './collections.ts';
import { storageError } from './errors.ts';
import type { IconikStorage } from './storage.ts';

/** Questions for the files of a page's assets at once; iconik allows 50 requests a second. */
const questions = 4;

/** The port's id of a file: no path begins with `/`, so it is never taken for one. */
const idOf = ({ asset, file }: { readonly asset: string; readonly file: string }): string => `/${asset}/${file}`;

function recordIdIn(id: string): { readonly asset: string; readonly file: string } | null {
  const match = /^\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/i.exec(id);
  return match && { asset: match[1]!, file: match[2]! };
}

/** iconik never puts other bytes into a file: new ones are another file. */
export const objectOf = (record: FileRecord): CloudObject => ({
  id: idOf(record),
  size: record.size,
  etag: `${record.file}:${record.size}`,
  modified: record.modified,
  archived: false,
});

export interface FilesOptions {
  readonly api: IconikApi;
  readonly http: CloudHttp;
  readonly storage: IconikStorage;
  readonly collections: Collections;
  readonly now: () => Date;
}

type Files = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

/** Collections are folders; an asset in one is a file, if it has a whole one on the connection's storage. */
export function createFiles({ api, http, storage, collections, now }: FilesOptions): Files {
  const none = () => new ProviderError('not_found', 'There is no such file in iconik any more, or the user of the token may not see it.');

  /** The whole file of an id, or null. */
  async function closedFile(id: string, signal: AbortSignal): Promise<FileRecord | null> {
    const ids = recordIdIn(id);
    const record = ids && (await readFile(api, ids, signal));
    return record?.status === 'CLOSED' ? record : null;
  }

  async function page(id: string, marker: string | null, count: number, signal: AbortSignal): Promise<FolderPage> {
    const number = Number(marker ?? '1');
    const { objects, last } = await collections.page(id, { page: number, count }, signal);
    const isCollection = (one: IconikRecord): boolean => id === top || one['object_type'] === 'collections';
    const folders = objects.filter(isCollection).map((one) => ({ id: textIn(one, 'id'), name: String(one['title']) }));
    const limit = pLimit(questions);
    const files = await Promise.all(
      objects
        .filter((one) => !isCollection(one))
        .map(async (one) => {
          const closed = await limit(() => closedFiles(api, textIn(one, 'id'), signal));
          return closed.find((file) => file.storage === storage.id);
        }),
    );
    return {
      files: files.filter((file) => file !== undefined).map((file) => ({ ...objectOf(file), name: file.name })),
      // Ids of folders are paths: a title that holds / cannot be one.
      folders: folders.filter(({ name }) => name !== '' && !name.includes('/')),
      marker: last ? null : String(number + 1),
    };
  }

  return {
    list: (request, signal) => listFolders(request, { find: collections.find, page }, signal),

    async head({ id }, signal) {
      const record = await closedFile(id, signal);
      return record && objectOf(record);
    },

    hasFolder: async ({ path }, signal) => (await collections.find(path, signal)) !== null,

    async makeFolder({ path }, signal) {
      await collections.make(path, signal);
    },

    async openRange({ id, range, ifMatch }, signal) {
      const record = await closedFile(id, signal);
      if (!record) throw none();
      const { etag, size } = objectOf(record);
      if (ifMatch !== undefined && ifMatch !== etag) {
        throw new ProviderError('changed', 'The file in iconik was changed meanwhile. Begin again with the file as it is now.');
      }
      if (range && range.start >= size) {
        throw new ProviderError('range_not_satisfiable', 'The file in iconik is shorter than it was said to be. Begin again.');
      }
      if (record.url === '') throw noSense();
      // The address is the authority: the bucket gets no token.
      const headers: Readonly<Record<string, string>> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
      const { status, headers: answered, body } = await http.open({ method: 'GET', url: record.url, headers }, signal);
      if (status === (range ? 206 : 200)) return body;
      const bytes = await firstBytes(body);
      throw status < 300 ? noSense() : storageError({ status, headers: answered, bytes }, now());
    },

    async remove({ id }, signal) {
      const ids = recordIdIn(id);
      if (ids) return await removeAsset(api, ids.asset, signal);
      await collections.removeEmpty(id, signal);
    },
  };
}
