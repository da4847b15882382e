import type { Dispatcher } from 'undici';
import type { Fetcher } from '#client/ports.ts';
import { ApiError } from '#protocol/errors.ts';
import { AnswerTooLong, exchange } from './exchange.ts';
import { busyWith, type Timekeeper, untimed } from './time-split.ts';

/** Maximum bytes of an answer. The longest one is a package's list of files, with some 300 bytes a file. */
const longestAnswer = 256 * 1024 * 1024;

/** The `Fetcher` of Node: for calls of the hosted API, and small calls of the storage. */
export function createApiFetcher(dispatcher: Dispatcher, times: Timekeeper = untimed): Fetcher {
  return async (request) => {
    const { status, headers, body } = await busyWith(times, 'server', () => exchange(dispatcher, request, longestAnswer)).catch(tooLong);
    return { status, headers, text: body.toString('utf8') };
  };
}

/** A retry would not help: the answer would be as long. */
function tooLong(cause: unknown): never {
  if (cause instanceof AnswerTooLong) throw new ApiError('service_refused', { status: 200, detail: `${cause.message}.` }, { cause });
  throw cause;
}
