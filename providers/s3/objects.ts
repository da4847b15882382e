import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import { networkError } from '../http/network-errors.ts';
import type { CloudEntry, CloudObject, CloudProvider } from '../ports.ts';
import type { S3Config } from './config.ts';
import type { S3Session } from './session.ts';

export const unquoted = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '');

export const failedWith = (error: unknown, ...codes: readonly ProviderErrorCode[]): boolean =>
  error instanceof ProviderError && codes.includes(error.code);

/** Metadata in which an object names the upload that made it. */
export const uploadMetadata = 'longshore-upload';

export const isMd5 = (tag: string): boolean => /^[0-9a-f]{32}$/.test(tag);

/** Compares what passes with an MD5. */
function comparison(md5: string) {
  const hash = createHash('md5');
  return {
    seen: (bytes: Buffer): void => void hash.update(bytes),
    problem: (): Error | null =>
      hash.digest('hex') === md5
        ? null
        : new ProviderError('corrupted', 'The bytes that came are not those that the storage says it has. They are fetched again.'),
  };
}

const emptyMd5 = '1B2M2Y8AsgTpgAmY7PhCfg==';
const coldClasses = new Set(['GLACIER', 'DEEP_ARCHIVE']);

/** A folder's keys begin with this. An id of a folder ends with `/`, since a key may be any text. */
const prefixOf = (folder: string): string => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`);

/**
 * Removes what lies under a key; does nothing if nothing does. Where versions are kept, those that Longshore made are
 * deleted from the newest on, or only those of `upload`; somebody else's is hidden, so that it can be brought back.
 */
export async function removeObject(
  { bucket, quirks }: S3Config,
  session: S3Session,
  { key, upload }: { readonly key: string; readonly upload?: string },
  signal: AbortSignal,
): Promise<void> {
  const at = { Bucket: bucket, Key: key };
  const send = async (command: DeleteObjectCommand | HeadObjectCommand): Promise<HeadObjectCommandOutput | null> =>
    session
      .send((client) => client.send(command as HeadObjectCommand, { abortSignal: signal }), signal)
      .catch((error: unknown) => {
        if (failedWith(error, 'not_found')) return null;
        throw error;
      });
  for (let removed = 0; quirks.keepsVersions; removed++) {
    const found = await send(new HeadObjectCommand(at));
    if (!found) return;
    const maker = found.Metadata?.[uploadMetadata];
    // An empty folder is nobody's content.
    const isOurs = upload === undefined ? maker !== undefined || (key.endsWith('/') && found.ContentLength === 0) : maker === upload;
    if (!isOurs && (removed > 0 || upload !== undefined)) return;
    if (!isOurs || found.VersionId === undefined) break;
    await send(new DeleteObjectCommand({ ...at, VersionId: found.VersionId }));
  }
  await send(new DeleteObjectCommand(at));
}

type Objects = Required<Pick<CloudProvider, 'hasFolder'>> & Pick<CloudProvider, 'list' | 'head' | 'makeFolder' | 'openRange' | 'remove'>;

/** What lies in a bucket. */
export function s3Objects(config: S3Config, session: S3Session): Objects {
  const { bucket, quirks } = config;
  const decoded = (text: string): string => (quirks.encodesLists ? decodeURIComponent(text.replaceAll('+', ' ')) : text);
  const encoding = quirks.encodesLists ? ({ EncodingType: 'url' } as const) : {};
  const notArchived = (storageClass: string | undefined): boolean => !quirks.archives || !coldClasses.has(storageClass ?? '');

  interface Page {
    readonly Contents?: readonly { Key?: string; Size?: number; ETag?: string; LastModified?: Date; StorageClass?: string }[] | undefined;
    readonly CommonPrefixes?: readonly { Prefix?: string }[] | undefined;
    readonly next: string | null;
  }

  async function page(prefix: string, cursor: string | undefined, count: number, recursive: boolean, signal: AbortSignal): Promise<Page> {
    const request = { Bucket: bucket, Prefix: prefix, MaxKeys: count, ...encoding, ...(!recursive && { Delimiter: '/' }) };
    if (quirks.listVersion === 2) {
      const command = new ListObjectsV2Command({ ...request, ...(cursor !== undefined && { ContinuationToken: cursor }) });
      const answer = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
      return { ...answer, next: answer.IsTruncated ? (answer.NextContinuationToken ?? null) : null };
    }
    const command = new ListObjectsCommand({ ...request, ...(cursor !== undefined && { Marker: cursor }) });
    const answer = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
    // NextMarker is given with a delimiter only; else the last key goes on.
    const last = [answer.NextMarker, answer.Contents?.at(-1)?.Key, answer.CommonPrefixes?.at(-1)?.Prefix].find((one) => one !== undefined);
    return { ...answer, next: answer.IsTruncated && last !== undefined ? decoded(last) : null };
  }

  async function head({ id }: { readonly id: string }, signal: AbortSignal): Promise<CloudObject | null> {
    try {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: id });
      const found = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
      const archived = !notArchived(found.StorageClass) && !/ongoing-request="false"/.test(found.Restore ?? '');
      return { id, size: found.ContentLength ?? 0, etag: unquoted(found.ETag), modified: found.LastModified ?? null, archived };
    } catch (error) {
      if (failedWith(error, 'not_found')) return null;
      throw error;
    }
  }

  /** Whether an answer has a whole object whose etag is the MD5 of it. */
  const isItsMd5 = ({ ETag, ContentLength, ContentRange, ServerSideEncryption, SSECustomerAlgorithm }: GetObjectCommandOutput): boolean =>
    quirks.partEtagIsMd5 &&
    isMd5(unquoted(ETag)) &&
    (ContentRange === undefined || ContentRange === `bytes 0-${(ContentLength ?? 0) - 1}/${ContentLength}`) &&
    (ServerSideEncryption === undefined || ServerSideEncryption === 'AES256') &&
    SSECustomerAlgorithm === undefined;

  return {
    head,

    async list({ folder, cursor, count, recursive = false }, signal) {
      const prefix = prefixOf(folder);
      const { Contents = [], CommonPrefixes = [], next } = await page(prefix, cursor, count, recursive, signal);
      const nameOf = (key: string): string => {
        const path = key.replace(/\/$/, '');
        return recursive ? path.slice(path.lastIndexOf('/') + 1) : path.slice(prefix.length);
      };
      const entries: CloudEntry[] = CommonPrefixes.map(({ Prefix = '' }) => {
        const id = decoded(Prefix);
        return { kind: 'folder', id, name: nameOf(id) };
      });
      for (const { Key = '', Size = 0, ETag, LastModified, StorageClass } of Contents) {
        const id = decoded(Key);
        // The folder itself.
        if (id === prefix) continue;
        if (id.endsWith('/') && Size === 0) {
          entries.push({ kind: 'folder', id, name: nameOf(id) });
          continue;
        }
        const archived = !notArchived(StorageClass);
        entries.push({ kind: 'file', id, name: nameOf(id), size: Size, etag: unquoted(ETag), modified: LastModified ?? null, archived });
      }
      return { entries: entries.sort((one, other) => (one.id < other.id ? -1 : 1)), cursor: next };
    },

    hasFolder: async ({ path }, signal) => (await head({ id: prefixOf(path) }, signal)) !== null,

    async makeFolder({ path }, signal) {
      // Another version of it would come to light when this one is removed.
      if (quirks.keepsVersions && (await head({ id: prefixOf(path) }, signal))) return;
      const command = new PutObjectCommand({ Bucket: bucket, Key: prefixOf(path), Body: '', ContentLength: 0, ContentMD5: emptyMd5 });
      await session.send((client) => client.send(command, { abortSignal: signal }), signal);
    },

    async openRange({ id, range, ifMatch }, signal) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: id,
        ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        ...(ifMatch !== undefined && { IfMatch: `"${ifMatch}"` }),
      });
      const answer = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
      const body = answer.Body as Readable;
      if (range && !answer.ContentRange?.startsWith(`bytes ${range.start}-`)) {
        body.destroy();
        throw new ProviderError('bad_answer', 'The storage gives whole files only, where a part of one was asked for. Ask its operator.');
      }
      const broken = () => networkError(new Error('ended'));
      const stream = exactLength(body, answer.ContentLength ?? 0, broken, isItsMd5(answer) ? comparison(unquoted(answer.ETag)) : {});
      const destroy = stream._destroy.bind(stream);
      stream._destroy = (error, done) => destroy(error && (signal.aborted ? (signal.reason as Error) : networkError(error)), done);
      return stream;
    },

    remove: ({ id }, signal) => removeObject(config, session, { key: id }, signal),
  };
}
