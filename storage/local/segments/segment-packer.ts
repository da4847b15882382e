import type { FileSystem } from '#filesystem/port.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { partEtag } from '#protocol/storage/requests.ts';
import { mostOfBatch } from '../../batch-address.ts';
import { hexOf } from '../../digests.ts';
import { newSegment, uploadGroupOf } from '../../keys.ts';
import type { SignedPart } from '../../part-address.ts';
import { type PackedPart, segmentBytes } from '../../segments/format.ts';
import type { Layout } from '../layout.ts';
import { tooManyOfBatch } from '../refusal.ts';
import type { ReceivedSegments } from './received-segments.ts';
import { segmentPath, writeSegment } from './segment-file.ts';

/** A part that may be packed, with what its address permits. */
interface PartToPack {
  readonly key: string;
  readonly signed: SignedPart;
  readonly folder: string;
  readonly bytes: Buffer;
}

/** What becomes of a part: it is stored already, it is stored by the segment's `write`, or it has to be stored by itself. */
type Packing = { readonly kind: 'stored'; readonly etag: string } | { readonly kind: 'packed'; readonly etag: string } | null;

interface Segment {
  readonly segment: string;
  readonly parts: PackedPart[];
  readonly indexes: number[];
  readonly pieces: Buffer[];
  bytes: number;
}

export interface SegmentToWrite {
  /** What `add` was given for its parts. */
  readonly indexes: readonly number[];
  /** Rejects with the file system's error; nothing is stored then. */
  write(): Promise<void>;
}

interface PackerPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly received: ReceivedSegments;
}

/**
 * Packs the small parts of a request into segments, one or more for each group of uploads. A part that was sent before
 * is not stored again, and one with other bytes than before goes to a folder of its own, where it can be replaced: so
 * nobody fills the disk with bytes that count no more.
 */
export class SegmentPacker {
  readonly #ports: PackerPorts;
  /** Uploads whose part is being written: the same part of another request goes to a folder. */
  readonly #inFlight = new Set<string>();

  constructor(ports: PackerPorts) {
    this.#ports = ports;
  }

  /** Begins the segments of one request. `end` it whatever happens. */
  request() {
    const open = new Map<string, Segment>();
    const segments: Segment[] = [];

    /** `index` is the part's in the request. Throws the file system's error, or a `Refusal`. */
    const add = (index: number, { key, signed, folder, bytes }: PartToPack): Packing => {
      const { uploadId, partNumber, exact, batched } = signed;
      const group = uploadGroupOf(uploadId);
      if (group === null || partNumber !== 1 || bytes.length > smallFileSize || this.#inFlight.has(uploadId)) return null;
      if (!exact && !batched) return null;
      const { files, received } = this.#ports;
      // What is in a folder came later than what is in a segment, and takes its place.
      if (!batched && files.stat(folder) !== null) return null;
      received.learnOpen(uploadId);
      const hex = hexOf(bytes);
      const before = received.remembered(key, uploadId).filter(({ segment }) => this.#isThere(segment));
      if (before.length > 0) return before.some(({ part }) => part.hex === hex) ? { kind: 'stored', etag: partEtag(hex) } : null;
      if (batched && received.countOf(uploadId) >= mostOfBatch) throw tooManyOfBatch();
      let segment = open.get(group);
      if (!segment || segment.bytes + bytes.length > segmentBytes) {
        segment = { segment: newSegment(group), parts: [], indexes: [], pieces: [], bytes: 0 };
        segments.push(segment);
        open.set(group, segment);
      }
      segment.parts.push({ key, uploadId, offset: segment.bytes, length: bytes.length, hex });
      segment.indexes.push(index);
      addPiece(segment.pieces, bytes);
      segment.bytes += bytes.length;
      this.#inFlight.add(uploadId);
      return { kind: 'packed', etag: partEtag(hex) };
    };

    const toWrite = (): SegmentToWrite[] => segments.map(({ indexes, ...segment }) => ({ indexes, write: () => this.#write(segment) }));

    const end = (): void => {
      for (const { parts } of segments) for (const { uploadId } of parts) this.#inFlight.delete(uploadId);
    };

    return { add, toWrite, end };
  }

  async #write(segment: Pick<Segment, 'segment' | 'parts' | 'pieces'>): Promise<void> {
    const { files, layout, received } = this.#ports;
    const folder = layout.openSegments(segment.segment);
    await writeSegment(files, segment, { folder, path: segmentPath(folder, segment.segment), flush: false });
    received.add(segment.segment, segment.parts);
  }

  /** Another thread deletes segments, and moves them once an object of theirs is completed. */
  #isThere(segment: string): boolean {
    const { files, layout } = this.#ports;
    const isAt = (folder: string): boolean => files.stat(segmentPath(folder, segment)) !== null;
    return isAt(layout.openSegments(segment)) || isAt(layout.storedSegments(segment));
  }
}

/** Parts of a request follow each other in its body, so that most segments are one piece. */
function addPiece(pieces: Buffer[], bytes: Buffer): void {
  const last = pieces.at(-1);
  if (last && last.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
    pieces[pieces.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + bytes.length);
  } else if (bytes.length > 0) pieces.push(bytes);
}
