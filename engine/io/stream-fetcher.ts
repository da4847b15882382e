import type { Dispatcher } from 'undici';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { flat } from './exchange.ts';

/** As a `Fetcher`, but a 200's body goes to `take` piece by piece, and `text` is the JSON `null` in its place. */
export type StreamFetcher = (request: ApiRequest, take: (piece: Uint8Array) => Promise<void>) => Promise<ApiReply>;

/** Of an answer that is none of ours no more is looked at. */
const longestRefusal = 64 * 1024;

/** For answers that are too long to be kept in memory. */
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
      for await (const piece of answer.body) await take(piece as Uint8Array);
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
