import { ProviderError } from '../errors.ts';

export interface IconikConfig {
  readonly applicationId: string;
  readonly token: string;
  readonly storageId: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function iconikConfig(authorization: Readonly<Record<string, string>>): IconikConfig {
  const { application_id = '', application_token = '', storage_id = '' } = authorization;
  const storageId = storage_id.trim();
  if (!uuid.test(storageId)) {
    throw new ProviderError(
      'misconfigured',
      "The storage ID is not one of iconik's. Copy it from the address of the storage's page in iconik, below Admin, Storages.",
    );
  }
  const token = application_token.trim();
  // It goes into a header.
  if (!/^[\x21-\x7e]+$/.test(token) || !/^[\x21-\x7e]+$/.test(application_id.trim())) {
    throw new ProviderError('misconfigured', 'The application ID or token has characters that none has. Copy both again from iconik.');
  }
  return { applicationId: application_id.trim(), token, storageId: storageId.toLowerCase() };
}
