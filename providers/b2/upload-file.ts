import { ProviderError } from '../errors.ts';
import type { JsonRecord } from '../http/json.ts';
import type { BeginRequest, UploadHandle } from '../ports.ts';

/** A handle, read: the file as it was begun. */
export interface UploadFile {
  readonly path: string;
  readonly size: number;
  readonly partSize: number;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Marks the file as ours: after a lost answer it tells whose it is. */
  readonly upload: string;
  /** Of the large file; null for a file of one request, and until B2 has named it. */
  readonly fileId: string | null;
  /** B2 may have begun others of this name, whose answers were lost. */
  readonly doubtful: boolean;
}

/** The file info in which a file says which upload made it. */
export const uploadMark = 'longshore-upload';

/** Whether a file was made by this upload; null for any of Longshore's. */
export const isFrom = ({ info }: { readonly info: JsonRecord }, upload: string | null): boolean =>
  upload === null ? info[uploadMark] !== undefined : info[uploadMark] === upload;

export const isWhole = ({ size, partSize }: UploadFile): boolean => size <= partSize;
export const layoutOf = ({ size, partSize }: UploadFile) => ({ fileSize: size, partSize });

/** As B2's own tools name the time of the last change. */
export const infoOf = ({ modified, upload }: UploadFile): Readonly<Record<string, string>> => ({
  src_last_modified_millis: String(modified),
  [uploadMark]: upload,
});

export const newFile = (
  { path, size, contentType, modified }: BeginRequest,
  partSize: number,
  upload: string,
  doubtful: boolean,
): UploadFile => ({
  path,
  size,
  partSize,
  contentType,
  modified: modified.getTime(),
  upload,
  fileId: null,
  doubtful,
});

export const handleOf = (file: UploadFile): UploadHandle => ({ ...file });

export function fileOf(handle: UploadHandle): UploadFile {
  const { path, size, partSize, contentType, modified, upload, fileId, doubtful } = handle;
  if (
    typeof path !== 'string' ||
    typeof size !== 'number' ||
    typeof partSize !== 'number' ||
    typeof contentType !== 'string' ||
    typeof modified !== 'number' ||
    typeof upload !== 'string' ||
    (typeof fileId !== 'string' && fileId !== null) ||
    typeof doubtful !== 'boolean'
  ) {
    throw new ProviderError('upload_gone', 'This upload was begun in another way. The file is sent from its beginning.');
  }
  return { path, size, partSize, contentType, modified, upload, fileId, doubtful };
}
