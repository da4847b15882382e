import { fstatSync, lstatSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MoveError } from '#client/errors.ts';
import { ApiError } from '#protocol/errors.ts';
import { stampOf } from '../io/file-stamp.ts';
import type { FileRecord, TransferRecord } from './record.ts';

/**
 * Holds a transfer to the allowed folders while it runs (docs/decisions/0027). Its paths were inside when it was asked
 * for; since then somebody may have put a symbolic link in the place of a folder on the way.
 */

/** Where a path really leads now; throws `path_outside` where that is not inside the allowed folders. */
export type Admit = (path: string) => string;

/** What holds this transfer; `null` for one of a person at this machine, who is not held. */
export function heldBy({ admit }: { readonly admit: Admit }, { facts }: TransferRecord): Admit | null {
  return facts.fenced ? admit : null;
}

/**
 * Checks that a file of an upload is inside now, and the one that was looked at. Whoever reads it compares the inode
 * again, so that nothing else is read, whatever becomes of its path after this.
 */
export function checkSource(admit: Admit, { local, inode }: Pick<FileRecord, 'local' | 'inode'>): void {
  const found = statSync(admit(local), { throwIfNoEntry: false });
  // What is gone, or unreadable, is told by reading it.
  if (!found || isInode(found, inode)) return;
  throw new MoveError('file_changed', `${local} is another file than when it was added. Wait until nothing changes it, then try again.`);
}

/** Checks that a file that was opened to be written is the one at its path, and that this is inside. Nothing is written to it before. */
export function checkTarget(admit: Admit, path: string): (descriptor: number) => void {
  return (descriptor) => {
    const there = lstatSync(join(admit(dirname(path)), basename(path)), { throwIfNoEntry: false });
    const opened = fstatSync(descriptor);
    if (there && there.ino === opened.ino && there.dev === opened.dev) return;
    throw new ApiError('name_unsafe', { path: basename(path), detail: `its folder ${dirname(path)} was exchanged for another.` });
  };
}

const isInode = (found: Stats, inode: string): boolean => stampOf(found).inode.split(':').at(-1) === inode.split(':').at(-1);
