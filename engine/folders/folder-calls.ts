import { dirname } from 'node:path';
import pLimit from 'p-limit';
import type { FileSystem } from '#filesystem/port.ts';
import type { Drops } from '../drops/drops.ts';
import type { Engine } from '../engine.ts';
import type { AgentSettings } from '../settings.ts';
import type { Lists } from '../state/lists.ts';
import { lateUploadSpeed } from '../transfer/late-speed.ts';
import type { TransferRecord } from '../transfer/record.ts';
import { findDropped } from './find-dropped.ts';
import { listFolder } from './list.ts';
import { measurePaths } from './measure.ts';
import { listPlaces } from './places.ts';
import { allowedPath } from './roots.ts';

interface FolderCallsPorts {
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly lists: Pick<Lists, 'page'>;
  readonly find: (id: string) => TransferRecord | null;
  readonly drops: Pick<Drops, 'folder' | 'realPathOf'>;
  readonly fileSystem: FileSystem;
}

/** Walks through folders at once: more would only make the disk's heads jump. */
const walksAtOnce = 2;
/** Transfers whose folders are the recent ones. */
const lookedAt = 30;

/** What callers can ask about folders of this machine (`Engine.folders`). */
export function createFolderCalls({ settings, lists, find, drops, fileSystem }: FolderCallsPorts): Engine['folders'] {
  const walks = pLimit(walksAtOnce);
  const allowed = (): readonly string[] => settings.current().allowed_roots;
  const guard = (path: string): string => allowedPath(path, allowed(), fileSystem);
  const sendable = (path: string): string => drops.realPathOf(path) ?? guard(path);
  const recent = (kind?: 'upload'): string[] => {
    const ids = lists.page({ page: 1, limit: lookedAt, sort: '-created_at', ...(kind ? { kind } : {}) });
    return ids.flatMap((id) => {
      const record = find(id);
      if (!record) return [];
      return record.kind === 'download'
        ? [record.request.dstFolder]
        : record.request.paths
            .filter((path) => !path.startsWith(drops.folder))
            .slice(0, 1)
            .map((path) => dirname(path));
    });
  };
  return {
    list: (query) => listFolder(query, allowed(), fileSystem),
    check: (path, { sends } = { sends: false }) => void (sends ? sendable(path) : guard(path)),
    places: (restricted) => listPlaces({ allowed: allowed(), recent: recent(), restricted, fileSystem }),
    measure: (paths, { signal, restricted }) =>
      walks(async () => {
        signal.throwIfAborted();
        const measure = await measurePaths(paths, { signal, guard: restricted ? sendable : null, fileSystem });
        const speed = lateUploadSpeed({ lists, find });
        return { ...measure, seconds: speed === null ? null : Math.ceil(measure.bytes / speed) };
      }),
    find: (entries, signal) =>
      walks(() => {
        signal.throwIfAborted();
        return findDropped(entries, { allowed: allowed(), first: recent('upload'), signal, fileSystem });
      }),
  };
}
