import { createHash } from 'node:crypto';
import { CopyObjectCommand, type CopyObjectCommandInput, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import { ProviderError } from '../errors.ts';
import type { CloudProvider } from '../ports.ts';
import type { S3Config } from './config.ts';
import { objectMadeBy } from './made-object.ts';
import { failedWith, isMd5, unquoted } from './objects.ts';
import type { SendIfFree } from './only-if-free.ts';
import type { S3Session } from './session.ts';
import { fromHandle, isWhole, objectFields, type S3Upload } from './upload-handle.ts';

export const copyDiffers = () =>
  new ProviderError('copy_differs', 'What the storage copied could not be compared with the file. Its bytes are sent.');

/**
 * Whether parts with these etags make up the object with this etag: the MD5 of the one part, or the MD5 of the parts' MD5s
 * with their number. An object that one request made may have either form.
 */
export function isMadeOf(etag: string, parts: readonly string[]): boolean {
  if (parts.length === 1 && parts[0] === etag) return isMd5(etag) || etag.endsWith('-1');
  if (!parts.every(isMd5)) return false;
  const whole = createHash('md5');
  for (const part of parts) whole.update(Buffer.from(part, 'hex'));
  return etag === `${whole.digest('hex')}-${parts.length}`;
}

/** Amazon has an origin a region, and buckets of one can be copied to another, but not to another partition. */
const serverOf = (origin: string): string => /^https?:\/\/s3(?:[.-][a-z0-9.-]+)?\.(amazonaws\.com(?:\.cn)?)$/.exec(origin)?.[1] ?? origin;

/**
 * Copies within one server, signed with the connection's own credentials: they have to be allowed to read the source, so
 * nobody gets what they could not read (docs/decisions/0053).
 */
export function s3Copies(config: S3Config, session: S3Session, ifFree: SendIfFree): Required<Pick<CloudProvider, 'reaches' | 'copyPart'>> {
  const { bucket, endpoint, region } = config;
  const own = serverOf(endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);

  async function copyWhole(request: CopyObjectCommandInput, upload: S3Upload, signal: AbortSignal): Promise<string> {
    const fields = { ...request, ...objectFields(config, upload), MetadataDirective: 'REPLACE' } as const;
    try {
      const { CopyObjectResult } = await ifFree(upload, (condition) => {
        const command = new CopyObjectCommand({ ...fields, ...condition });
        return session.send((client) => client.send(command, { abortSignal: signal }), signal);
      });
      return unquoted(CopyObjectResult?.ETag);
    } catch (error) {
      if (!upload.onlyIfFree || !failedWith(error, 'changed')) throw error;
      // The source has changed, or the key is taken: by this upload itself, if an answer was lost.
      const made = await objectMadeBy(bucket, session, upload, signal);
      if (made) return made.etag;
      throw error;
    }
  }

  return {
    reaches: (source) => source.bucket !== bucket && source.origins.some((origin) => serverOf(origin) === own),

    async copyPart({ handle, number, offset, size, source }, signal) {
      const upload = fromHandle(handle);
      if (upload.copyOf !== source.etag) throw copyDiffers();
      const request = {
        Bucket: bucket,
        Key: upload.key,
        CopySource: `${source.bucket}/${source.key.split('/').map(encodeURIComponent).join('/')}`,
        CopySourceIfMatch: `"${source.etag}"`,
      };
      if (isWhole(upload)) {
        const tag = await copyWhole(request, upload, signal);
        if (!isMadeOf(source.etag, [tag])) throw copyDiffers();
        return { number, size, tag };
      }
      const { uploadId: UploadId } = upload;
      if (UploadId === null)
        throw new ProviderError('upload_gone', 'The storage has ended this upload. The file is sent from its beginning.');
      const CopySourceRange = `bytes=${offset}-${offset + size - 1}`;
      const command = new UploadPartCopyCommand({ ...request, UploadId, PartNumber: number, CopySourceRange });
      const { CopyPartResult } = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
      const tag = unquoted(CopyPartResult?.ETag);
      // Without the digests of all parts the copy could not be compared in the end.
      if (!isMd5(tag)) throw copyDiffers();
      return { number, size, tag };
    },
  };
}
