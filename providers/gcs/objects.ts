import { ProviderError } from '../errors.ts';
import type { CloudEntry, CloudProvider } from '../ports.ts';
import { type GcsApi, type GcsObject, objectFields, objectIn, publicObject } from './api.ts';
import { insertObject } from './sessions.ts';

const isCode = (error: unknown, code: string): boolean => error instanceof ProviderError && error.code === code;

/** The object, or null if there is none. */
export async function headObject(api: GcsApi, name: string, signal: AbortSignal): Promise<GcsObject | null> {
  try {
    return objectIn(await api.json({ method: 'GET', path: api.objectPath(name), query: { fields: objectFields } }, signal));
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

/** Removes an object, or just one generation of it. Resolves to whether there was one. */
export async function removeObject(
  api: GcsApi,
  { id, generation }: { readonly id: string; readonly generation?: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.send({ method: 'DELETE', path: api.objectPath(id), query: { ifGenerationMatch: generation } }, signal);
    return true;
  } catch (error) {
    if (isCode(error, 'not_found') || (generation !== undefined && isCode(error, 'changed'))) return false;
    throw error;
  }
}

interface Page {
  readonly objects: readonly GcsObject[];
  readonly folders: readonly string[];
  readonly cursor: string | null;
}

type Query = Readonly<Record<string, string | undefined>>;

async function page(api: GcsApi, query: Query, signal: AbortSignal): Promise<Page> {
  const fields = `items(${objectFields}),prefixes,nextPageToken`;
  const answer = await api.json({ method: 'GET', path: `${api.bucketPath}/o`, query: { ...query, fields } }, signal);
  const {
    items = [],
    prefixes = [],
    nextPageToken,
  } = answer as { items?: Record<string, unknown>[]; prefixes?: string[]; nextPageToken?: unknown };
  return {
    objects: items.map(objectIn),
    folders: prefixes,
    cursor: typeof nextPageToken === 'string' && nextPageToken !== '' ? nextPageToken : null,
  };
}

const lastStep = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderEntry = (marker: string): CloudEntry => {
  const id = marker.slice(0, -1);
  return { kind: 'folder', id, name: lastStep(id) };
};

type Objects = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

/** Folders are part of the names; an empty one is an object of no bytes whose name ends with `/`, as Google's console makes it. */
export function createObjects(api: GcsApi): Objects {
  /** Whether a marker that ends its page has something below it on the next one. */
  const isEmpty = async (marker: string, signal: AbortSignal): Promise<boolean> =>
    (await page(api, { prefix: marker, maxResults: '2' }, signal)).objects.length < 2;

  return {
    async list({ folder, cursor, count, recursive = false }, signal) {
      const prefix = folder === '' ? '' : `${folder}/`;
      const query = { prefix, maxResults: String(count), pageToken: cursor, ...(!recursive && { delimiter: '/' }) };
      const { objects, folders, cursor: next } = await page(api, query, signal);
      const entries: CloudEntry[] = [];
      for (const [index, object] of objects.entries()) {
        if (object.id === prefix) continue;
        if (!object.id.endsWith('/')) {
          entries.push({ kind: 'file', ...publicObject(object), name: lastStep(object.id) });
          continue;
        }
        const following = objects[index + 1];
        const empty = following ? !following.id.startsWith(object.id) : next === null || (await isEmpty(object.id, signal));
        if (empty) entries.push(folderEntry(object.id));
      }
      // A name with // has a folder without a name, which no path of ours leads to.
      entries.push(...folders.filter((one) => one !== `${prefix}/`).map(folderEntry));
      return { entries, cursor: next };
    },

    async head({ id }, signal) {
      const object = await headObject(api, id, signal);
      return object && publicObject(object);
    },

    hasFolder: async ({ path }, signal) => (await headObject(api, `${path}/`, signal)) !== null,

    async makeFolder({ path }, signal) {
      try {
        await insertObject(api, { name: `${path}/` }, new Uint8Array(), { generation: '0' }, signal);
      } catch (error) {
        // It is there.
        if (!isCode(error, 'changed')) throw error;
      }
    },

    async openRange({ id, range, ifMatch }, signal) {
      const { body, status } = await api.open(
        {
          method: 'GET',
          path: api.objectPath(id),
          query: { alt: 'media', ifGenerationMatch: ifMatch },
          headers: {
            // Bytes as they lie there: otherwise Google unpacks what was stored compressed, and has no ranges of it.
            'accept-encoding': 'gzip',
            ...(range && { range: `bytes=${range.start}-${range.end}` }),
          },
        },
        signal,
      );
      if (range && status !== 206) {
        body.destroy();
        throw new ProviderError(
          'bad_answer',
          'Google Cloud Storage gave other bytes than were asked for. It is tried again; if that goes on, tell the operator.',
        );
      }
      return body;
    },

    async remove({ id }, signal) {
      if (!(await removeObject(api, { id }, signal))) await removeObject(api, { id: `${id}/` }, signal);
    },
  };
}
