import { type BatchVerifier, isOfBatch } from '../batch-address.ts';
import { type SignedPart, verifyPartQuery } from '../part-address.ts';
import { isOfPartRange, verifyPartRangeQuery } from '../part-range-address.ts';
import type { SigningSecret } from '../signature.ts';
import type { Layout } from './layout.ts';
import { notAllowed, Refusal } from './refusal.ts';

/** A part whose address is valid, and the folder of its upload; empty where it can only be packed. */
export interface AuthorizedPart {
  readonly key: string;
  readonly signed: SignedPart;
  readonly folder: string;
  /** Bytes, as the sender states them; the address permits them. */
  readonly length: number;
}

/** Throws a `Refusal` unless the query of a part's address is valid. `now` is in milliseconds. */
export function checkPartQuery(secret: SigningSecret, key: string, query: string, now: number): SignedPart {
  const verify = isOfPartRange(query) ? verifyPartRangeQuery : verifyPartQuery;
  const verdict = verify(secret, key, query, now);
  if (verdict.kind !== 'valid') throw notAllowed(verdict.kind);
  return verdict.part;
}

/** The same where parts of a batch are taken too. */
export function checkBatchedQuery(secret: SigningSecret, verifyBatch: BatchVerifier, key: string, query: string, now: number): SignedPart {
  if (!isOfBatch(query)) return checkPartQuery(secret, key, query, now);
  const verdict = verifyBatch(key, query, now);
  if (verdict.kind !== 'valid') throw notAllowed(verdict.kind);
  return verdict.part;
}

/** Verifies that a signed part may have the stated length. Throws a `Refusal`. */
export function authorizedPart(layout: Layout, key: string, signed: SignedPart, stated: string | undefined): AuthorizedPart {
  const length = checkedLength(stated, signed);
  // What comes by the address of a batch has no folder.
  return { key, signed, folder: signed.batched ? '' : layout.upload(key, signed.uploadId), length };
}

/** Bytes of a part, as its sender states them, if its address permits them. Throws a `Refusal`. */
export function checkedLength(stated: string | undefined, { size, exact }: SignedPart): number {
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the part with a Content-Length.');
  const length = Number(stated);
  if (length > size) {
    throw new Refusal(413, 'EntityTooLarge', `The part has ${length} bytes where ${exact ? '' : 'at most '}${size} were agreed.`);
  }
  if (exact && length !== size) {
    throw new Refusal(400, 'EntityTooSmall', `The part has ${length} bytes where ${size} were agreed.`);
  }
  return length;
}
