import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ProviderError } from '../errors.ts';

export interface GcsConfig {
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
  readonly bucket: string;
}

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function gcsConfig(authorization: Readonly<Record<string, string>>): GcsConfig {
  const { client_email = '', private_key = '', destination = '' } = authorization;
  if (destination === '') throw new ProviderError('misconfigured', 'There is no bucket in this connection. Enter its name as destination.');
  return { clientEmail: client_email.trim(), privateKey: keyOf(private_key), bucket: destination };
}

function keyOf(text: string): KeyObject {
  try {
    // Copied out of the JSON file, its line breaks are still written as \n.
    const key = createPrivateKey(text.replaceAll('\\n', '\n').trim());
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The reason may repeat the key.
  }
  throw new ProviderError(
    'misconfigured',
    'The private key cannot be read. Enter private_key from the JSON file of the service account, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----.',
  );
}
