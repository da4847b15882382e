import type { IncomingMessage, ServerResponse } from 'node:http';
import { metricsType, type ServiceMetrics } from './metrics.ts';

/**
 * Answers `GET /metrics` and nothing else, on its own address (docs/decisions/0027), because the API's address is
 * public. Requests from other sites' pages in a browser on this machine are refused.
 */
export function metricsHandler(metrics: ServiceMetrics, failed: (error: unknown) => void) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    const say = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).end(text);
    };
    const site = request.headers['sec-fetch-site'];
    if (request.headers.origin !== undefined || (site !== undefined && site !== 'none')) say(403, 'Not for pages.\n');
    else if ((request.method !== 'GET' && request.method !== 'HEAD') || request.url?.split('?')[0] !== '/metrics')
      say(404, 'There is GET /metrics here.\n');
    else
      metrics.text().then(
        (text) => say(200, text, metricsType),
        (error: unknown) => {
          failed(error);
          say(500, 'The metrics could not be read. The log says more.\n');
        },
      );
  };
}
