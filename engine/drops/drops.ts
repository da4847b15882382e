import { randomUUID } from 'node:crypto';
import { join, sep } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { entryFault } from '#protocol/names.ts';
import type { Engine } from '../engine.ts';
import type { Happening } from '../events.ts';
import type { DiskReservations } from '../folders/disk-reservations.ts';
import { codeOf } from '../io/disk-failures.ts';
import type { Clock, Log } from '../ports.ts';
import { type DropFolder, readDrop, writeDrop } from './drop-folder.ts';

/**
 * Files and folders that a browser sends to its agent, because the agent cannot find them on its own disks. Each drop is
 * a folder of the data folder, and lives until every upload of it is over; one that none uses, for a day.
 */
export interface Drops extends CallsOfDrops {
  /** All drops lie in it. */
  readonly folder: string;
  /** The real path of something that was dropped, which every caller may send that may send at all; `null` for all else. */
  realPathOf(path: string): string | null;
  /** An upload of these paths begins: what was dropped of them goes when it is over. Call it in the same turn as it is written. */
  take(paths: readonly string[]): void;
  /** Whether any of these paths lay in a drop that is gone. */
  isGone(paths: readonly string[]): boolean;
  /** Something has happened: an upload may be over. */
  heard(happening: Happening): void;
  close(): Promise<void>;
}

type CallsOfDrops = Engine['drops'];

interface DropsPorts {
  /** The agent's data folder. */
  readonly dataDir: string;
  readonly fileSystem: FileSystem;
  /** Shared with downloads. */
  readonly reservations: DiskReservations;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an upload that is not over has a path of this drop. */
  readonly isUsed: (dropId: string) => boolean;
}

/** Bytes that are left free on the disk for the agent's own state. */
const freeForState = 256 * 1024 * 1024;
const unusedMilliseconds = 24 * 3_600_000;
const sweepEveryMilliseconds = 3_600_000;
const sweepSoonMilliseconds = 200;

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

export function openDrops({ dataDir, fileSystem, reservations, clock, log, isUsed }: DropsPorts): Drops {
  // Scans tell real paths.
  const root = join(fileSystem.realPath(dataDir), 'drops');
  const open = new Map<string, DropFolder>();
  let closed = false;
  let cancel = (): void => {};
  let sweeping: Promise<void> = Promise.resolve();

  const folderOf = (id: string): string => join(root, id);
  /** Of this run, or of an earlier one that was not deleted. */
  const find = (id: string): DropFolder => {
    const known = open.get(id) ?? (isId(id) ? readDrop(folderOf(id), fileSystem) : null);
    if (!known) throw new ApiError('not_found', { resource: 'drop' });
    if (!open.has(id)) keep(id, known);
    return known;
  };
  const keep = (id: string, drop: DropFolder): void => {
    open.set(id, drop);
    const missing = reservations.missing(root, drop.bytesLeft());
    if (missing > 0) throw noRoom(missing);
    reservations.reserve(`drop ${id}`, root, drop.bytesLeft);
  };
  const ids = (): string[] => (fileSystem.stat(root) ? fileSystem.list(root).filter(isId) : []);
  const idsIn = (paths: readonly string[]): string[] => {
    const found = paths.flatMap((path) => (path.startsWith(root + sep) ? (path.slice(root.length + 1).split(sep)[0] ?? []) : []));
    return [...new Set(found)].filter(isId);
  };

  const noRoom = (missing: number, cause?: unknown): AgentError =>
    new AgentError('drop_no_room', { missing: Math.max(1, missing) }, { cause });

  const deleteDrop = async (id: string): Promise<void> => {
    open.delete(id);
    reservations.release(`drop ${id}`);
    try {
      await fileSystem.removeTree(folderOf(id));
    } catch (error) {
      // Windows keeps files that are open; the next sweep tries again.
      log.warn({ drop: id, error: String(error) }, 'what a browser had sent could not be deleted yet');
    }
  };

  const sweep = async (): Promise<void> => {
    for (const id of ids()) {
      if (closed) return;
      if (isUsed(id)) continue;
      const drop = open.get(id) ?? readDrop(folderOf(id), fileSystem);
      const isFresh = drop && !drop.isTaken() && (drop.isReceiving() || clock.now() - drop.touchedAt() < unusedMilliseconds);
      if (!isFresh) await deleteDrop(id);
    }
  };
  const sweepIn = (milliseconds: number): void => {
    cancel();
    if (closed) return;
    cancel = clock.after(milliseconds, () => {
      sweeping = sweeping.then(sweep).catch((error: unknown) => log.warn({ error: String(error) }, 'drops could not be looked through'));
      if (ids().length > 0) sweepIn(sweepEveryMilliseconds);
    });
  };
  if (ids().length > 0) sweepIn(sweepSoonMilliseconds);

  return {
    folder: root,
    async create({ bytes, folders = [] }) {
      for (const path of folders) checkPath(path);
      const id = randomUUID();
      try {
        makeDirs(root, 0o700, fileSystem);
        const missing = reservations.missing(root, bytes + freeForState);
        if (missing > 0) throw noRoom(missing);
        const drop = await writeDrop(folderOf(id), bytes, clock.now(), fileSystem);
        keep(id, drop);
        if (ids().length === 1) sweepIn(sweepEveryMilliseconds);
        for (const path of folders) drop.makeFolder(path);
        return { id, path: drop.files, bytes };
      } catch (cause) {
        await deleteDrop(id);
        throw isFull(cause) ? noRoom(bytes, cause) : cause;
      }
    },
    state(id, path) {
      checkPath(path);
      return find(id).state(path);
    },
    async put(id, slice, bytes) {
      checkPath(slice.path);
      const drop = find(id);
      try {
        return await drop.put(slice, bytes, clock.now);
      } catch (cause) {
        throw isFull(cause) ? noRoom(slice.size - slice.offset, cause) : cause;
      }
    },
    async remove(id) {
      find(id);
      if (isUsed(id)) throw new AgentError('transfer_conflict', { detail: 'An upload is sending this.' });
      await deleteDrop(id);
    },
    realPathOf(path) {
      const [id] = idsIn([path]);
      if (id === undefined || path.split(/[\\/]/).includes('..')) return null;
      const files = join(folderOf(id), 'files') + sep;
      try {
        const real = fileSystem.realPath(path);
        return path.startsWith(files) && real.startsWith(files) ? real : null;
      } catch {
        return null;
      }
    },
    take(paths) {
      for (const id of idsIn(paths)) (open.get(id) ?? readDrop(folderOf(id), fileSystem))?.take();
    },
    isGone: (paths) => idsIn(paths).some((id) => fileSystem.stat(folderOf(id)) === null),
    heard(happening) {
      if (isEnd(happening) && ids().length > 0) sweepIn(sweepSoonMilliseconds);
    },
    async close() {
      closed = true;
      cancel();
      await sweeping;
    },
  };
}

const isEnd = (happening: Happening): boolean =>
  happening.type === 'transfer.removed' ||
  (happening.type === 'transfer.changed' && ['complete', 'cancelled'].includes(happening.transfer.state));

/** `name_refused` for a path that would leave the drop, or that no package can hold. */
function checkPath(path: string): void {
  const at = path.lastIndexOf('/');
  const fault = entryFault(path.slice(0, Math.max(0, at)), path.slice(at + 1));
  if (fault) throw new AgentError('name_refused', { path, detail: fault.replace(/^(name|path): /, '') });
}

const isFull = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '');
