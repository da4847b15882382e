import type { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest, CloudStream } from '../http/client.ts';
import { firstBytes } from '../http/first-bytes.ts';
import { type JsonRecord, recordIn } from '../http/json.ts';
import type { TokenCache } from '../http/token-cache.ts';
import type { CloudObject } from '../ports.ts';
import { apiVersion, type B2Account } from './account.ts';
import { b2Error, noSense } from './errors.ts';

export interface B2ApiOptions {
  readonly http: CloudHttp;
  readonly account: TokenCache<B2Account>;
  readonly bucket: string;
  readonly now: () => Date;
}

/** B2's native API for one bucket. Statuses of 300 and more are `ProviderError`s. */
export interface B2Api {
  bucketId(signal: AbortSignal): Promise<string>;
  call(name: string, body: JsonRecord, signal: AbortSignal): Promise<JsonRecord>;
  /** Like `call`, but 400 and 404 are answers: they say that there is no such file or upload. */
  ask(name: string, body: JsonRecord, signal: AbortSignal): Promise<CloudAnswer>;
  /** Bytes, to an address with a token of its own: any status is an answer, but that one of both is over. */
  upload(request: Pick<CloudRequest, 'url' | 'headers' | 'body'>, signal: AbortSignal): Promise<CloudAnswer>;
  /** The newest file of this name. */
  download(name: string, range: string | undefined, signal: AbortSignal): Promise<CloudStream>;
  errorOf(answer: CloudAnswer): ProviderError;
}

/** A list of 1000 names of 1024 bytes each, with what is known of each file. */
const maxAnswerBytes = 16 * 1024 * 1024;

export function createB2Api({ http, account, bucket, now }: B2ApiOptions): B2Api {
  const errorOf = (answer: CloudAnswer) => b2Error(answer, now());

  const ask = (name: string, body: JsonRecord, signal: AbortSignal, accept: readonly number[]): Promise<CloudAnswer> =>
    account.use(async ({ apiUrl, token }) => {
      const answer = await http.send(
        {
          method: 'POST',
          url: `${apiUrl}${apiVersion}/${name}`,
          headers: { authorization: token, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        signal,
        maxAnswerBytes,
      );
      if (answer.status >= 300 && !accept.includes(answer.status)) throw errorOf(answer);
      return answer;
    }, signal);

  return {
    bucketId: async (signal) => (await account.get(signal)).bucketId,
    call: async (name, body, signal) => readRecord((await ask(name, body, signal, [])).bytes),
    ask: (name, body, signal) => ask(name, body, signal, [400, 404]),
    // An address that is over is about as old as the token that asked for it.
    upload: (request, signal) =>
      account.use(async () => {
        const answer = await http.send({ ...request, method: 'POST' }, signal);
        if (answer.status < 400) return answer;
        const error = errorOf(answer);
        if (error.code === 'expired') throw error;
        return answer;
      }, signal),
    download: (name, range, signal) =>
      account.use(async ({ downloadUrl, token }) => {
        const url = `${downloadUrl}/file/${encodeURIComponent(bucket)}/${encodedName(name)}`;
        const stream = await http.open(
          { method: 'GET', url, headers: { authorization: token, ...(range !== undefined && { range }) } },
          signal,
        );
        const { status, headers, body } = stream;
        if (status < 300) return stream;
        throw errorOf({ status, headers, bytes: await firstBytes(body) });
      }, signal),
    errorOf,
  };
}

export const readRecord = (bytes: Buffer): JsonRecord => recordIn(bytes, noSense);

/** A name as addresses and headers have it. */
export const encodedName = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** What the port does not ask for, but uploads and removing need. */
export interface B2File extends CloudObject {
  readonly fileId: string;
  readonly action: string;
  /** Null for a file that was sent in parts. */
  readonly sha1: string | null;
  readonly info: JsonRecord;
}

/** A file version. Its id is its etag, since each change makes a new one. */
export function fileIn({ fileName, fileId, action, contentLength, contentSha1, uploadTimestamp, fileInfo }: JsonRecord): B2File {
  if (typeof fileName !== 'string' || typeof action !== 'string') throw noSense();
  if (action === 'upload' && (typeof fileId !== 'string' || !Number.isSafeInteger(contentLength))) throw noSense();
  const modified = new Date(Number(uploadTimestamp));
  return {
    id: fileName,
    fileId: String(fileId),
    action,
    size: Number(contentLength),
    etag: String(fileId),
    modified: Number.isNaN(modified.getTime()) ? null : modified,
    archived: false,
    sha1: typeof contentSha1 === 'string' && /^[0-9a-f]{40}$/.test(contentSha1) ? contentSha1 : null,
    info: typeof fileInfo === 'object' && fileInfo !== null ? (fileInfo as JsonRecord) : {},
  };
}

export const filesIn = ({ files }: JsonRecord): B2File[] => {
  if (!Array.isArray(files)) throw noSense();
  return (files as readonly JsonRecord[]).map(fileIn);
};

export const publicFile = ({ id, size, etag, modified, archived }: B2File): CloudObject => ({ id, size, etag, modified, archived });
