import { createHash, randomBytes } from 'node:crypto';

/** A new API key's secret: `ls_` and 256 random bits. The prefix lets scanners find leaked ones. */
export function newApiKeySecret(): string {
  return `ls_${randomBytes(32).toString('base64url')}`;
}

/** The value that is stored and looked up. A plain hash is enough: the secret is random, so it cannot be guessed. */
export function hashApiKeySecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
