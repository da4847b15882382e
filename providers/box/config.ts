import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ProviderError } from '../errors.ts';

export interface BoxConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly publicKeyId: string;
  readonly privateKey: KeyObject;
  readonly enterpriseId: string;
}

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function boxConfig(authorization: Readonly<Record<string, string>>): BoxConfig {
  const { client_id = '', client_secret = '', public_key_id = '', private_key = '', passphrase = '', enterprise_id = '' } = authorization;
  return {
    clientId: client_id.trim(),
    clientSecret: client_secret.trim(),
    publicKeyId: public_key_id.trim(),
    privateKey: keyOf(private_key, passphrase),
    enterpriseId: enterprise_id.trim(),
  };
}

function keyOf(text: string, passphrase: string): KeyObject {
  // Copied out of the JSON file, its line breaks are still written as \n.
  const pem = text.replaceAll('\\n', '\n').trim();
  let isOpen = false;
  try {
    const key = createPrivateKey({ key: pem, passphrase });
    if (key.asymmetricKeyType === 'rsa') return key;
    isOpen = true;
  } catch {
    // Not the error's own words, which may repeat the key; nor its code: of wrong passphrases one in 256 "opens" it, to nonsense.
  }
  throw new ProviderError(
    'misconfigured',
    !isOpen && isSealed(pem)
      ? 'The passphrase does not open the private key. Enter both again from the JSON file that Box made.'
      : 'The private key cannot be read. Enter privateKey from the JSON file that Box made, from -----BEGIN ENCRYPTED PRIVATE KEY----- to the end.',
  );
}

/** What a key is refused for that is read without the passphrase that it wants: OpenSSL asks for one, and nobody answers. */
const wantsPassphrase: readonly unknown[] = ['ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED', 'ERR_MISSING_PASSPHRASE'];

function isSealed(pem: string): boolean {
  try {
    createPrivateKey({ key: pem });
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && wantsPassphrase.includes(error.code);
  }
}
