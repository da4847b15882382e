import type { ApiReply } from '#client/ports.ts';
import type { BrowserFetcher } from '../../common/browser-fetcher.ts';

declare global {
  // The only variable that console/prefetch.ts and the console share.
  var longshoreReplies: Map<string, Promise<ApiReply>> | undefined;
}

/** Uses an answer that was asked for before the console's code was there (console/prefetch.ts), once and for the same address. */
export function withPrefetched(send: BrowserFetcher, replies: Map<string, Promise<ApiReply>> | undefined): BrowserFetcher {
  return async (request) => {
    const reply = request.method === 'GET' ? replies?.get(request.url) : undefined;
    if (!reply) return await send(request);
    replies!.delete(request.url);
    // What could not be had early is asked for as ever, which also says why.
    return await reply.catch(() => send(request));
  };
}
