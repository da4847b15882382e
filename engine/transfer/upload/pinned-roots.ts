import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { awayMount, findRoot, type RootFound, type RootIdentity } from '../../folders/root-identity.ts';
import type { JobPorts } from '../job.ts';

/**
 * The paths of an upload, compared with what they led to when somebody asked to send them: a drive that goes leaves its
 * mount point, an empty folder that can be scanned as well, and another drive may come in its place
 * (docs/decisions/0048). Uploads of older agents have nothing to compare with: theirs count as the same.
 */
export interface PinnedRoots {
  /** What is at the path of this number, which leads to `local` now. */
  find(number: number, local: string): RootFound;
  /** `source_gone` if another file or folder is there. */
  check(number: number, local: string): void;
  /** The same for the path that a file of the upload belongs to. */
  checkOf(file: string): void;
  /** That path; `null` for an upload of an older agent. */
  pathOf(file: string): string | null;
}

export function createPinnedRoots({ store, fileSystem }: Pick<JobPorts, 'store' | 'fileSystem'>, id: string): PinnedRoots {
  const throwIfOther = (root: RootIdentity): void => {
    if (findRoot(root, fileSystem) !== 'other') return;
    throw new TransferError(
      'source_gone',
      `Another ${root.kind === 'file' ? 'file' : 'folder'} is at ${awayMount(root, fileSystem)?.path ?? root.path} now than when it was added. Connect its drive again, or cancel this upload and send what is there now.`,
    );
  };
  /** `null` also for a symbolic link that was changed and leads elsewhere: that was meant. */
  const rootAt = (number: number, local: string): RootIdentity | null => {
    const root = store.uploadRoots.byNumber(id, number);
    return root?.path === local ? root : null;
  };
  const rootOf = (file: string): RootIdentity | null => {
    for (let path = file; ; path = dirname(path)) {
      const root = store.uploadRoots.byPath(id, path);
      if (root || path === dirname(path)) return root ?? null;
    }
  };
  return {
    find(number, local) {
      const root = rootAt(number, local);
      return root ? findRoot(root, fileSystem) : 'same';
    },
    check(number, local) {
      const root = rootAt(number, local);
      if (root) throwIfOther(root);
    },
    checkOf(file) {
      const root = rootOf(file);
      if (root) throwIfOther(root);
    },
    pathOf: (file) => rootOf(file)?.path ?? null,
  };
}
