import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully } from '#filesystem/fully.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { targetFailure } from '../io/disk-failures.ts';
import type { Pieces } from './read-receipt.ts';

/** Store of the receipts of the agent's transfers, compressed: one file each, created when the receipt is accepted. */
export interface ReceiptStore {
  /** Begins a new draft of a receipt. It can be read, but is not trusted yet. */
  draft(id: string): Draft;
  has(id: string): boolean;
  open(id: string): Pieces;
  forget(id: string): void;
  /** Removes receipts of transfers that no longer exist. */
  keepOnly(isKnown: (id: string) => boolean): void;
}

/** Failures of the disk are `TransferError`s. */
export interface Draft {
  take(piece: Uint8Array): Promise<void>;
  /** Ends the draft once everything is on the disk. */
  end(): Promise<void>;
  read(): Pieces;
  accept(): void;
  /** Deletes the draft. */
  discard(): Promise<void>;
}

/** Most of a receipt are digests, which no level makes smaller: the quickest takes a third of the CPU of the usual one. */
const level = 1;
const ending = '.receipt.gz';
const draftEnding = '.draft';

export function openReceiptStore(folder: string, fileSystem: FileSystem = nodeFileSystem): ReceiptStore {
  const pathOf = (id: string): string => join(folder, id + ending);
  /** Drafts of this run of the agent: others are remains of a killed run. */
  const drafts = new Set<string>();
  return {
    draft(id) {
      const path = join(folder, id + draftEnding);
      drafts.add(id);
      const zip = createGzip({ level });
      makeDirs(folder, 0o700, fileSystem);
      const written = pipeline(zip, (pieces) => write(fileSystem, path, pieces)).catch((cause: unknown) => {
        throw targetFailure(path, cause);
      });
      // `take` and `end` report the error.
      written.catch(() => undefined);
      const take = (piece: Uint8Array): Promise<void> =>
        new Promise((resolve, reject) => zip.write(piece, (error) => (error ? written.then(resolve, reject) : resolve())));
      return {
        take,
        end() {
          zip.end();
          return written;
        },
        read: () => unzipped(fileSystem, path),
        accept() {
          fileSystem.rename(path, pathOf(id));
          drafts.delete(id);
        },
        async discard() {
          zip.destroy();
          await written.catch(() => undefined);
          fileSystem.removeNow(path);
          drafts.delete(id);
        },
      };
    },
    has: (id) => fileSystem.stat(pathOf(id)) !== null,
    open: (id) => unzipped(fileSystem, pathOf(id)),
    forget: (id) => fileSystem.removeNow(pathOf(id)),
    keepOnly(isKnown) {
      if (!fileSystem.stat(folder)) return;
      for (const name of fileSystem.list(folder)) {
        const isNeeded = name.endsWith(draftEnding)
          ? drafts.has(name.slice(0, -draftEnding.length))
          : name.endsWith(ending) && isKnown(name.slice(0, -ending.length));
        if (!isNeeded) fileSystem.removeNow(join(folder, name));
      }
    },
  };
}

/** Resolves when everything is on the disk. */
async function write(fileSystem: FileSystem, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  // One of a killed run.
  await fileSystem.remove(path);
  const file = await fileSystem.open(path, openFlags.create, 0o600);
  try {
    let written = 0;
    for await (const piece of pieces) {
      await writeFully(file, [piece], written);
      written += piece.length;
    }
    await file.flush();
  } finally {
    await file.close();
  }
}

const pieceBytes = 64 * 1024;

async function* read(fileSystem: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  const file = await fileSystem.open(path, openFlags.read);
  try {
    for (let position = 0; ; ) {
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const count = await file.read(buffer, 0, pieceBytes, position);
      if (count === 0) return;
      position += count;
      yield buffer.subarray(0, count);
    }
  } finally {
    await file.close();
  }
}

function unzipped(fileSystem: FileSystem, path: string): Pieces {
  const unzip = createGunzip({ chunkSize: pieceBytes });
  pipeline(read(fileSystem, path), unzip).catch(() => undefined);
  return unzip;
}
