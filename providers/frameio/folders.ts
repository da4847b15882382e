import { ProviderError } from '../errors.ts';
import { createFolderPaths } from '../folder-paths.ts';
import { dataIn, type FrameioApi, type FrameioRecord, noSense, recordIn, recordsIn } from './api.ts';
import type { FrameioConfig } from './config.ts';

export interface Children {
  readonly entries: readonly FrameioRecord[];
  /** Asks for the next page; null at the end. */
  readonly after: string | null;
}

export interface Folders {
  /** The project's own folder. Says in words what is wrong with the project. */
  root(signal: AbortSignal): Promise<string>;
  /** The id of a folder's path, or null if there is none. */
  find(path: string, signal: AbortSignal): Promise<string | null>;
  /** The same; folders that are missing are made. */
  make(path: string, signal: AbortSignal): Promise<string>;
  /** One page of what lies in a folder, all or of one type. A folder that is not there any more is empty. */
  children(id: string, page: { after?: string | null; count?: number; type?: 'file' | 'folder' }, signal: AbortSignal): Promise<Children>;
  /** Does nothing to a folder that is not empty: what is in it is not ours. */
  removeIfEmpty(id: string, signal: AbortSignal): Promise<void>;
  /** Ids may be over: a folder was removed by somebody. */
  forget(): void;
}

const largestPage = 100;

/** Frame.io has ids for folders, and takes several of one name: of those the oldest is ours to use, whoever made it. */
export function createFolders(api: FrameioApi, { workspaceId, projectId }: FrameioConfig): Folders {
  let rootId: string | null = null;
  const paths = createFolderPaths({ root, ignoresCase: false });

  async function root(signal: AbortSignal): Promise<string> {
    if (rootId !== null) return rootId;
    const project = await api.find(`/projects/${encodeURIComponent(projectId)}`, signal);
    if (!project) {
      throw new ProviderError(
        'no_destination',
        'There is no project of this ID in the account, or the service account may not see it. Check both IDs, and add the service account to the project.',
      );
    }
    const { root_folder_id, workspace_id, status } = project;
    // Adobe's ids are answered as Frame.io's own.
    if (workspace_id !== workspaceId && !workspaceId.startsWith('adobe:')) {
      throw new ProviderError('misconfigured', 'The project lies in another workspace than the connection says. Correct the workspace ID.');
    }
    if (status === 'inactive') {
      throw new ProviderError('no_destination', 'The project is inactive at Frame.io. Activate it there, or choose another.');
    }
    if (typeof root_folder_id !== 'string') throw noSense();
    rootId = root_folder_id;
    return rootId;
  }

  const children: Folders['children'] = async (id, { after = null, count = largestPage, type }, signal) => {
    const query = new URLSearchParams({
      page_size: String(Math.min(count, largestPage)),
      ...(type && { type }),
      ...(after !== null && { after }),
    });
    const answer = await api.send('GET', `/folders/${encodeURIComponent(id)}/children?${query}`, null, signal, [404]);
    // Somebody removed it.
    if (answer.status === 404) {
      paths.forget();
      return { entries: [], after: null };
    }
    const { data, links } = recordIn(answer.bytes);
    return { entries: recordsIn(data), after: cursorIn((links as FrameioRecord | null | undefined)?.['next']) };
  };

  /** Of the folders of this name the one that was made first, so that all who look agree. */
  async function oldest(parent: string, name: string, signal: AbortSignal): Promise<string | null> {
    const found: { id: string; created: string }[] = [];
    for (let after: string | null = null; ; ) {
      const page: Children = await children(parent, { after, type: 'folder' }, signal);
      for (const { type, id, name: one, created_at } of page.entries) {
        if (type === 'folder' && one === name) found.push({ id: String(id), created: String(created_at) });
      }
      after = page.after;
      if (after === null) break;
    }
    found.sort((one, other) => (one.created === other.created ? (one.id < other.id ? -1 : 1) : one.created < other.created ? -1 : 1));
    return found[0]?.id ?? null;
  }

  async function removeIfEmpty(id: string, signal: AbortSignal): Promise<void> {
    // Frame.io removes folders with all that is in them.
    const { entries } = await children(id, { count: 1 }, signal);
    if (entries.length === 0) await api.send('DELETE', `/folders/${encodeURIComponent(id)}`, null, signal, [404]);
  }

  async function makeIn(parent: string, name: string, signal: AbortSignal): Promise<string> {
    const there = await oldest(parent, name, signal);
    if (there !== null) return there;
    const { id } = dataIn((await api.send('POST', `/folders/${encodeURIComponent(parent)}/folders`, { name }, signal)).bytes);
    if (typeof id !== 'string') throw noSense();
    // Another process may have made it meanwhile.
    const first = (await oldest(parent, name, signal)) ?? id;
    if (first !== id) await removeIfEmpty(id, signal);
    return first;
  }

  return {
    root,
    find: (path, signal) => paths.walk(path, oldest, signal),
    async make(path, signal) {
      try {
        return (await paths.walk(path, makeIn, signal))!;
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'not_found') throw error;
        // A folder on the way is not there any more.
        paths.forget();
        return (await paths.walk(path, makeIn, signal))!;
      }
    },
    children,
    removeIfEmpty,
    forget() {
      rootId = null;
      paths.forget();
    },
  };
}

/** The cursor in the address of the next page, whose path is left alone. */
function cursorIn(next: unknown): string | null {
  if (typeof next !== 'string' || !URL.canParse(next, 'https://api.frame.io')) return null;
  return new URL(next, 'https://api.frame.io').searchParams.get('after');
}
