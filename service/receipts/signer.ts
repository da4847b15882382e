import { createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint } from 'jose';
import { type ReceiptClaims, receiptAlgorithm, receiptSignatureType, type ServiceKey } from '#protocol/receipt.ts';

/** Signs receipts with the service's key. */
export interface ReceiptSigner {
  /** The public key. */
  readonly key: ServiceKey;
  /** Returns a compact JWS, which contains the public key. */
  sign(claims: ReceiptClaims): Promise<string>;
}

/** The prefix before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key derives from the service's secret, so all processes of a service share it, and a backup of the secret includes it. */
export async function createReceiptSigner(secret: Uint8Array): Promise<ReceiptSigner> {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'longshore receipts', 32));
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const bare = { kty: 'OKP', crv: 'Ed25519', x: x! } as const;
  const key: ServiceKey = { ...bare, kid: await calculateJwkThumbprint(bare), alg: receiptAlgorithm, use: 'sig' };
  return {
    key,
    sign: (claims) =>
      new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: receiptAlgorithm, typ: receiptSignatureType, kid: key.kid, jwk: bare })
        .sign(privateKey),
  };
}
