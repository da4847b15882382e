import type { Seal } from '../seal.ts';
import type { KnownAuthorization } from './authorization.ts';

/** A connection's credentials as its row keeps them: sealed for that row, so that moved to another they do not open. */
export function sealAuthorization(seal: Seal, connectionId: string, authorization: KnownAuthorization): Buffer {
  return seal.seal(purpose(connectionId), JSON.stringify(authorization));
}

/** Never to be logged or answered. Throws where the row was sealed by a service with another `secret.key`. */
export function openAuthorization(seal: Seal, row: { readonly id: string; readonly sealed_authorization: Buffer }): KnownAuthorization {
  return JSON.parse(seal.open(purpose(row.id), row.sealed_authorization)) as KnownAuthorization;
}

const purpose = (connectionId: string): string => `connection ${connectionId}`;
