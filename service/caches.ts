import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import type { SeenFiles } from './handovers/looks.ts';
import { createStorageTotals, type StorageTotals } from './overview/storage-totals.ts';
import { createLargeLists, type LargeLists } from './packages/large-lists.ts';

/** The facts of a package that never change after its creation. */
export interface PackageFacts {
  /** Bytes; 0: the default. */
  readonly chunkSize: number;
  /** The Portal it was received through; null for none. That Portal may be deleted meanwhile. */
  readonly portalId: string | null;
}

/** A cached copy of a Portal's restrictions (portals/rules.ts); null: no restrictions. */
interface PortalRules {
  readonly restrictions: PortalRestrictions | null;
  /** When it was read, in milliseconds since 1970. */
  readonly at: number;
}

/** The facts of a file in upload that never change: a file that replaces it has another id. */
export interface UploadFacts {
  readonly packageId: string;
  /** Bytes; null while the sender does not know. */
  readonly size: number | null;
  /** Bytes. */
  readonly chunkSize: number;
  /** When it was read, in milliseconds since 1970: since then another process may have deleted or finalized the file. */
  readonly at: number;
}

/**
 * The caches of this process, bounded, so that the calls of an upload need no repeated reads. Except `portalRules`,
 * `openFiles`, `largeLists` and `storageTotals`, they contain only facts that cannot become stale. If a file is deleted, the write that finishes
 * its upload detects it.
 */
/** Of one download; with `more`, `fileIds` is empty, as nothing is added to them. */
interface RecordedDownload {
  readonly fileIds: ReadonlySet<string>;
  readonly more: boolean;
  readonly whole: boolean;
}

/** Characters of the longest receipt that is kept; of all together twice as many. One of 20,000 files has about as many. */
export const keptReceiptLength = 4 * 1024 * 1024;

export interface Caches {
  readonly packages: Cache<PackageFacts>;
  readonly uploads: Cache<UploadFacts>;
  /** Read tokens that have already started a download, by token id: they may start more. */
  readonly downloaders: Cache<true>;
  /** What is recorded of downloads (links/downloads.ts), by the id of their read token. */
  readonly recordedDownloads: Cache<RecordedDownload>;
  /** The lines after the first of receipts that were signed here, by their signature (receipts/sign.ts). */
  readonly receiptLines: Cache<readonly string[]>;
  /** Of packages that an app has taken over from a page, what was last seen of their open files. May be some seconds old. */
  readonly openFiles: Cache<SeenFiles>;
  readonly largeLists: LargeLists;
  readonly storageTotals: StorageTotals;
  /** PortalRestrictions by Portal id. May be a few seconds old. */
  readonly portalRules: Cache<PortalRules>;
}

interface Cache<T> {
  get(id: string): T | undefined;
  set(id: string, fact: T): unknown;
  delete(id: string): unknown;
}

export function createCaches(): Caches {
  return {
    packages: new LRUCache<string, PackageFacts>(maxEntries(5_000)),
    uploads: new LRUCache<string, UploadFacts>(maxEntries(50_000)),
    downloaders: new LRUCache<string, true>(maxEntries(10_000)),
    recordedDownloads: new LRUCache<string, RecordedDownload>(maxEntries(10_000)),
    receiptLines: new LRUCache<string, readonly string[]>({
      maxSize: 2 * keptReceiptLength,
      sizeCalculation: (pages) => pages.reduce((sum, { length }) => sum + length, 1),
    }),
    openFiles: new LRUCache<string, SeenFiles>({ maxSize: 50_000, sizeCalculation: ({ size }) => size + 1 }),
    largeLists: createLargeLists(),
    storageTotals: createStorageTotals(),
    portalRules: new LRUCache<string, PortalRules>({ max: 1_000 }),
  };
}
