import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest } from '../http/client.ts';
import { recordIn as readRecord } from '../http/json.ts';
import type { TokenCache } from '../http/token-cache.ts';
import type { CloudObject } from '../ports.ts';
import { frameioError } from './errors.ts';

export interface FrameioApiOptions {
  readonly http: CloudHttp;
  readonly tokens: TokenCache;
  /** Origin. */
  readonly apiUrl: string;
  readonly accountId: string;
  readonly now: () => Date;
}

type Method = CloudRequest['method'];

/** Frame.io's V4 API for one account; paths are below it. */
export interface FrameioApi {
  /** With the access token. Any status is an answer, but that the token is over. `data`: of the request's body. */
  ask(method: Method, path: string, data: FrameioRecord | null, signal: AbortSignal): Promise<CloudAnswer>;
  /** The same; statuses of 300 and more are errors, but those in `accept`. */
  send(method: Method, path: string, data: FrameioRecord | null, signal: AbortSignal, accept?: readonly number[]): Promise<CloudAnswer>;
  /** What an answer's `data` holds; null for 404. */
  find(path: string, signal: AbortSignal): Promise<FrameioRecord | null>;
  errorOf(answer: CloudAnswer): ProviderError;
  /** Frame.io's clock, as its last answer showed it. */
  time(): Date;
  /** `address` if bytes may be sent there: addresses that Frame.io hands out are secrets, and lead to its storage. */
  trusted(address: unknown): string;
}

export type FrameioRecord = Readonly<Record<string, unknown>>;

/** Addresses for 10,000 parts. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const noSense = () =>
  new ProviderError('bad_answer', 'Frame.io gave an answer that makes no sense. It is tried again; if that goes on, tell the operator.');

export function createFrameioApi({ http, tokens, apiUrl, accountId, now }: FrameioApiOptions): FrameioApi {
  const base = `${apiUrl}/v4/accounts/${encodeURIComponent(accountId)}`;
  const ourHost = new URL(apiUrl).host;
  let clockOffset = 0;
  const errorOf = (answer: CloudAnswer) => frameioError(answer, now());

  const ask: FrameioApi['ask'] = (method, path, data, signal) =>
    tokens.use(async (token) => {
      const answer = await http.send(
        {
          method,
          url: `${base}${path}`,
          headers: { authorization: `Bearer ${token}`, ...(data && { 'content-type': 'application/json' }) },
          ...(data && { body: JSON.stringify({ data }) }),
        },
        signal,
        maxAnswerBytes,
      );
      const theirs = Date.parse(answer.headers['date'] ?? '');
      if (Number.isFinite(theirs)) clockOffset = theirs - now().getTime();
      if (answer.status === 401) throw errorOf(answer);
      return answer;
    }, signal);

  const send: FrameioApi['send'] = async (method, path, data, signal, accept = []) => {
    const answer = await ask(method, path, data, signal);
    if (answer.status >= 300 && !accept.includes(answer.status)) throw errorOf(answer);
    return answer;
  };

  return {
    ask,
    send,
    async find(path, signal) {
      const answer = await send('GET', path, null, signal, [404]);
      return answer.status === 404 ? null : dataIn(answer.bytes);
    },
    errorOf,
    time: () => new Date(now().getTime() + clockOffset),
    trusted(address) {
      const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null;
      if (url && (url.protocol === 'https:' || url.host === ourHost)) return url.href;
      throw noSense();
    },
  };
}

export const recordIn = (bytes: Buffer): FrameioRecord => readRecord(bytes, noSense);

const isRecord = (value: unknown): value is FrameioRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

export function dataIn(bytes: Buffer): FrameioRecord {
  const { data } = recordIn(bytes);
  if (!isRecord(data)) throw noSense();
  return data;
}

export const recordsIn = (value: unknown): readonly FrameioRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export interface FrameioFile extends CloudObject {
  readonly fileId: string;
  readonly name: string;
  /** All its bytes have arrived. Until then it is a placeholder. */
  readonly whole: boolean;
  /** By Frame.io's clock. */
  readonly created: Date;
}

/** The port's id of a file: no path begins with `/`, so it is never taken for one. */
export const idOf = (fileId: string): string => `/${fileId}`;

export function fileIn({ id, name, file_size, status, created_at }: FrameioRecord): FrameioFile {
  const created = new Date(String(created_at));
  if (typeof id !== 'string' || typeof name !== 'string' || !Number.isSafeInteger(file_size)) throw noSense();
  return {
    id: idOf(id),
    fileId: id,
    name,
    size: Number(file_size),
    // Other bytes are another file, with an id of its own.
    etag: id,
    modified: Number.isNaN(created.getTime()) ? null : created,
    archived: false,
    whole: status !== 'created',
    created,
  };
}

export const publicFile = ({ id, size, etag, modified, archived }: FrameioFile): CloudObject => ({ id, size, etag, modified, archived });
