import { ProviderError } from '../errors.ts';
import { type FolderPage, listFolders } from '../folder-listing.ts';
import type { CloudHttp } from '../http/client.ts';
import type { CloudProvider } from '../ports.ts';
import { type FrameioApi, type FrameioFile, type FrameioRecord, fileIn, publicFile } from './api.ts';
import type { Folders } from './folders.ts';

/** Whether all bytes of a file have arrived, and were taken. */
export type UploadState = 'under_way' | 'complete' | 'failed' | 'none';

export async function uploadStateOf(api: FrameioApi, fileId: string, signal: AbortSignal): Promise<UploadState> {
  const found = await api.find(`/files/${encodeURIComponent(fileId)}/status`, signal);
  if (!found) return 'none';
  if (found['upload_failed'] === true) return 'failed';
  return found['upload_complete'] === true ? 'complete' : 'under_way';
}

/** The file, whole or not; null if there is none. */
export async function findFile(api: FrameioApi, fileId: string, signal: AbortSignal): Promise<FrameioFile | null> {
  const found = await api.find(`/files/${encodeURIComponent(fileId)}`, signal);
  return found && fileIn(found);
}

/** Frame.io keeps it for a while among what was deleted. */
export async function removeFile(api: FrameioApi, fileId: string, signal: AbortSignal): Promise<void> {
  await api.send('DELETE', `/files/${encodeURIComponent(fileId)}`, null, signal, [404]);
}

const fileIdIn = (id: string): string | null => (id.startsWith('/') ? id.slice(1) : null);

type Files = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

export function createFiles(api: FrameioApi, http: CloudHttp, folders: Folders): Files {
  /** A file that people see as one. */
  async function wholeFile(id: string, signal: AbortSignal): Promise<FrameioFile | null> {
    const fileId = fileIdIn(id);
    const file = fileId === null ? null : await findFile(api, fileId, signal);
    // Its status may lag behind that of its upload.
    return file && (file.whole || (await uploadStateOf(api, file.fileId, signal)) === 'complete') ? file : null;
  }

  async function page(id: string, marker: string | null, count: number, signal: AbortSignal): Promise<FolderPage> {
    const { entries, after } = await folders.children(id, { after: marker, count }, signal);
    return {
      files: entries.flatMap((entry) => {
        const file = fileOf(entry);
        return file?.whole ? [{ ...publicFile(file), name: String(entry['name']) }] : [];
      }),
      folders: entries.filter(({ type }) => type === 'folder').map((entry) => ({ id: String(entry['id']), name: String(entry['name']) })),
      marker: after,
    };
  }

  return {
    list: (request, signal) => listFolders(request, { find: folders.find, page }, signal),

    async head({ id }, signal) {
      const file = await wholeFile(id, signal);
      return file && publicFile(file);
    },

    hasFolder: async ({ path }, signal) => (await folders.find(path, signal)) !== null,

    async makeFolder({ path }, signal) {
      await folders.make(path, signal);
    },

    async openRange({ id, range, ifMatch }, signal) {
      const file = await wholeFile(id, signal);
      if (!file) throw new ProviderError('not_found', 'There is no such file at Frame.io any more, or the service account may not see it.');
      if (ifMatch !== undefined && ifMatch !== file.etag) {
        throw new ProviderError('changed', 'The file at Frame.io was changed meanwhile. Begin again with the file as it is now.');
      }
      if (range && range.start >= file.size) {
        throw new ProviderError('range_not_satisfiable', 'The file at Frame.io is shorter than it was said to be. Begin again.');
      }
      const found = await api.find(`/files/${encodeURIComponent(file.fileId)}?include=media_links.original`, signal);
      const links = found?.['media_links'] as { readonly original?: { readonly download_url?: unknown } | null } | undefined;
      const address = links?.original?.download_url;
      if (typeof address !== 'string') {
        throw new ProviderError(
          'forbidden',
          'Frame.io gives no download of the original file. Allow downloads for the service account, and see that no watermark is asked of it.',
        );
      }
      // The address is the authority: the token stays here.
      const headers = range ? { range: `bytes=${range.start}-${range.end}` } : undefined;
      const { status, body } = await http.open({ method: 'GET', url: api.trusted(address), ...(headers && { headers }) }, signal);
      if (status === (range ? 206 : 200)) return body;
      body.on('error', () => undefined).destroy();
      const options = { answered: String(status) };
      throw status < 500
        ? new ProviderError(
            'bad_answer',
            'Frame.io gave other bytes than were asked for. It is tried again; if that goes on, tell the operator.',
            options,
          )
        : new ProviderError('busy', `Frame.io's storage has a failure of its own (${status}). It is tried again.`, options);
    },

    async remove({ id }, signal) {
      const fileId = fileIdIn(id);
      if (fileId !== null) return await removeFile(api, fileId, signal);
      const folder = id === '' ? null : await folders.find(id, signal);
      if (folder === null) return;
      folders.forget();
      await folders.removeIfEmpty(folder, signal);
    },
  };
}

/** A file of a listing: of a stack of versions the newest. */
function fileOf(entry: FrameioRecord): FrameioFile | null {
  if (entry['type'] === 'file') return fileIn(entry);
  const head = entry['type'] === 'version_stack' ? entry['head_version'] : null;
  return head ? fileIn(head as FrameioRecord) : null;
}
