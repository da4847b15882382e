import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { targetFailure } from '../io/disk-failures.ts';
import type { Pieces } from './read.ts';

/** Where the agent keeps the receipts of its transfers, compressed: a file for each, which is there when it is accepted. */
export interface Shelf {
  /** Begins a receipt anew. It can be read, and is not to be relied on. */
  draft(id: string): Draft;
  has(id: string): boolean;
  open(id: string): Pieces;
  forget(id: string): void;
  /** Removes what belongs to no transfer any more. */
  keepOnly(isKnown: (id: string) => boolean): void;
}

/** Failures of the disk are `MoveError`s. */
export interface Draft {
  take(piece: Uint8Array): Promise<void>;
  /** All was taken: it is on the disk. */
  end(): Promise<void>;
  read(): Pieces;
  accept(): void;
  /** Nothing of it stays. */
  discard(): Promise<void>;
}

const ending = '.receipt.gz';
const draftEnding = '.draft';

export function openShelf(folder: string): Shelf {
  const place = (id: string): string => join(folder, id + ending);
  /** Of this run of the agent: others are what a run that was killed has left. */
  const drafts = new Set<string>();
  return {
    draft(id) {
      const path = join(folder, id + draftEnding);
      drafts.add(id);
      const zip = createGzip();
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const written = pipeline(zip, createWriteStream(path, { mode: 0o600, flush: true })).catch((cause: unknown) => {
        throw targetFailure(path, cause);
      });
      // Whoever takes or ends hears of it.
      written.catch(() => undefined);
      const take = (piece: Uint8Array): Promise<void> =>
        new Promise((resolve, reject) => zip.write(piece, (error) => (error ? written.then(resolve, reject) : resolve())));
      return {
        take,
        end() {
          zip.end();
          return written;
        },
        read: () => unzipped(path),
        accept() {
          renameSync(path, place(id));
          drafts.delete(id);
        },
        async discard() {
          zip.destroy();
          await written.catch(() => undefined);
          rmSync(path, { force: true });
          drafts.delete(id);
        },
      };
    },
    has: (id) => existsSync(place(id)),
    open: (id) => unzipped(place(id)),
    forget: (id) => rmSync(place(id), { force: true }),
    keepOnly(isKnown) {
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder)) {
        const isKept = name.endsWith(draftEnding)
          ? drafts.has(name.slice(0, -draftEnding.length))
          : name.endsWith(ending) && isKnown(name.slice(0, -ending.length));
        if (!isKept) rmSync(join(folder, name), { force: true });
      }
    },
  };
}

function unzipped(path: string): Pieces {
  const unzip = createGunzip();
  pipeline(createReadStream(path), unzip).catch(() => undefined);
  return unzip;
}
