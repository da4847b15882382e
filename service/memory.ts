import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import { createLargeLists, type LargeLists } from './packages/large-lists.ts';
import type { Restrictions } from './portals/rules.ts';

/** Of a package, what never changes after its creation. */
export interface PackageFacts {
  /** Bytes; 0: the default. */
  readonly chunkSize: number;
  /** The Portal it came in through; null for none. That Portal may be deleted meanwhile. */
  readonly portalId: string | null;
}

/** What a Portal takes (portals/rules.ts); null: everything. */
export interface PortalRules {
  readonly restrictions: Restrictions | null;
  /** When it was read, in milliseconds since 1970. */
  readonly at: number;
}

/** What a Portal package holds, added up. May be too much, never kept for long. */
export interface PortalSums {
  readonly files: number;
  readonly bytes: number;
  /** When it was read, in milliseconds since 1970. */
  readonly at: number;
}

/** Of a file being uploaded, what never changes while it is: a file that replaces it has another id. */
export interface UploadFacts {
  readonly packageId: string;
  /** Bytes; null while the sender does not know. */
  readonly size: number | null;
  /** Bytes. */
  readonly chunkSize: number;
}

/**
 * What this process remembers, bounded, so that the calls of an upload need not read what they know.
 * Only facts that cannot become false stand here, but for `portalSums`, `portalRules` and `largeLists`; that a file is gone is noticed by the write
 * that ends its upload.
 */
export interface Memory {
  readonly packages: Remembered<PackageFacts>;
  readonly uploads: Remembered<UploadFacts>;
  /** Read tokens that have started a download, by token id: they may start more. */
  readonly downloaders: Remembered<true>;
  readonly largeLists: LargeLists;
  /** By package id. */
  readonly portalSums: Remembered<PortalSums>;
  /** What Portals take, by Portal id. May be a few seconds old. */
  readonly portalRules: Remembered<PortalRules>;
}

export interface Remembered<T> {
  get(id: string): T | undefined;
  set(id: string, fact: T): unknown;
  delete(id: string): unknown;
}

export function createMemory(): Memory {
  return {
    packages: new LRUCache<string, PackageFacts>(atMost(5_000)),
    uploads: new LRUCache<string, UploadFacts>(atMost(50_000)),
    downloaders: new LRUCache<string, true>(atMost(10_000)),
    largeLists: createLargeLists(),
    portalSums: new LRUCache<string, PortalSums>({ max: 1_000 }),
    portalRules: new LRUCache<string, PortalRules>({ max: 1_000 }),
  };
}
