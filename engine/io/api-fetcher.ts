import type { Dispatcher } from 'undici';
import type { Fetcher } from '#client/ports.ts';
import { exchange } from './exchange.ts';
import { busyWith, type Timekeeper, untimed } from './time-split.ts';

/** A package's list of files is the longest answer there is: some 300 bytes a file. */
const longestAnswer = 256 * 1024 * 1024;

/** The `Fetcher` of Node: calls of the hosted API, and small ones of the storage. */
export function createApiFetcher(dispatcher: Dispatcher, times: Timekeeper = untimed): Fetcher {
  return async (request) => {
    const { status, headers, body } = await busyWith(times, 'server', () => exchange(dispatcher, request, longestAnswer));
    return { status, headers, text: body.toString('utf8') };
  };
}
