import { randomUUID } from 'node:crypto';
import { StorageError } from './errors.ts';

/**
 * The service builds keys from ids: segments of letters, digits, `.`, `_` and `-`, joined by `/`, none starting with a
 * dot. They are validated again here, so that no key can lead outside its folder or bucket prefix.
 */
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const maxKeyLength = 180;

const uploadIdPattern = /^[0-9a-f]{32}$/;

export function isKey(key: string): boolean {
  return key.length <= maxKeyLength && keyPattern.test(key);
}

/** Returns the key, or throws `invalid_key`. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new StorageError('invalid_key', 'A storage key must be made of letters, digits, ".", "_", "-" and "/".');
  return key;
}

/** Upload ids of local storage: 122 random bits among 32 hex digits. */
export const newUploadId = (): string => randomUUID().replaceAll('-', '');

export const isUploadId = (text: string): boolean => uploadIdPattern.test(text);

/**
 * Uploads whose bytes may be packed with others are known by their id, since nothing on the disk is made for them. Those
 * that were begun together share the first 12 digits, their group, as do the segments with their bytes: so a part is
 * looked for in few segments. The digit after it is 8, which is 4 in every other id.
 */
const groupLength = 12;
const packedMark = '8';

export const newUploadGroup = (): string => newUploadId().slice(0, groupLength);

export const newPackedUploadId = (group: string): string => `${packedPrefix(group)}${newUploadId().slice(groupLength + 1)}`;

/** What the ids of all uploads of a group begin with that may be packed. */
export const packedPrefix = (group: string): string => `${group}${packedMark}`;

/** `null` for an upload whose bytes are not packed. */
export const uploadGroupOf = (uploadId: string): string | null =>
  uploadId[groupLength] === packedMark ? uploadId.slice(0, groupLength) : null;

/** The same for ids of which some were made by another storage, in forms that nobody knows. */
export const isPackedUploadId = (text: string): boolean => isUploadId(text) && uploadGroupOf(text) !== null;

export const newSegment = (group: string): string => `${group}${newUploadId().slice(groupLength)}`;

export const groupOfSegment = (segment: string): string => segment.slice(0, groupLength);

/** Segments have ids like uploads. */
export const isSegment = isUploadId;
