import { ProviderError } from '../errors.ts';
import type { UploadHandle } from '../ports.ts';

/** A chunked upload that takes parts; its addresses are Box's own. */
export interface BoxSession {
  readonly partSize: number;
  readonly part: string;
  readonly commit: string;
  readonly abort: string;
  readonly list: string;
}

/** A handle, read: the file as it was begun. */
export interface UploadFile {
  readonly name: string;
  /** Of the folder. */
  readonly parent: string;
  readonly size: number;
  /** As RFC 3339, in whole seconds. */
  readonly modified: string;
  /** The file of that name that is there and gets a new version, with the version that it has; null for a new file. */
  readonly replaces: { readonly id: string; readonly version: string } | null;
  /** Null for a file that is sent in one request. */
  readonly session: BoxSession | null;
}

export const handleOf = (file: UploadFile): UploadHandle => JSON.parse(JSON.stringify({ file })) as UploadHandle;

export function fileOf(handle: UploadHandle): UploadFile {
  const file = handle['file'];
  if (typeof file !== 'object' || file === null || !('name' in file) || !('parent' in file) || !('session' in file)) {
    throw new ProviderError('upload_gone', 'This upload was begun in another way. The file is sent from its beginning.');
  }
  return file as unknown as UploadFile;
}

export const layoutOf = ({ size, session }: UploadFile) => ({ fileSize: size, partSize: session?.partSize ?? Math.max(size, 1) });
