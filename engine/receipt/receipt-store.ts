import { createReadStream, createWriteStream, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { makeDirs } from '#filesystem/make-dirs.ts';
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

const ending = '.receipt.gz';
const draftEnding = '.draft';

export function openReceiptStore(folder: string): ReceiptStore {
  const pathOf = (id: string): string => join(folder, id + ending);
  /** Drafts of this run of the agent: others are remains of a killed run. */
  const drafts = new Set<string>();
  return {
    draft(id) {
      const path = join(folder, id + draftEnding);
      drafts.add(id);
      const zip = createGzip();
      makeDirs(folder, 0o700);
      const written = pipeline(zip, createWriteStream(path, { mode: 0o600, flush: true })).catch((cause: unknown) => {
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
        read: () => unzipped(path),
        accept() {
          renameSync(path, pathOf(id));
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
    has: (id) => existsSync(pathOf(id)),
    open: (id) => unzipped(pathOf(id)),
    forget: (id) => rmSync(pathOf(id), { force: true }),
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
