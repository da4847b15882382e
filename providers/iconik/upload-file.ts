import { ProviderError } from '../errors.ts';
import type { UploadHandle } from '../ports.ts';
import type { StorageMethod } from './storage.ts';

/** Where the bytes of a file go. */
export interface UploadTarget {
  readonly file: string;
  readonly method: StorageMethod;
  /** S3: the id of a multipart upload. Cloud Storage: the address of a session, which is a secret. */
  readonly session: string;
}

/** A handle, read: the file as it was begun. */
export interface UploadFile {
  /** Marks the asset as ours. */
  readonly upload: string;
  readonly path: string;
  /** Where it lies on the storage, without its name. */
  readonly directory: string;
  /** Null for a file in no folder. */
  readonly collection: string | null;
  readonly size: number;
  readonly partSize: number;
  readonly contentType: string;
  /** As ISO 8601. */
  readonly modified: string;
  /** Null until it is made; also if its id was never learned. */
  readonly asset: string | null;
  /** There may be further assets with this mark: an attempt to begin has lost its answer. */
  readonly doubtful: boolean;
  readonly target: UploadTarget | null;
}

/** The folder's path, empty where there is none, and the name. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { folder: slash === -1 ? '' : path.slice(0, slash), name: path.slice(slash + 1) };
}

export const nameOf = ({ path }: UploadFile): string => splitPath(path).name;

/** A file that takes bytes. */
export type SendingFile = UploadFile & { readonly asset: string; readonly target: UploadTarget };

export const isSending = (file: UploadFile): file is SendingFile => file.asset !== null && file.target !== null;

export const handleOf = (file: UploadFile): UploadHandle => JSON.parse(JSON.stringify({ file })) as UploadHandle;

export function fileOf(handle: UploadHandle): UploadFile {
  const file = handle['file'];
  if (typeof file !== 'object' || file === null || !('upload' in file) || !('asset' in file) || !('target' in file)) {
    throw new ProviderError('upload_gone', 'This upload was begun in another way. The file is sent from its beginning.');
  }
  return file as unknown as UploadFile;
}

export const layoutOf = ({ size, partSize }: UploadFile) => ({ fileSize: size, partSize });
