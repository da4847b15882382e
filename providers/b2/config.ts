import { ProviderError } from '../errors.ts';

export interface B2Config {
  readonly keyId: string;
  readonly key: string;
  readonly bucket: string;
}

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function b2Config(authorization: Readonly<Record<string, string>>): B2Config {
  const { client_id = '', client_secret = '', destination = '' } = authorization;
  if (destination === '') throw new ProviderError('misconfigured', 'There is no bucket in this connection. Enter its name as destination.');
  // What is copied out of the console may have blanks around it.
  return { keyId: client_id.trim(), key: client_secret.trim(), bucket: destination.trim() };
}
