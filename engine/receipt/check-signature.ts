import { calculateJwkThumbprint, compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JWK } from 'jose';
import { Value } from 'typebox/value';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { ReceiptClaims, receiptAlgorithm, receiptSignatureType } from '#protocol/receipt.ts';

/** The trusted keys as a JSON Web Key Set. `enclosed` uses the receipt's own key, which proves only that it is intact. */
export type Keys = { readonly keys: readonly object[] } | 'enclosed';

/** Errors: `receipt_invalid`, saying what is wrong. */
export async function checkSignature(jws: string, keys: Keys): Promise<{ readonly claims: ReceiptClaims; readonly keyId: string }> {
  try {
    const jwk = keyIn(jws);
    const keyId = await calculateJwkThumbprint(jwk);
    const trusted = keys === 'enclosed' ? { keys: [{ ...jwk, kid: keyId, alg: receiptAlgorithm }] } : { keys: [...keys.keys] as JWK[] };
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(trusted), { algorithms: [receiptAlgorithm] });
    if (protectedHeader.typ !== receiptSignatureType) throw unreliable('what its service has signed is no receipt.');
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (!Value.Check(ReceiptClaims, claims)) throw unreliable('what its service has signed is of another form. Update Longshore.');
    return { claims, keyId: protectedHeader.kid ?? keyId };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (cause instanceof errors.JWKSNoMatchingKey) throw unreliable('the key that signed it is none of those that are trusted.', cause);
    if (cause instanceof errors.JWSSignatureVerificationFailed)
      throw unreliable('its signature is wrong. It was changed after it was signed.', cause);
    throw unreliable('its signature is damaged.', cause);
  }
}

function keyIn(jws: string): JWK {
  const { jwk } = decodeProtectedHeader(jws);
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') throw unreliable('it holds no key.');
  return { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
}

const unreliable = (detail: string, cause?: unknown): ApiError =>
  new AgentError('receipt_invalid', { detail }, cause === undefined ? undefined : { cause });
