import { LRUCache } from 'lru-cache';
import { StorageError } from '../errors.ts';
import { groupOfSegment, uploadGroupOf } from '../keys.ts';
import type { PackedPart } from '../segments/format.ts';
import type { StoredSegments } from './stored-segments.ts';

/** A part that was received, and the segment that holds it. */
export interface FoundPart {
  readonly segment: string;
  readonly part: PackedPart;
}

interface KnownSegments {
  readonly segments: Set<string>;
  /** By upload id, in the order in which this process learnt of them. */
  readonly parts: Map<string, FoundPart[]>;
}

/** Limit of remembered parts; each takes some 400 bytes. */
const remembered = 20_000;

/**
 * Finds the parts of packed uploads. The stored segments are the manifest, since another process may have received a
 * part; this remembers what it has seen of them. Only segments of the upload's own group can hold its part, so nobody can
 * make this read the segments of others.
 */
export class ReceivedParts {
  readonly #segments: StoredSegments;
  readonly #groups = new LRUCache<string, KnownSegments>({ maxSize: remembered });

  constructor(segments: StoredSegments) {
    this.#segments = segments;
  }

  /** Notes a group that was just made: it has no segments, so they need not be looked for. */
  begin(group: string): void {
    this.#keep(group, emptyGroup());
  }

  knows(group: string): boolean {
    return this.#groups.has(group);
  }

  add(segment: string, parts: readonly PackedPart[]): void {
    const name = groupOfSegment(segment);
    const group = this.#groups.get(name) ?? emptyGroup();
    group.segments.add(segment);
    for (const part of parts) {
      const others = group.parts.get(part.uploadId);
      if (others) others.push({ segment, part });
      else group.parts.set(part.uploadId, [{ segment, part }]);
    }
    this.#keep(name, group);
  }

  forget(segment: string): void {
    this.#groups.delete(groupOfSegment(segment));
  }

  /** Parts that are remembered of a group. */
  countOf(group: string): number {
    return this.#groups.get(group)?.parts.size ?? 0;
  }

  /** What is remembered of an upload's part: mostly one. */
  of(key: string, uploadId: string): readonly FoundPart[] {
    const found = this.#groups.get(uploadGroupOf(uploadId) ?? '')?.parts.get(uploadId);
    return found ? found.filter(({ part }) => part.key === key) : [];
  }

  /** Reads the segments of a group that are not known yet. */
  async learn(name: string): Promise<void> {
    const found = await this.#segments.ofGroup(name);
    const known = this.#groups.get(name);
    if (!known) this.begin(name);
    for (const segment of found) {
      if (known?.segments.has(segment)) continue;
      try {
        this.add(segment, await this.#segments.index(segment));
      } catch (error) {
        // Freed since it was listed.
        if (!(error instanceof StorageError && error.code === 'no_such_object')) throw error;
      }
    }
  }

  #keep(name: string, group: KnownSegments): void {
    this.#groups.set(name, group, { size: 1 + group.segments.size + group.parts.size });
  }
}

const emptyGroup = (): KnownSegments => ({ segments: new Set(), parts: new Map() });
