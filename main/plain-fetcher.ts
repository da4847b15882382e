import type { Fetcher } from '#client/ports.ts';
import { explained } from '#engine/io/net-failures.ts';

const timeoutMilliseconds = 30_000;

/** Small requests to the hosted API by the platform's own `fetch`. */
export const plainFetcher: Fetcher = async ({ method, url, headers, body, signal }) => {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const reply = await fetch(url, {
    method,
    headers,
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body === undefined ? {} : { body }),
  }).catch((error: unknown) => {
    // The platform's client reports only that it failed; the reason is in the cause.
    throw error instanceof TypeError && error.cause instanceof Error ? explained(error.cause) : error;
  });
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
};
