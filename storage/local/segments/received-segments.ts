import { LRUCache } from 'lru-cache';
import type { FileSystem } from '#filesystem/port.ts';
import { groupOfSegment, isSegment, uploadGroupOf } from '../../keys.ts';
import type { PackedPart } from '../../segments/format.ts';
import { isAbsent } from '../disk-errors.ts';
import type { Layout } from '../layout.ts';
import { partsOfSegment, segmentPath } from './segment-file.ts';

/** A part that was received, and the segment that holds it. */
export interface FoundPart {
  readonly segment: string;
  readonly part: PackedPart;
}

interface KnownSegments {
  readonly segments: Set<string>;
  /** By upload id. */
  readonly parts: Map<string, readonly FoundPart[]>;
}

/** Limit of remembered parts; each takes some 400 bytes. */
const remembered = 20_000;

/**
 * Finds the parts of packed uploads. The segments on the disk are the manifest, since another process may have received
 * a part; this remembers what was read of them. Only segments of the upload's own group can hold its part, so nobody can
 * make this read the segments of others.
 */
export class ReceivedSegments {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #groups = new LRUCache<string, KnownSegments>({ maxSize: remembered });

  constructor(files: FileSystem, layout: Layout) {
    this.#files = files;
    this.#layout = layout;
  }

  /** Notes a segment that this process has written. */
  add(segment: string, parts: readonly PackedPart[]): void {
    const name = groupOfSegment(segment);
    const group = this.#groups.get(name) ?? emptyGroup();
    addTo(group, segment, parts);
    this.#keep(name, group);
  }

  forget(segment: string): void {
    this.#groups.delete(groupOfSegment(segment));
  }

  /** What is remembered of an upload's part: mostly one. */
  remembered(key: string, uploadId: string): readonly FoundPart[] {
    const found = this.#groups.get(uploadGroupOf(uploadId) ?? '')?.parts.get(uploadId);
    if (!found) return [];
    return found.every(({ part }) => part.key === key) ? found : found.filter(({ part }) => part.key === key);
  }

  /** Parts that are remembered of an upload's group. */
  countOf(uploadId: string): number {
    return this.#groups.get(uploadGroupOf(uploadId) ?? '')?.parts.size ?? 0;
  }

  /**
   * Reads the open segments of an upload's group, unless they are known, for the one thread that receives parts: it
   * knows of every further one. Throws the file system's error.
   */
  learnOpen(uploadId: string): void {
    const group = uploadGroupOf(uploadId);
    if (group === null || this.#groups.has(group)) return;
    const folder = this.#layout.openSegments(group);
    this.#read(group, folder, this.#files.list(folder));
  }

  /** Reads segments of these groups that are not known yet: open ones, or those with completed objects. Throws the file system's error. */
  learn(groups: Iterable<string>, which: 'open' | 'stored'): void {
    // Groups share folders: whoever names a thousand has each listed once.
    const listed = new Map<string, readonly string[]>();
    for (const group of groups) {
      const folder = which === 'open' ? this.#layout.openSegments(group) : this.#layout.storedSegments(group);
      const names = listed.get(folder) ?? this.#files.list(folder);
      listed.set(folder, names);
      this.#read(group, folder, names);
    }
  }

  #read(name: string, folder: string, names: readonly string[]): void {
    const group = this.#groups.get(name) ?? emptyGroup();
    for (const segment of names) {
      if (!segment.startsWith(name) || !isSegment(segment) || group.segments.has(segment)) continue;
      try {
        // One that is not whole holds nothing: the power went before it was flushed.
        addTo(group, segment, partsOfSegment(this.#files, segmentPath(folder, segment), segment) ?? []);
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    }
    this.#keep(name, group);
  }

  #keep(name: string, group: KnownSegments): void {
    this.#groups.set(name, group, { size: 1 + group.segments.size + group.parts.size });
  }
}

const emptyGroup = (): KnownSegments => ({ segments: new Set(), parts: new Map() });

function addTo(group: KnownSegments, segment: string, parts: readonly PackedPart[]): void {
  group.segments.add(segment);
  for (const part of parts) {
    const before = group.parts.get(part.uploadId);
    group.parts.set(part.uploadId, before ? [...before, { segment, part }] : [{ segment, part }]);
  }
}
