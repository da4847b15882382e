import { constants } from 'node:fs';

// Windows lacks some of these, and needs none of them.
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * How files are opened. `O_NONBLOCK` means nothing to a file, and keeps a pipe that has come in its place from holding
 * up the thread for ever. `O_NOFOLLOW` keeps a link that was planted at one of our names from redirecting the bytes.
 */
export const openFlags = {
  read: O_RDONLY | O_NONBLOCK,
  /** A file of a name that we gave. */
  readOwn: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  readWriteOwn: O_RDWR | O_NOFOLLOW,
  readWriteOwnOrCreate: O_RDWR | O_CREAT | O_NOFOLLOW,
  writeOwnOrCreate: O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  /** `EEXIST` where something is, be it a link that leads nowhere. */
  create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
  directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
  /** For `flush` alone: Windows flushes only files that are open for writing. */
  flush: process.platform === 'win32' ? O_RDWR : O_RDONLY,
} as const;

/** What `access` asks for. */
export const accessModes = { exist: constants.F_OK, read: constants.R_OK, write: constants.W_OK, enter: constants.X_OK } as const;
