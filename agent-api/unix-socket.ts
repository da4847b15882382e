import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { ListenError } from './listen-error.ts';

/** The systems' limit: 108 bytes on Linux, 104 elsewhere, including a zero at the end. */
const longestPath = 103;

/** A socket file that is created in a private folder and then moved to its final path. */
interface SocketFile {
  /** Where to listen: in a folder that only this user may enter. */
  readonly draft: string;
  /** Restricts the socket to its owner and moves it to the final path. It replaces a socket that nobody listens on. */
  settle(): void;
  /** Removes the socket, unless another socket has replaced it. */
  remove(): void;
}

/**
 * Prepares to listen on a Unix socket. Between bind and chmod a socket would be open to others for a moment, so it is
 * bound in a private folder and moved.
 *
 * @throws ListenError where a program listens there already, or the path cannot be one
 */
export async function prepareSocketFile(path: string): Promise<SocketFile> {
  const fail = (cause: NodeJS.ErrnoException): ListenError => new ListenError(`unix:${path}`, cause);
  if (process.platform === 'win32') throw fail(failure('ENOTSUP', 'Windows has no Unix sockets for it'));
  await refuseOccupied(path).catch((error) => {
    throw fail(error);
  });
  let folder: string;
  try {
    folder = mkdtempSync(join(dirname(path), '.ls-'));
  } catch (error) {
    throw fail(error as NodeJS.ErrnoException);
  }
  const draft = join(folder, 's');
  let settled = 0;
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  if (Math.max(Buffer.byteLength(draft), Buffer.byteLength(path)) > longestPath) {
    clear();
    throw fail(failure('ENAMETOOLONG', `the path is longer than ${longestPath} bytes, which no socket can have`));
  }
  return {
    draft,
    settle() {
      try {
        chmodSync(draft, 0o600);
        renameSync(draft, path);
        settled = statSync(path).ino;
      } catch (error) {
        throw fail(error as NodeJS.ErrnoException);
      } finally {
        clear();
      }
    },
    remove() {
      clear();
      if (settled !== 0 && lstatSync(path, { throwIfNoEntry: false })?.ino === settled) unlinkSync(path);
    },
  };
}

/** The socket file of a killed program may be replaced. A socket with a listener, or any other file, may not. */
async function refuseOccupied(path: string): Promise<void> {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isSocket()) throw failure('EEXIST', `there is a file called ${basename(path)} that is no socket`);
  const answered = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
  });
  if (answered) throw failure('EADDRINUSE', 'a program listens there');
}

const failure = (code: string, message: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });
