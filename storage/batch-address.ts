import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#protocol/limits.ts';
import { isPackedUploadId } from './keys.ts';
import type { PartVerdict, SignedPart } from './part-address.ts';
import type { SigningSecret } from './signature.ts';

/**
 * One signed address for the small files of a batch, each of which puts an upload id of its sender's choice in. The
 * signature covers the key, the group in which every such id lies, the expiry and the size of the largest file. It permits
 * to send parts to be packed, and nothing else: none of them replaces another, and none becomes an object by itself.
 */

/**
 * Files that one such address takes: a batch has half as many, and some of them may go again. Whoever sends more keeps a group of
 * them from being remembered, so that each further part has all of it read anew.
 */
export const mostOfBatch = 2 * limits.filesPerBatch;

const placeholder = '{upload_id}';
const pattern = /^group=([0-9a-f]{12})&expires=([1-9]\d{0,11})&maxSize=([1-9]\d{0,8})&signature=([0-9a-f]{64})$/;
const lastField = '&uploadId=';
const uploadIdLength = 32;

interface BatchToSign {
  /** Of uploads that may be packed (keys.ts). */
  readonly uploadGroup: string;
  /** Bytes. */
  readonly maxSize: number;
}

const signatureOf = (secret: SigningSecret, key: string, group: string, expires: number, maxSize: number): Buffer =>
  createHmac('sha256', secret).update(`longshore-storage-batch-1\n${key}\n${group}\n${expires}\n${maxSize}`).digest();

/** The query with a place for the upload id, without `?`. `expiresAt` is rounded down to whole seconds. */
export function batchQuery(secret: SigningSecret, key: string, { uploadGroup, maxSize }: BatchToSign, expiresAt: Date): string {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const signature = signatureOf(secret, key, uploadGroup, expires, maxSize).toString('hex');
  return `group=${uploadGroup}&expires=${expires}&maxSize=${maxSize}&signature=${signature}${lastField}${placeholder}`;
}

/** Whether a part's query is one of a batch. */
export const isOfBatch = (query: string): boolean => query.startsWith('group=');

/** Verifies queries of received parts. `now` is in milliseconds. */
export type BatchVerifier = (key: string, query: string, now: number) => PartVerdict;

interface Permission {
  /** Seconds. */
  readonly expires: number;
  readonly uploadGroup: string;
  readonly maxSize: number;
}

/** Parts of a batch come one after the other, and differ in the upload id alone: what permits them is judged once. */
export function createBatchVerifier(secret: SigningSecret): BatchVerifier {
  let last: { readonly key: string; readonly signed: string; readonly permission: Permission } | null = null;

  function permissionIn(key: string, signed: string): Permission | null {
    if (last !== null && last.signed === signed && last.key === key) return last.permission;
    const match = pattern.exec(signed);
    if (!match) return null;
    const [, uploadGroup, expiresText, maxText, signature] = match as unknown as readonly [string, string, string, string, string];
    const permission = { uploadGroup, expires: Number(expiresText), maxSize: Number(maxText) };
    const expected = signatureOf(secret, key, uploadGroup, permission.expires, permission.maxSize);
    if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return null;
    last = { key, signed, permission };
    return permission;
  }

  return (key, query, now) => {
    const cut = query.length - uploadIdLength - lastField.length;
    if (cut < 0 || !query.startsWith(lastField, cut)) return { kind: 'invalid' };
    const permission = permissionIn(key, query.slice(0, cut));
    const uploadId = query.slice(cut + lastField.length);
    if (!permission || !isPackedIn(permission.uploadGroup, uploadId)) return { kind: 'invalid' };
    if (permission.expires * 1000 <= now) return { kind: 'expired' };
    const part: SignedPart = { uploadId, partNumber: 1, size: permission.maxSize, exact: false, batched: true };
    return { kind: 'valid', part };
  };
}

const isPackedIn = (group: string, uploadId: string): boolean => isPackedUploadId(uploadId) && uploadId.startsWith(group);
