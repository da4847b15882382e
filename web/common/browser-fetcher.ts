import type { Fetcher } from '#client/ports.ts';

/** Requests of the browser that carry nothing but what they are given: no cookie, no referrer, no cache. */
export function browserFetcher(fetcher: typeof fetch): Fetcher {
  return async ({ method, url, headers, body, signal }) => {
    const response = await fetcher(url, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
}
