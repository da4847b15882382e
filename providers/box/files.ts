import { ProviderError } from '../errors.ts';
import { type FolderPage, listFolders } from '../folder-listing.ts';
import type { CloudProvider } from '../ports.ts';
import { type BoxApi, type BoxFile, fileFields, fileIn, isCode, publicFile, recordIn } from './api.ts';
import type { Folders } from './folders.ts';

/** The file of one of Box's ids, or null if there is none. */
export async function headFile({ api, json }: BoxApi, boxId: string, signal: AbortSignal): Promise<BoxFile | null> {
  try {
    return fileIn(await json('GET', `${api}/files/${boxId}?fields=${fileFields}`, null, signal));
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

/** Moves a file into the trash, where Box keeps it as the enterprise has set. */
export async function removeFile({ api, send }: BoxApi, boxId: string, signal: AbortSignal): Promise<void> {
  await send({ method: 'DELETE', url: `${api}/files/${boxId}` }, signal, [404]);
}

/** The number in the port's id of a file; null for the path of a folder. */
const fileIdIn = (id: string): string | null => /^\/(\d+)$/.exec(id)?.[1] ?? null;

type Files = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

export function createFiles(box: BoxApi, folders: Folders): Files {
  const none = () => new ProviderError('not_found', 'There is no such file at Box any more, or the service account may not see it.');

  async function page(id: string, marker: string | null, count: number, signal: AbortSignal): Promise<FolderPage> {
    const { entries, marker: next } = await folders.items(id, marker, count, fileFields, signal);
    const named = entries.map((item) => ({ item, id: String(item['id']), name: String(item['name']) }));
    // Links to web pages are neither.
    return {
      files: named.filter(({ item }) => item['type'] === 'file').map(({ item, name }) => ({ ...publicFile(fileIn(item)), name })),
      folders: named.filter(({ item }) => item['type'] === 'folder').map(({ id: folder, name }) => ({ id: folder, name })),
      marker: next,
    };
  }

  return {
    list: (request, signal) => listFolders(request, { find: folders.find, page }, signal),

    async head({ id }, signal) {
      const boxId = fileIdIn(id);
      const file = boxId === null ? null : await headFile(box, boxId, signal);
      return file && publicFile(file);
    },

    hasFolder: async ({ path }, signal) => (await folders.find(path, signal)) !== null,

    async makeFolder({ path }, signal) {
      await folders.make(path, signal);
    },

    async openRange({ id, range, ifMatch }, signal) {
      const boxId = fileIdIn(id);
      const file = boxId === null ? null : await headFile(box, boxId, signal);
      if (!file) throw none();
      if (ifMatch !== undefined && ifMatch !== file.etag) {
        throw new ProviderError('changed', 'The file at Box was changed meanwhile. Begin again with the file as it is now.');
      }
      if (range && range.start >= file.size) {
        throw new ProviderError('range_not_satisfiable', 'The file at Box is shorter than it was said to be. Begin again.');
      }
      // The version is named, so that a change in between is not read.
      const { body, status } = await box.download(
        `${box.api}/files/${file.boxId}/content?version=${file.etag}`,
        range && `bytes=${range.start}-${range.end}`,
        signal,
      );
      if (range && status !== 206) {
        body.on('error', () => undefined).destroy();
        throw new ProviderError(
          'bad_answer',
          'Box gave other bytes than were asked for. It is tried again; if that goes on, tell the operator.',
        );
      }
      return body;
    },

    async remove({ id }, signal) {
      const boxId = fileIdIn(id);
      if (boxId !== null) return await removeFile(box, boxId, signal);
      const folder = await folders.find(id, signal);
      if (folder === null || folder === '0') return;
      folders.forget();
      const answer = await box.send({ method: 'DELETE', url: `${box.api}/folders/${folder}?recursive=false` }, signal, [400, 404]);
      if (answer.status !== 400) return;
      // It is not empty: what is in it is not ours.
      if (recordIn(answer.bytes)['code'] !== 'folder_not_empty') throw box.errorOf(answer);
    },
  };
}
