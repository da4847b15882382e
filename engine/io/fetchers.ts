import type { Dispatcher } from 'undici';
import type { ApiReply, ApiRequest, Fetcher } from '#client/ports.ts';
import { ApiError } from '#protocol/errors.ts';
import { traceparentName } from '#protocol/trace-context.ts';
import { callTraceparent } from '../call-trace.ts';
import { AnswerTooLong, exchange, flat } from './exchange.ts';
import { busyWith, type Timekeeper, untimed } from './time-split.ts';

/** Maximum bytes of an answer. The longest one is a package's list of files, with some 300 bytes a file. */
const longestAnswer = 256 * 1024 * 1024;

/**
 * The `Fetcher` of Node: for calls of the hosted API, and small calls of the storage. `program` is what calls of the hosted API
 * name as theirs: the service shows by what a package was downloaded. What a page's call causes is asked under its trace; a
 * transfer names its own.
 */
export function createApiFetcher(dispatcher: Dispatcher, times: Timekeeper = untimed, program?: string): Fetcher {
  return async (request) => {
    const asked = request.service === undefined ? request : { ...request, headers: { ...namedBy(program), ...request.headers } };
    const { status, headers, body } = await busyWith(times, 'server', () => exchange(dispatcher, asked, longestAnswer)).catch(tooLong);
    return { status, headers, text: body.toString('utf8') };
  };
}

/** Headers that a call has of its own win over these. */
function namedBy(program: string | undefined): Record<string, string> {
  const traceparent = callTraceparent();
  return {
    ...(program === undefined ? {} : { 'user-agent': program }),
    ...(traceparent === null ? {} : { [traceparentName]: traceparent }),
  };
}

/** A retry would not help: the answer would be as long. */
function tooLong(cause: unknown): never {
  if (cause instanceof AnswerTooLong) throw new ApiError('service_refused', { status: 200, detail: `${cause.message}.` }, { cause });
  throw cause;
}

/**
 * Like a `Fetcher`, but a 200's body is passed to `take` piece by piece, with its announced length (`null` if unknown),
 * and `text` is the JSON `null` instead.
 */
export type StreamFetcher = (
  request: ApiRequest,
  take: (piece: Uint8Array, contentLength: number | null) => Promise<void>,
) => Promise<ApiReply>;

/** Maximum bytes that are read of an answer that is not a 200. */
const longestRefusal = 64 * 1024;

/** For answers that are too long for memory. */
export function createStreamFetcher(dispatcher: Dispatcher): StreamFetcher {
  return async ({ method, url, headers, body, signal }, take) => {
    const { origin, pathname, search } = new URL(url);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    const reply = { status: answer.statusCode, headers: flat(answer.headers) };
    if (reply.status === 200) {
      const contentLength = Number(reply.headers['content-length'] ?? Number.NaN);
      const length = Number.isSafeInteger(contentLength) ? contentLength : null;
      for await (const piece of answer.body) await take(piece as Uint8Array, length);
      return { ...reply, text: 'null' };
    }
    let text = '';
    for await (const piece of answer.body.setEncoding('utf8')) {
      text += piece;
      if (text.length > longestRefusal) break;
    }
    return { ...reply, text };
  };
}
