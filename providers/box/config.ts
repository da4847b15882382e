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
  let reason = '';
  try {
    // Copied out of the JSON file, its line breaks are still written as \n.
    const key = createPrivateKey({ key: text.replaceAll('\\n', '\n').trim(), passphrase });
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch (error) {
    // Only the code: the message may repeat the key.
    reason = error instanceof Error && 'code' in error ? String(error.code) : '';
  }
  throw new ProviderError(
    'misconfigured',
    reason === 'ERR_OSSL_BAD_DECRYPT'
      ? 'The passphrase does not open the private key. Enter both again from the JSON file that Box made.'
      : 'The private key cannot be read. Enter privateKey from the JSON file that Box made, from -----BEGIN ENCRYPTED PRIVATE KEY----- to the end.',
  );
}
