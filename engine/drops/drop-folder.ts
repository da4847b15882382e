import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { readFullyNow, writeFully } from '#filesystem/fully.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { DroppedFileState, DroppedSlice } from '#protocol/agent/drops.ts';
import { AgentError } from '#protocol/errors.ts';
import { createSafeRoot } from '../folders/safe-root.ts';

/**
 * The folder of one drop: `files` holds what is whole, `parts` what is on its way, `drop.json` how much was promised, and
 * `taken` is there once an upload was made of it.
 */
export interface DropFolder {
  /** The folder with what is whole. */
  readonly files: string;
  makeFolder(path: string): void;
  state(path: string): DroppedFileState;
  put(slice: DroppedSlice, bytes: AsyncIterable<Uint8Array>, now: () => number): Promise<DroppedFileState>;
  /** Of the promised bytes, those that have not come. */
  bytesLeft(): number;
  isReceiving(): boolean;
  /** When it was begun or last received something, in milliseconds since 1970. */
  touchedAt(): number;
  take(): void;
  isTaken(): boolean;
}

interface Manifest {
  readonly bytes: number;
  readonly at: number;
}

/** Makes the folder; the system's errors where it cannot be. */
export async function writeDrop(folder: string, bytes: number, at: number, fileSystem: FileSystem): Promise<DropFolder> {
  for (const path of [folder, join(folder, 'files'), join(folder, 'parts')]) fileSystem.mkdir(path, 0o700);
  const manifest: Manifest = { bytes, at };
  await writeNew(join(folder, 'drop.json'), JSON.stringify(manifest), fileSystem);
  return opened(folder, manifest, 0, fileSystem);
}

/** One of an earlier run; `null` where it is none, or was never whole. */
export function readDrop(folder: string, fileSystem: FileSystem): DropFolder | null {
  try {
    const file = fileSystem.openNow(join(folder, 'drop.json'), openFlags.readOwn);
    try {
      const buffer = Buffer.alloc(256);
      const text = buffer.toString('utf8', 0, readFullyNow(file, buffer, buffer.length, 0));
      const { bytes, at } = JSON.parse(text) as Manifest;
      return opened(
        folder,
        { bytes, at },
        sizeOf(join(folder, 'files'), fileSystem) + sizeOf(join(folder, 'parts'), fileSystem),
        fileSystem,
      );
    } finally {
      file.closeNow();
    }
  } catch {
    return null;
  }
}

function opened(folder: string, { bytes, at }: Manifest, there: number, fileSystem: FileSystem): DropFolder {
  const files = join(folder, 'files');
  const safe = createSafeRoot(fileSystem.realPath(files), null, fileSystem);
  const taken = join(folder, 'taken');
  const receiving = new Set<string>();
  let received = there;
  let touched = at;
  const partOf = (path: string): string => join(folder, 'parts', createHash('sha256').update(path).digest('hex'));
  const state = (path: string): DroppedFileState => {
    const whole = fileSystem.lstatNow(safe.pathOf(path));
    if (whole) return { bytes: whole.size, whole: true };
    return { bytes: fileSystem.lstatNow(partOf(path))?.size ?? 0, whole: false };
  };
  return {
    files,
    makeFolder: (path) => void safe.folder(path),
    state,
    async put({ path, size, offset, last_modified: modified }, pieces, now) {
      const before = state(path);
      // It was whole before the answer was lost.
      if (before.whole && before.bytes === size && offset === size) return before;
      if (receiving.has(path)) throw conflict(`Another request is sending ${path}.`);
      if (before.whole) throw conflict(`${path} is here already.`);
      if (before.bytes !== offset) throw conflict(`Of ${path} ${before.bytes} bytes are here: go on there.`);
      receiving.add(path);
      const part = partOf(path);
      try {
        const file = await fileSystem.open(part, openFlags.writeOwnOrCreate, 0o600);
        let end = offset;
        try {
          for await (const piece of pieces) {
            if (end + piece.length > size) throw conflict(`More bytes of ${path} came than it has.`);
            if (received + piece.length > bytes) throw conflict('More bytes came than room was kept for.');
            await writeFully(file, [piece], end);
            end += piece.length;
            received += piece.length;
            touched = now();
          }
          if (end === size && modified !== undefined) await file.setTimes(String(Date.parse(modified) / 1_000));
        } finally {
          await file.close();
        }
        if (end < size) return { bytes: end, whole: false };
        safe.folder(path.split('/').slice(0, -1).join('/'));
        fileSystem.rename(part, safe.pathOf(path));
        return { bytes: end, whole: true };
      } finally {
        receiving.delete(path);
      }
    },
    bytesLeft: () => Math.max(0, bytes - received),
    isReceiving: () => receiving.size > 0,
    touchedAt: () => touched,
    take() {
      fileSystem.openNow(taken, openFlags.writeOwnOrCreate, 0o600).closeNow();
    },
    isTaken: () => fileSystem.lstatNow(taken) !== null,
  };
}

const conflict = (detail: string): AgentError => new AgentError('transfer_conflict', { detail });

async function writeNew(path: string, text: string, fileSystem: FileSystem): Promise<void> {
  makeDirs(dirname(path), 0o700, fileSystem);
  const file = await fileSystem.open(path, openFlags.create, 0o600);
  try {
    await writeFully(file, [Buffer.from(text)], 0);
  } finally {
    await file.close();
  }
}

/** Bytes of all files below a folder. */
function sizeOf(folder: string, fileSystem: FileSystem): number {
  return fileSystem.list(folder).reduce((sum, name) => {
    const found = fileSystem.lstatNow(join(folder, name));
    return sum + (found?.isDirectory() ? sizeOf(join(folder, name), fileSystem) : (found?.size ?? 0));
  }, 0);
}
