import { ProviderError } from '../errors.ts';
import type { CloudEntry, CloudProvider } from '../ports.ts';
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

type Files = Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

export function createFiles(box: BoxApi, folders: Folders): Files {
  const none = () => new ProviderError('not_found', 'There is no such file at Box any more, or the service account may not see it.');

  return {
    async list({ folder, cursor, count, recursive = false }, signal) {
      let at: Cursor;
      if (cursor === undefined) {
        const id = await folders.find(folder, signal);
        if (id === null) return { entries: [], cursor: null };
        at = { folders: [{ id, path: folder }], marker: null };
      } else at = readCursor(cursor);
      const [first, ...others] = at.folders;
      if (!first) return { entries: [], cursor: null };
      const page = await folders.items(first.id, at.marker, count, fileFields, signal);
      const entries: CloudEntry[] = [];
      const below: { id: string; path: string }[] = [];
      for (const item of page.entries) {
        const name = String(item['name']);
        const path = first.path === '' ? name : `${first.path}/${name}`;
        // Links to web pages are neither.
        if (item['type'] === 'file') entries.push({ kind: 'file', ...publicFile(fileIn(item)), name });
        if (item['type'] !== 'folder') continue;
        entries.push({ kind: 'folder', id: path, name });
        if (recursive) below.push({ id: String(item['id']), path });
      }
      const rest = page.marker === null ? others : [first, ...others];
      const next: Cursor = { folders: [...rest, ...below], marker: page.marker };
      return { entries, cursor: next.folders.length > 0 ? written(next) : null };
    },

    async head({ id }, signal) {
      const boxId = fileIdIn(id);
      const file = boxId === null ? null : await headFile(box, boxId, signal);
      return file && publicFile(file);
    },

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
