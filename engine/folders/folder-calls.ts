import { dirname } from 'node:path';
import pLimit from 'p-limit';
import type { FileSystem } from '#filesystem/port.ts';
import type { Drops } from '../drops/drops.ts';
import type { Engine } from '../engine.ts';
import type { Clock } from '../ports.ts';
import type { AgentSettings } from '../settings.ts';
import type { Lists } from '../state/lists.ts';
import { lateUploadSpeed } from '../transfer/late-speed.ts';
import type { TransferRecord } from '../transfer/record.ts';
import { createAnsweringDisks } from './answering-disks.ts';
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
  readonly clock: Clock;
}

/** Walks through folders at once: more would only make the disk's heads jump. */
const walksAtOnce = 2;
/** Transfers whose folders are the recent ones. */
const lookedAt = 30;

/** What callers can ask about folders of this machine (`Engine.folders`). */
export function createFolderCalls({ settings, lists, find, drops, fileSystem, clock }: FolderCallsPorts): Engine['folders'] {
  const walks = pLimit(walksAtOnce);
  const disks = createAnsweringDisks({ fileSystem, clock });
  /** Allowed folders whose disks did not answer when they were asked last: they permit nothing. */
  let silentRoots: ReadonlySet<string> = new Set();
  const allowed = (): readonly string[] => settings.current().allowed_roots.filter((root) => !silentRoots.has(root));
  const askRoots = async (): Promise<void> => {
    const answers = await disks.look();
    const silent = new Set<string>();
    for (const root of settings.current().allowed_roots) if (!(await answers(root))) silent.add(root);
    silentRoots = silent;
  };
  const answer = async (paths: readonly string[]): Promise<void> => {
    await askRoots();
    await disks.answer(paths);
  };
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
    answer,
    list: async (query) => {
      await answer(query.path ? [query.path] : []);
      return listFolder(query, allowed(), fileSystem, await disks.look());
    },
    check: (path, { sends } = { sends: false }) => void (sends ? sendable(path) : guard(path)),
    places: async (restricted) => {
      await askRoots();
      return listPlaces({ allowed: allowed(), recent: recent(), restricted, fileSystem, answers: await disks.look() });
    },
    measure: (paths, { signal, restricted }) =>
      walks(async () => {
        signal.throwIfAborted();
        const measure = await measurePaths(paths, { signal, guard: restricted ? sendable : null, fileSystem });
        const speed = lateUploadSpeed({ lists, find });
        return { ...measure, seconds: speed === null ? null : Math.ceil(measure.bytes / speed) };
      }),
    find: (entries, signal) =>
      walks(async () => {
        signal.throwIfAborted();
        await askRoots();
        const answers = await disks.look();
        const first: string[] = [];
        for (const path of recent('upload')) if (await answers(path)) first.push(path);
        return findDropped(entries, { allowed: allowed(), first, signal, fileSystem });
      }),
  };
}
