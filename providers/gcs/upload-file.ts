import { ProviderError } from '../errors.ts';
import type { BeginRequest, UploadHandle } from '../ports.ts';

/** Google keeps a session's bytes by multiples of this size until the last request. */
export const granularity = 256 * 1024;

/** A handle, read: the file as it was begun. */
export interface UploadFile {
  readonly path: string;
  readonly size: number;
  readonly partSize: number;
  readonly contentType: string;
  /** As ISO 8601. */
  readonly modified: string;
  /** Marks the object as ours: after a lost answer it tells whose it is. */
  readonly upload: string;
  /** Takes bytes without a token, so it is a secret. Null for a file that is sent in one request. */
  readonly session: string | null;
  /** What another has stored under the name is not replaced. */
  readonly onlyIfFree: boolean;
}

/** The metadata in which an object says which upload made it. */
export const uploadMark = 'longshore-upload';

/**
 * Where the end of the file begins that is kept back until `complete`: 1 to 256 KiB, since the request that brings the last
 * byte makes the object, and has to bring the digest of the whole file.
 */
export const tailStart = (size: number): number => (size === 0 ? 0 : Math.floor((size - 1) / granularity) * granularity);

export const newFile = (
  { path, size, contentType, modified, onlyIfFree = false }: BeginRequest,
  partSize: number,
  upload: string,
): UploadFile => ({
  path,
  size,
  partSize,
  contentType,
  modified: modified.toISOString(),
  upload,
  session: null,
  onlyIfFree,
});

export const handleOf = (file: UploadFile): UploadHandle => ({ ...file });

export function fileOf(handle: UploadHandle): UploadFile {
  const { path, size, partSize, contentType, modified, upload, session, onlyIfFree } = handle;
  if (
    typeof path !== 'string' ||
    typeof size !== 'number' ||
    typeof partSize !== 'number' ||
    typeof contentType !== 'string' ||
    typeof modified !== 'string' ||
    typeof upload !== 'string' ||
    (typeof session !== 'string' && session !== null)
  ) {
    throw new ProviderError('upload_gone', 'This upload was begun in another way. The file is sent from its beginning.');
  }
  return { path, size, partSize, contentType, modified, upload, session, onlyIfFree: onlyIfFree === true };
}

/** The object resource that a file is made with. */
export const resourceOf = ({ path, contentType, modified, upload }: UploadFile) => ({
  name: path,
  contentType,
  // The names under which gcloud and rclone keep it.
  metadata: { mtime: modified, [uploadMark]: upload },
});
