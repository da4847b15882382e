import * as fs from 'node:fs';
import { lstat, opendir, rm } from 'node:fs/promises';
import { isOnLocalDisk } from './local-disk.ts';
import { NodeFile } from './node-file.ts';
import type { FileSystem } from './port.ts';
import { watchFolder } from './watch.ts';

const absentIsFine = { force: true } as const;
const nullIfAbsent = { throwIfNoEntry: false } as const;

/** The real disks, by Node. */
export const nodeFileSystem: FileSystem = {
  open: (path, flags, mode) =>
    new Promise((resolve, reject) =>
      fs.open(path, flags, mode, (error, descriptor) => (error ? reject(error) : resolve(new NodeFile(descriptor)))),
    ),
  openNow: (path, flags, mode) => new NodeFile(fs.openSync(path, flags, mode)),

  stat: (path) => fs.statSync(path, nullIfAbsent) ?? null,
  lstat: (path) =>
    lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    }),
  lstatNow: (path) => fs.lstatSync(path, nullIfAbsent) ?? null,
  access: (path, mode) => fs.accessSync(path, mode),
  realPath: (path) => fs.realpathSync.native(path),
  readLink: (path) => fs.readlinkSync(path),

  list: (path) => fs.readdirSync(path),
  openDirectory: (path, batch) => opendir(path, { bufferSize: batch }),
  mkdir(path, mode) {
    fs.mkdirSync(path, { mode });
  },

  rename: (from, to) => fs.renameSync(from, to),
  link: (existing, path) => fs.linkSync(existing, path),
  unlink: (path) => fs.unlinkSync(path),
  rmdir: (path) => fs.rmdirSync(path),
  remove: (path) => rm(path, absentIsFine),
  removeNow: (path) => fs.rmSync(path, absentIsFine),
  removeTree: (path) => rm(path, { recursive: true, force: true }),

  space(path) {
    const { type, bsize, blocks, bavail } = fs.statfsSync(path);
    return { type, total: bsize * blocks, free: blocks === 0 ? null : bsize * bavail };
  },
  isLocal: (path) => isOnLocalDisk(path),
  identity(path) {
    // With all digits: Windows numbers files beyond what a double can tell apart.
    const found = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : null;
  },
  watch: (root, options) => watchFolder(root, options),
};
