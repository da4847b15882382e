import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts secrets in the database: credentials of cloud connections, secrets and headers of webhooks
 * (contract/connections.md §4, contract/webhooks.md §5). The key is in the service's data folder, not in the database.
 * AES-256-GCM.
 */
export interface Seal {
  /** `purpose` names the sealed value, e.g. `webhook 0192…`. Opening requires the same purpose. */
  seal(purpose: string, text: string): Buffer;
  /** Throws if the value was sealed with another key or purpose, or was changed. */
  open(purpose: string, sealed: Buffer): string;
}

const nonceBytes = 12;
const tagBytes = 16;

export function createSeal(secret: Uint8Array): Seal {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'longshore sealed records', 32)));
  return {
    seal(purpose, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(purpose, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(-tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
