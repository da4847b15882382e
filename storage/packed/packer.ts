import pLimit from 'p-limit';
import { smallFileSize } from '#protocol/limits.ts';
import type { BatchPutAnswer } from '#protocol/storage/batch-put.ts';
import { partEtag } from '#protocol/storage/requests.ts';
import { mostOfBatch } from '../batch-address.ts';
import { hexOf } from '../digests.ts';
import { isPackedUploadId, newSegment, uploadGroupOf } from '../keys.ts';
import { inBatch, Refusal, refusalOf, sentBefore, tooManyOfBatch } from '../local/refusal.ts';
import type { SignedPart } from '../part-address.ts';
import { type PackedPart, segmentBytes } from '../segments/format.ts';
import type { ReceivedParts } from './received-parts.ts';
import type { StoredSegments } from './stored-segments.ts';

/** A part with what its address permits. */
export interface PartToPack {
  readonly key: string;
  readonly signed: SignedPart;
  readonly bytes: Buffer;
}

/** A part as it was received, or why it was not. */
export type Received = PartToPack | Refusal;

interface Segment {
  readonly segment: string;
  readonly parts: PackedPart[];
  readonly indexes: number[];
  readonly pieces: Buffer[];
  bytes: number;
}

/** Segments of one request that are stored at the same time. */
const storedAtOnce = 4;

/** Times that a part may be sent with other bytes than before: none of them is freed before its address expires. */
const mostVersions = 8;

interface PackerPorts {
  readonly segments: StoredSegments;
  readonly received: ReceivedParts;
  /** Called with failures that are not the caller's fault. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * Packs the small parts of a request into segments, one or more for each group of uploads, and stores each by one call.
 * The answers are in the order of the parts. A part that was sent before is not stored again.
 */
export function createPacker({ segments, received, onTrouble }: PackerPorts): (parts: readonly Received[]) => Promise<BatchPutAnswer[]> {
  function refused(error: unknown): BatchPutAnswer {
    if (!(error instanceof Refusal)) onTrouble(error as Error);
    return inBatch(refusalOf(error as Error));
  }

  async function isStored(
    { key, signed: { uploadId, batched } }: PartToPack,
    hex: string,
    exists: (segment: string) => Promise<boolean>,
  ): Promise<boolean> {
    const before = received.of(key, uploadId);
    if (batched) {
      for (const { segment, part } of before) {
        if (!(await exists(segment))) continue;
        if (part.hex !== hex) throw sentBefore();
        return true;
      }
      return false;
    }
    // Only the latest counts where it is asked which bytes an upload has.
    const latest = before.at(-1);
    if (latest?.part.hex === hex && (await exists(latest.segment))) return true;
    if (before.length >= mostVersions)
      throw new Refusal(409, 'OperationAborted', 'This part was sent too often, with other bytes each time.');
    return false;
  }

  return async (parts) => {
    const answers: BatchPutAnswer[] = [];
    const open = new Map<string, Segment>();
    const toStore: Segment[] = [];
    /** Of batches: each is stored once. */
    const taken = new Set<string>();
    /** Asked once for all parts that came together before. */
    const there = new Map<string, Promise<boolean>>();
    const exists = (segment: string): Promise<boolean> => {
      const known = there.get(segment) ?? segments.exists(segment);
      there.set(segment, known);
      return known;
    };
    for (const [index, one] of parts.entries()) {
      try {
        if (one instanceof Refusal) throw one;
        const { key, signed, bytes } = one;
        const { uploadId, partNumber, exact, batched = false } = signed;
        if (!isPackedUploadId(uploadId) || partNumber !== 1 || !(exact || batched) || bytes.length > smallFileSize) throw notPacked();
        if (batched && taken.has(uploadId)) throw sentBefore();
        const group = uploadGroupOf(uploadId)!;
        if (!received.knows(group)) await received.learn(group);
        const hex = hexOf(bytes);
        answers[index] = { etag: partEtag(hex) };
        if (await isStored(one, hex, exists)) continue;
        if (batched && received.countOf(group) >= mostOfBatch) throw tooManyOfBatch();
        if (batched) taken.add(uploadId);
        let segment = open.get(group);
        if (!segment || segment.bytes + bytes.length > segmentBytes) {
          segment = { segment: newSegment(group), parts: [], indexes: [], pieces: [], bytes: 0 };
          toStore.push(segment);
          open.set(group, segment);
        }
        segment.parts.push({ key, uploadId, offset: segment.bytes, length: bytes.length, hex });
        segment.indexes.push(index);
        segment.pieces.push(bytes);
        segment.bytes += bytes.length;
      } catch (error) {
        answers[index] = refused(error);
      }
    }
    await pLimit(storedAtOnce).map(toStore, async ({ segment, parts: packed, pieces, indexes }) => {
      try {
        await segments.write(segment, packed, pieces);
        received.add(segment, packed);
      } catch (error) {
        const answer = refused(error);
        for (const index of indexes) answers[index] = answer;
      }
    });
    return answers;
  };
}

const notPacked = (): Refusal => new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of a small part.');
