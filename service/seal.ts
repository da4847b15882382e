import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts what the database keeps and must not be readable there: credentials of cloud connections, secrets and
 * headers of webhooks (contract/connections.md §4, contract/webhooks.md §5). The key is in the service's own folder.
 */
export interface Seal {
  /** `purpose` names what is sealed, e.g. `webhook 0192…`: only under the same one can it be opened again. */
  seal(purpose: string, text: string): Buffer;
  /** Throws where another key or purpose sealed it, or a byte of it was changed. */
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
