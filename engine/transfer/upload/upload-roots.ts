import { posix } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import { type Root, rootsOf } from '../../folders/scan.ts';
import type { UploadRecord } from '../record.ts';

interface UploadRoot extends Root {
  /** Its folder in the package; empty for the root. */
  readonly folder: string;
}

/** The sources of an upload and where they go in its package: their own names, or those that were given. */
export function uploadRoots({ request, added }: Pick<UploadRecord, 'request' | 'added'>, fileSystem: FileSystem): UploadRoot[] {
  const roots = rootsOf([...request.paths, ...added], fileSystem);
  const names = request.intoPackage?.names ?? [];
  return roots.map((root, index) => {
    const name = names[index];
    if (name === undefined) return { ...root, folder: '' };
    const folder = posix.dirname(name);
    return { local: root.local, name: posix.basename(name), folder: folder === '.' ? '' : folder };
  });
}
