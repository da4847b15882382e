import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { ProviderError } from '../errors.ts';
import type { CloudObject } from '../ports.ts';
import { failedWith, unquoted, uploadMetadata } from './objects.ts';
import type { S3Session } from './session.ts';
import type { S3Upload } from './upload-handle.ts';

/** The object under an upload's key, if this upload made it; else null. */
export async function objectMadeBy(bucket: string, session: S3Session, upload: S3Upload, signal: AbortSignal): Promise<CloudObject | null> {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: upload.key });
  try {
    const found = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
    if (found.Metadata?.[uploadMetadata] !== upload.id || (found.ContentLength ?? 0) !== upload.size) return null;
    return { id: upload.key, size: upload.size, etag: unquoted(found.ETag), modified: found.LastModified ?? null, archived: false };
  } catch (error) {
    if (failedWith(error, 'not_found')) return null;
    throw error;
  }
}

/** In place of an object that another has put under the key. */
export const takenMeanwhile = (): ProviderError =>
  new ProviderError(
    'exists',
    'Somebody else has stored a file of this name meanwhile. It was not replaced. Move or rename it, then retry.',
  );
