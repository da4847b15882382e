import { type PathLike, readlinkSync } from 'node:fs';

/** Which folder a path that is opened stands for: the scanner opens one by its descriptor, so that no link takes its place. */
export const openedFolder = (path: PathLike): PathLike =>
  typeof path === 'string' && path.startsWith('/proc/self/fd/') ? readlinkSync(path) : path;
