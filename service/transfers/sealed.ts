import type { UploadHandle } from '#providers/ports.ts';
import type { KnownAuthorization } from '../connections/authorization.ts';
import type { Seal } from '../seal.ts';

/** A transfer's secrets in the database: encrypted, each bound to its row. Never to be logged or returned. */

export const sealSingleUse = (seal: Seal, transferId: string, authorization: KnownAuthorization): Buffer =>
  seal.seal(`transfer ${transferId}`, JSON.stringify(authorization));

export const openSingleUse = (seal: Seal, transferId: string, sealed: Buffer): KnownAuthorization =>
  JSON.parse(seal.open(`transfer ${transferId}`, sealed)) as KnownAuthorization;

/** A provider's handle of an upload, which may hold an address that is a secret. */
export const sealUpload = (seal: Seal, transferId: string, fileId: string, handle: UploadHandle): Buffer =>
  seal.seal(`transfer ${transferId} upload ${fileId}`, JSON.stringify(handle));

export const openUpload = (seal: Seal, transferId: string, fileId: string, sealed: Buffer): UploadHandle =>
  JSON.parse(seal.open(`transfer ${transferId} upload ${fileId}`, sealed)) as UploadHandle;
