import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest, CloudStream } from '../http/client.ts';
import { firstBytes } from '../http/first-bytes.ts';
import { type JsonRecord, recordIn as readRecord } from '../http/json.ts';
import type { TokenCache } from '../http/token-cache.ts';
import type { CloudObject } from '../ports.ts';
import { gcsError } from './errors.ts';

type Query = Readonly<Record<string, string | undefined>>;

export interface GcsRequest extends Omit<CloudRequest, 'url'> {
  /** Below the endpoint, already encoded. */
  readonly path: string;
  readonly query?: Query;
}

/** Google's JSON API for one bucket, with the access token. Statuses of 300 and more are `ProviderError`s. */
export interface GcsApi {
  readonly bucketPath: string;
  /** An object's path in the API. */
  objectPath(name: string): string;
  send(request: GcsRequest, signal: AbortSignal): Promise<CloudAnswer>;
  json(request: GcsRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  open(request: GcsRequest, signal: AbortSignal): Promise<CloudStream>;
  /** To an address that is a secret of its own and needs no token: any status is an answer. */
  sendPlain(request: CloudRequest, signal: AbortSignal): Promise<CloudAnswer>;
  errorOf(answer: CloudAnswer): ProviderError;
  /** Whether Google may send us on to this address. */
  isOurs(address: string): boolean;
}

export interface GcsApiOptions {
  readonly http: CloudHttp;
  readonly tokens: TokenCache;
  readonly endpoint: string;
  readonly bucket: string;
  readonly now: () => Date;
}

/** A list of 1000 names of 1024 bytes each, with their metadata. */
const maxAnswerBytes = 16 * 1024 * 1024;

export function createGcsApi({ http, tokens, endpoint, bucket, now }: GcsApiOptions): GcsApi {
  const bucketPath = `/storage/v1/b/${encodeURIComponent(bucket)}`;
  const endpointHost = new URL(endpoint).host;
  const errorOf = (answer: CloudAnswer): ProviderError => gcsError(answer, now());

  function signed({ path, query = {}, ...request }: GcsRequest, token: string): CloudRequest {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = new URLSearchParams(given).toString();
    return {
      ...request,
      url: `${endpoint}${path}${search === '' ? '' : `?${search}`}`,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    };
  }

  const send = (request: GcsRequest, signal: AbortSignal): Promise<CloudAnswer> =>
    tokens.use(async (token) => {
      const answer = await http.send(signed(request, token), signal, maxAnswerBytes);
      if (answer.status >= 300) throw errorOf(answer);
      return answer;
    }, signal);

  return {
    bucketPath,
    objectPath: (name) => `${bucketPath}/o/${encodeURIComponent(name)}`,
    send,
    async json(request, signal) {
      return recordIn((await send(request, signal)).bytes);
    },
    open: (request, signal) =>
      tokens.use(async (token) => {
        const { status, headers, body } = await http.open(signed(request, token), signal);
        if (status < 300) return { status, headers, body };
        throw errorOf({ status, headers, bytes: await firstBytes(body) });
      }, signal),
    sendPlain: (request, signal) => http.send(request, signal),
    errorOf,
    isOurs(address) {
      const url = URL.canParse(address) ? new URL(address) : null;
      return url !== null && (url.host === endpointHost || (url.protocol === 'https:' && url.host.endsWith('.googleapis.com')));
    },
  };
}

const noSense = () =>
  new ProviderError(
    'bad_answer',
    'Google Cloud Storage gave an answer that makes no sense. It is tried again; if that goes on, tell the operator.',
  );

export const recordIn = (bytes: Buffer): JsonRecord => readRecord(bytes, noSense);

/** What the port does not ask for, but an upload needs. */
export interface GcsObject extends CloudObject {
  /** Lower-case hex. */
  readonly crc32c: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The fields that `objectIn` reads. */
export const objectFields = 'name,size,generation,updated,crc32c,metadata';

/** An object resource. Its generation is its etag: reading can be bound to it, and a change of metadata alone keeps it. */
export function objectIn(record: Readonly<Record<string, unknown>>): GcsObject {
  const { name, size, generation, updated, crc32c, metadata } = record;
  const bytes = Number(size);
  if (typeof name !== 'string' || !Number.isSafeInteger(bytes) || typeof generation !== 'string') throw noSense();
  const modified = new Date(String(updated));
  return {
    id: name,
    size: bytes,
    etag: generation,
    modified: Number.isNaN(modified.getTime()) ? null : modified,
    // Google's cold classes can be read at once.
    archived: false,
    crc32c: typeof crc32c === 'string' ? Buffer.from(crc32c, 'base64').toString('hex') : '',
    metadata: typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {},
  };
}

export const publicObject = ({ crc32c: _, metadata: __, ...object }: GcsObject): CloudObject => object;
