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
