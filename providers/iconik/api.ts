import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest } from '../http/client.ts';
import { recordIn as readRecord } from '../http/json.ts';
import type { IconikConfig } from './config.ts';
import { iconikError } from './errors.ts';

export type IconikRecord = Readonly<Record<string, unknown>>;

export interface IconikRequest {
  readonly method: CloudRequest['method'];
  /** Below `/API`, already encoded. iconik's paths end with `/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: IconikRecord;
}

/** iconik's REST API with the application's token. */
export interface IconikApi {
  /** Statuses of 300 and more are errors, but those in `accept`. */
  send(request: IconikRequest, signal: AbortSignal, accept?: readonly number[]): Promise<CloudAnswer>;
  json(request: IconikRequest, signal: AbortSignal): Promise<IconikRecord>;
  /** The same, and null where iconik knows of no such thing. */
  find(request: IconikRequest, signal: AbortSignal): Promise<IconikRecord | null>;
}

export interface IconikApiOptions {
  readonly config: IconikConfig;
  readonly http: CloudHttp;
  /** Origin. */
  readonly endpoint: string;
  readonly now: () => Date;
}

/** A page of assets has much beside what is read. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const noSense = () =>
  new ProviderError('bad_answer', 'An answer of iconik makes no sense. It is tried again; if that goes on, tell the operator.');

export function createIconikApi({ config, http, endpoint, now }: IconikApiOptions): IconikApi {
  const identity = { 'app-id': config.applicationId, 'auth-token': config.token };

  async function send({ method, path, query, body }: IconikRequest, signal: AbortSignal, accept: readonly number[] = []) {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const answer = await http.send(
      {
        method,
        url: `${endpoint}/API${path}${search}`,
        headers: { ...identity, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      },
      signal,
      maxAnswerBytes,
    );
    if (answer.status >= 300 && !accept.includes(answer.status)) throw iconikError(answer, now());
    return answer;
  }

  return {
    send,
    json: async (request, signal) => recordIn((await send(request, signal)).bytes),
    async find(request, signal) {
      const answer = await send(request, signal, [404]);
      return answer.status === 404 ? null : recordIn(answer.bytes);
    },
  };
}

const recordIn = (bytes: Buffer): IconikRecord => readRecord(bytes, noSense);

export function textIn(record: IconikRecord, name: string): string {
  const value = record[name];
  if (typeof value !== 'string' || value === '') throw noSense();
  return value;
}

/** The list that iconik's pages hold. */
export const objectsIn = ({ objects }: IconikRecord): readonly IconikRecord[] =>
  Array.isArray(objects) ? (objects as readonly IconikRecord[]) : [];
