import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { isAbsent } from './backup-error.ts';
import type { FileStore } from './ports.ts';

/** Files get their name only once they are whole and flushed; until then they are in here. */
const unfinished = '.unfinished';
const readAtOnce = 1024 * 1024;
const zeros = Buffer.alloc(readAtOnce);

/** A place that is a folder of this machine. It is made with the first file. */
export function folderStore(root: string): FileStore {
  /** Folders with new folders in them, which are flushed at the end. There are few: objects lie in 256 folders. */
  const withNewFolders = new Set<string>();

  async function makeFolder(folder: string): Promise<void> {
    if (await stat(folder).catch(() => null)) return;
    makeDirs(folder, 0o700);
    for (let above = dirname(folder); above.length >= dirname(root).length; above = dirname(above)) {
      withNewFolders.add(above);
      if (above === dirname(above)) break;
    }
  }

  return {
    name: root,
    async list(folder) {
      try {
        const entries = await readdir(join(root, folder), { withFileTypes: true });
        return await Promise.all(
          entries
            .filter(({ name }) => name !== unfinished)
            .map(async (entry) => ({
              name: entry.name,
              size: entry.isDirectory() ? null : (await stat(join(root, folder, entry.name))).size,
            })),
        );
      } catch (error) {
        if (isAbsent(error)) return [];
        throw error;
      }
    },
    async sizeOf(path) {
      try {
        const found = await stat(join(root, path));
        return found.isFile() ? found.size : null;
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    read: (path, size) =>
      size !== undefined && size <= readAtOnce
        ? wholeFile(join(root, path))
        : (createReadStream(join(root, path), { highWaterMark: readAtOnce }) as AsyncIterable<Buffer>),
    async write(path, bytes) {
      const to = join(root, path);
      const temporary = join(root, unfinished, randomUUID());
      await makeFolder(dirname(temporary));
      await makeFolder(dirname(to));
      try {
        const file = await open(temporary, 'wx', 0o600);
        try {
          await writeSparsely(file, bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, to);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw error;
      }
      await flushFolder(dirname(to));
    },
    async settle() {
      for (const folder of withNewFolders) await flushFolder(folder);
      withNewFolders.clear();
    },
    remove: (path) => rm(join(root, path), { recursive: true, force: true }),
    sweep: () => rm(join(root, unfinished), { recursive: true, force: true }),
  };
}

/** A stream costs three times as much as the bytes of a small file. */
async function* wholeFile(path: string): AsyncGenerator<Buffer> {
  yield await readFile(path);
}

/** Leaves out zeros, so that what is sparse stays so. */
async function writeSparsely(file: FileHandle, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  let at = 0;
  let written = 0;
  for await (const piece of bytes) {
    if (piece.length <= zeros.length && zeros.subarray(0, piece.length).equals(piece)) {
      at += piece.length;
      continue;
    }
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await file.write(piece, done, piece.length - done, at + done);
      done += bytesWritten;
    }
    at += piece.length;
    written = at;
  }
  if (written < at) await file.truncate(at);
}

async function flushFolder(folder: string): Promise<void> {
  // Windows flushes no folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r').catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
  if (!handle) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
