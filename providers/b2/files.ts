import { ProviderError } from '../errors.ts';
import type { JsonRecord } from '../http/json.ts';
import type { CloudEntry, CloudProvider } from '../ports.ts';
import { type B2Api, type B2File, filesIn, publicFile } from './api.ts';
import { isFrom } from './upload-file.ts';

/** The file that B2's console puts into an empty folder, since there are none without files. */
const emptyMarker = '.bzEmpty';

const maxVersions = 100;

/** All versions of exactly this name, the newest first. */
export async function versionsOf(api: B2Api, name: string, signal: AbortSignal): Promise<B2File[]> {
  const versions: B2File[] = [];
  const bucketId = await api.bucketId(signal);
  let startFileId: unknown;
  do {
    const request = { bucketId, prefix: name, startFileName: name, maxFileCount: maxVersions };
    const page = await api.call('b2_list_file_versions', { ...request, ...(startFileId !== undefined && { startFileId }) }, signal);
    versions.push(...filesIn(page).filter(({ id }) => id === name));
    startFileId = page['nextFileName'] === name ? (page['nextFileId'] ?? undefined) : undefined;
  } while (startFileId !== undefined);
  // A large file that is not finished is no version yet.
  return versions.filter(({ action }) => action !== 'start');
}

const missing = new Set(['file_not_present 400', 'no_such_file 400']);

async function callUnlessMissing(api: B2Api, name: string, body: JsonRecord, signal: AbortSignal): Promise<void> {
  const answer = await api.ask(name, body, signal);
  if (answer.status < 300 || answer.status === 404) return;
  const error = api.errorOf(answer);
  if (!missing.has(error.answered)) throw error;
}

/**
 * Removes what lies under a name, and resolves to whether something did. Versions that Longshore made are deleted from the
 * newest on, or only those of `upload`; somebody else's is hidden, so that it can be brought back.
 */
export async function removeFile(
  api: B2Api,
  { name, upload }: { readonly name: string; readonly upload?: string },
  signal: AbortSignal,
): Promise<boolean> {
  const versions = (await versionsOf(api, name, signal)).map((file) => ({ file, isOurs: isFrom(file, upload ?? null) || isMarker(file) }));
  const remove = ({ file }: (typeof versions)[number]) =>
    callUnlessMissing(api, 'b2_delete_file_version', { fileName: name, fileId: file.fileId }, signal);
  if (upload !== undefined) {
    for (const version of versions) if (isFrom(version.file, upload)) await remove(version);
    return true;
  }
  const [newest] = versions;
  if (newest?.file.action !== 'upload') return false;
  if (newest.isOurs) {
    for (const version of versions) {
      if (!version.isOurs) break;
      await remove(version);
    }
  } else await callUnlessMissing(api, 'b2_hide_file', { bucketId: await api.bucketId(signal), fileName: name }, signal);
  return true;
}

const isMarker = ({ id, size }: B2File): boolean => id.endsWith(`/${emptyMarker}`) && size === 0;

/** The newest version, unless it is hidden. */
async function headFile(api: B2Api, name: string, signal: AbortSignal): Promise<B2File | null> {
  const request = { bucketId: await api.bucketId(signal), prefix: name, startFileName: name, maxFileCount: 1 };
  const [file] = filesIn(await api.call('b2_list_file_names', request, signal));
  return file?.id === name && file.action === 'upload' ? file : null;
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');
const lastStep = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderEntry = (path: string): CloudEntry => ({ kind: 'folder', id: path, name: lastStep(path) });

function entryOf(file: B2File, prefix: string): CloudEntry | null {
  const { id } = file;
  const name = lastStep(id);
  if (id === prefix || id === prefix + emptyMarker) return null;
  if (file.action === 'folder' || name === '') return folderEntry(withoutSlash(id));
  if (name === emptyMarker && file.size === 0) return folderEntry(id.slice(0, -emptyMarker.length - 1));
  return { kind: 'file', ...publicFile(file), name };
}

/** Makes a file of no bytes, without an upload that could be resumed. */
type MakeEmpty = (name: string, signal: AbortSignal) => Promise<void>;

type Files = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

/** Folders are part of the names. */
export function createFiles(api: B2Api, makeEmpty: MakeEmpty): Files {
  return {
    async list({ folder, cursor, count, recursive = false }, signal) {
      const prefix = withoutSlash(folder) === '' ? '' : `${withoutSlash(folder)}/`;
      const request = {
        bucketId: await api.bucketId(signal),
        prefix,
        maxFileCount: count,
        ...(cursor !== undefined && { startFileName: cursor }),
        ...(!recursive && { delimiter: '/' }),
      };
      const page = await api.call('b2_list_file_names', request, signal);
      const entries = filesIn(page).map((file) => entryOf(file, prefix));
      const next = page['nextFileName'];
      return { entries: entries.filter((entry) => entry !== null), cursor: typeof next === 'string' ? next : null };
    },

    async head({ id }, signal) {
      const file = await headFile(api, id, signal);
      return file && publicFile(file);
    },

    hasFolder: async ({ path }, signal) => (await headFile(api, `${withoutSlash(path)}/${emptyMarker}`, signal)) !== null,

    async makeFolder({ path }, signal) {
      const name = `${withoutSlash(path)}/${emptyMarker}`;
      if (!(await headFile(api, name, signal))) await makeEmpty(name, signal);
    },

    async openRange({ id, range, ifMatch }, signal) {
      const { body, status, headers } = await api.download(id, range && `bytes=${range.start}-${range.end}`, signal);
      if (ifMatch !== undefined && headers['x-bz-file-id'] !== ifMatch) {
        body.destroy();
        throw new ProviderError('changed', 'The file at Backblaze was changed meanwhile. Begin again with the file as it is now.');
      }
      if (range && status !== 206) {
        body.destroy();
        throw new ProviderError(
          'bad_answer',
          'Backblaze gave other bytes than were asked for. It is tried again; if that goes on, tell the operator.',
        );
      }
      return body;
    },

    async remove({ id }, signal) {
      const name = withoutSlash(id);
      if (id.endsWith('/') || !(await removeFile(api, { name }, signal))) {
        await removeFile(api, { name: `${name}/${emptyMarker}` }, signal);
      }
    },
  };
}
