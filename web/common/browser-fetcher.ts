import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { createStallTimeouts, type StallTimeouts } from '#client/stall-timeouts.ts';

export interface BrowserRequest extends ApiRequest {
  /** Is given the text of the answer piece by piece, as it comes. */
  readonly onText?: (piece: string) => void;
}

/** A `Fetcher` whose answers may be read while they come. */
export type BrowserFetcher = (request: BrowserRequest) => Promise<ApiReply>;

/**
 * Browser requests without referrer or cache: only what the caller gives is sent, and cookies only with `same-origin`. A
 * stalled request is aborted.
 */
export function browserFetcher(
  fetcher: typeof fetch,
  stallTimeouts: StallTimeouts = createStallTimeouts(),
  credentials: RequestCredentials = 'omit',
): BrowserFetcher {
  return async ({ method, url, headers, body, signal, onText }) => {
    const stop = new AbortController();
    const wait = stallTimeouts.waitFor({ method, url: new URL(url, globalThis.location?.href), bytes: body?.length ?? 0 });
    const stalled = (): void => {
      wait.stalled();
      stop.abort(new Error('it stopped answering, and no byte moved for too long'));
    };
    const began = performance.now();
    let timer = setTimeout(stalled, wait.inAll);
    try {
      const response = await fetcher(url, {
        method,
        headers,
        cache: 'no-store',
        credentials,
        referrerPolicy: 'no-referrer',
        signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
        ...(body === undefined ? {} : { body }),
      });
      wait.answered(performance.now() - began);
      let text = '';
      const alive = (): void => {
        clearTimeout(timer);
        timer = setTimeout(stalled, wait.betweenPieces);
      };
      alive();
      for await (const piece of pieces(response)) {
        alive();
        text += piece;
        onText?.(piece);
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), text };
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The response text in chunks as it is received, without a byte order mark. */
async function* pieces({ body }: Response): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    yield decoder.decode(value, { stream: !done });
    if (done) return;
  }
}
