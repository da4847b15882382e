import { createHash } from 'node:crypto';
import { batchGetPath } from '#protocol/storage/requests.ts';
import { type SigningSecret, signedQuery } from './signature.ts';

/**
 * One signed address for reading many objects, in place of one for each: signing and verifying these is much of what a
 * small file costs. It signs a digest of the keys, which the receiver sends along (contract/storage.md §6). The signature
 * is that of any address, by a key that no object has.
 */

const listName = 'objects';

/** 64 hex digits. */
export const digestOfKeys = (keys: readonly string[]): string => createHash('sha256').update(JSON.stringify(keys)).digest('hex');

/** The query, without `?`. `expiresAt` is rounded down to whole seconds. */
export const readBatchQuery = (secret: SigningSecret, keys: readonly string[], expiresAt: Date): string =>
  signedQuery(secret, 'GET', batchGetPath, [[listName, digestOfKeys(keys)]], expiresAt);

/** The digest that a verified address of this kind signs; `null` for any other. */
export const digestIn = (facts: ReadonlyMap<string, string>): string | null => facts.get(listName) ?? null;
