import type { UploadHandle } from '../ports.ts';
import type { S3Config } from './config.ts';
import { uploadMetadata } from './objects.ts';

/** An upload's handle. */
export interface S3Upload {
  readonly key: string;
  /** Ours, kept with the object: so it is known whether the object under the key is this upload's. */
  readonly id: string;
  readonly size: number;
  readonly partSize: number;
  readonly contentType: string;
  /** Seconds since 1970. */
  readonly modified: number;
  /** Null: not yet known, or the file goes by one PUT. */
  readonly uploadId: string | null;
  /** The server may have begun others under this key, or may yet: a request whose answer was lost can still be on its way. */
  readonly doubtful: boolean;
  /** The etag of what it is a copy of; absent for one whose bytes are sent. */
  readonly copyOf?: string;
  /** What another has put under the key meanwhile is not replaced. */
  readonly onlyIfFree?: true;
}

/** It goes by one request. */
export const isWhole = ({ size, partSize }: S3Upload): boolean => size <= partSize;
export const toHandle = (upload: S3Upload): UploadHandle => ({ ...upload });
export const fromHandle = (handle: UploadHandle): S3Upload => handle as unknown as S3Upload;
export const layoutOf = ({ size, partSize }: S3Upload) => ({ fileSize: size, partSize });

/** What the object is made with. */
export const objectFields = ({ storageClass }: Pick<S3Config, 'storageClass'>, { contentType, id, modified }: S3Upload) => ({
  ContentType: contentType,
  // As other tools do, so that the time survives a copy by them.
  Metadata: { [uploadMetadata]: id, mtime: String(modified) },
  ...(storageClass !== null && { StorageClass: storageClass as 'STANDARD' }),
});
