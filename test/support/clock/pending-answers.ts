import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The requests that HTTP servers of this process have received whole and not yet answered: each waits for a database or a
 * disk, which take as long as the machine is busy. `close` ends the watch.
 */
export function watchAnswers(): { pending(): boolean; close(): void } {
  const open = new Set<Exchange>();
  const began = (message: unknown): void => {
    const exchange = message as Exchange;
    open.add(exchange);
    exchange.response.once('close', () => open.delete(exchange));
  };
  subscribe('http.server.request.start', began);
  return {
    pending: () => [...open].some(({ request, response }) => request.complete && !response.writableEnded),
    close: () => void unsubscribe('http.server.request.start', began),
  };
}
