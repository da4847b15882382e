import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest, CloudStream } from '../http/client.ts';
import { recordIn as readRecord } from '../http/json.ts';
import type { TokenCache } from '../http/token-cache.ts';
import type { CloudObject } from '../ports.ts';
import { boxError } from './errors.ts';

export interface BoxApiOptions {
  readonly http: CloudHttp;
  readonly tokens: TokenCache;
  /** Origins. */
  readonly apiUrl: string;
  readonly uploadUrl: string;
  readonly now: () => Date;
}

export interface BoxApi {
  readonly api: string;
  readonly upload: string;
  /** With the access token. Statuses of 300 and more are errors, but those in `accept`. */
  send(request: CloudRequest, signal: AbortSignal, accept?: readonly number[]): Promise<CloudAnswer>;
  /** Sends and reads JSON. */
  json(method: CloudRequest['method'], url: string, body: unknown, signal: AbortSignal): Promise<BoxRecord>;
  /** A file's bytes, from where Box sends us, which gets no token. */
  download(url: string, range: string | undefined, signal: AbortSignal): Promise<CloudStream>;
  errorOf(answer: CloudAnswer): ProviderError;
  /** `address` if it is Box's; tokens go nowhere else. */
  ours(address: unknown): string;
}

export type BoxRecord = Readonly<Record<string, unknown>>;

const maxAnswerBytes = 16 * 1024 * 1024;

const noSense = () =>
  new ProviderError('bad_answer', 'Box gave an answer that makes no sense. It is tried again; if that goes on, tell the operator.');

export function createBoxApi({ http, tokens, apiUrl, uploadUrl, now }: BoxApiOptions): BoxApi {
  const hosts = new Set([new URL(apiUrl).host, new URL(uploadUrl).host]);
  const errorOf = (answer: CloudAnswer) => boxError(answer, now());

  const send = (request: CloudRequest, signal: AbortSignal, accept: readonly number[] = []): Promise<CloudAnswer> =>
    tokens.use(async (token) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const answer = await http.send({ ...request, headers }, signal, maxAnswerBytes);
      if (answer.status >= 300 && !accept.includes(answer.status)) throw errorOf(answer);
      return answer;
    }, signal);

  async function failed({ status, headers, body }: CloudStream): Promise<ProviderError> {
    body.on('error', () => undefined).destroy();
    return errorOf({ status, headers, bytes: Buffer.alloc(0) });
  }

  return {
    api: `${apiUrl}/2.0`,
    upload: `${uploadUrl}/api/2.0`,
    send,
    async json(method, url, body, signal) {
      const request = {
        method,
        url,
        ...(body !== null && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      };
      return recordIn((await send(request, signal)).bytes);
    },
    async download(url, range, signal) {
      const { status, headers } = await send({ method: 'GET', url }, signal, [302]);
      const address = headers['location'];
      if (status !== 302 || address === undefined || !URL.canParse(address)) throw noSense();
      const stream = await http.open({ method: 'GET', url: address, headers: range === undefined ? {} : { range } }, signal);
      if (stream.status < 300) return stream;
      throw await failed(stream);
    },
    errorOf,
    ours(address) {
      const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null;
      if (url && (hosts.has(url.host) || (url.protocol === 'https:' && url.host.endsWith('.box.com')))) return url.href;
      throw noSense();
    },
  };
}

export const recordIn = (bytes: Buffer): BoxRecord => readRecord(bytes, noSense);

export interface BoxFile extends CloudObject {
  readonly boxId: string;
  readonly name: string;
  readonly sha1: string;
  readonly parent: string;
}

export const fileFields = 'type,id,name,size,sha1,content_modified_at,file_version,parent';

/** The port's id of a file: no path begins with `/`, so it is never taken for one. */
export const idOf = (boxId: string): string => `/${boxId}`;

export function fileIn(record: BoxRecord): BoxFile {
  const { id, name, size, sha1, content_modified_at, file_version, parent } = record;
  const version = (file_version as BoxRecord | undefined)?.['id'];
  // Box writes large sizes as 1.2e+11.
  const bytes = Number(size);
  if (typeof id !== 'string' || typeof name !== 'string' || typeof version !== 'string' || !Number.isSafeInteger(bytes)) throw noSense();
  const modified = new Date(String(content_modified_at));
  return {
    id: idOf(id),
    boxId: id,
    name,
    size: bytes,
    etag: version,
    modified: Number.isNaN(modified.getTime()) ? null : modified,
    archived: false,
    sha1: String(sha1 ?? ''),
    parent: String((parent as BoxRecord | undefined)?.['id'] ?? ''),
  };
}

/** The first file of `entries`, as uploads answer. */
export function firstFileIn(bytes: Buffer): BoxFile {
  const { entries } = recordIn(bytes);
  if (!Array.isArray(entries) || entries.length === 0) throw noSense();
  return fileIn(entries[0] as BoxRecord);
}

export const publicFile = ({ id, size, etag, modified, archived }: BoxFile): CloudObject => ({ id, size, etag, modified, archived });

export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ProviderError && codes.includes(error.code);
