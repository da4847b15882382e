import type { Seal } from '../seal.ts';
import type { KnownAuthorization } from './authorization.ts';

/**
 * A connection's credentials in their stored form: sealed for that row, so that they cannot be opened after a copy to
 * another row.
 */
export function sealAuthorization(seal: Seal, connectionId: string, authorization: KnownAuthorization): Buffer {
  return seal.seal(purpose(connectionId), JSON.stringify(authorization));
}

/** Never log or return the result. Throws if the row was sealed by a service with another `secret.key`. */
export function openAuthorization(seal: Seal, row: { readonly id: string; readonly sealed_authorization: Buffer }): KnownAuthorization {
  return JSON.parse(seal.open(purpose(row.id), row.sealed_authorization)) as KnownAuthorization;
}

const purpose = (connectionId: string): string => `connection ${connectionId}`;
