import type { BrowserFetcher } from './browser-fetcher.ts';

/** Small, since a page loads it. The first digit is not 0: all 0 would mean "none". */
const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => (byte + 256).toString(16).slice(1))
    .join('')
    .replace(/^0/, '1');

/** All that a visit to a page causes has one trace (protocol/trace-context.ts). Storage is told nothing: a bucket's rules for browsers do not know it. */
export function withVisitTrace(fetcher: BrowserFetcher): BrowserFetcher {
  const traceparent = `00-${hex(16)}-${hex(8)}-00`;
  return (request) => fetcher(request.service === undefined ? request : { ...request, headers: { ...request.headers, traceparent } });
}
