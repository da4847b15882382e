import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface CorsBucket {
  /** For `public_url` of a `STORAGE_URL`. */
  readonly url: string;
  /** Where the S3 server is, and the page that may use it. */
  configure(facts: { readonly upstream: string; readonly origin: string }): void;
  /** Methods that browsers have asked for first. */
  readonly preflights: readonly string[];
  close(): Promise<void>;
}

/**
 * Stands before an S3 server as a bucket with the CORS rules that docs/operating/storage.md asks for, and no more: GET, HEAD, POST
 * and PUT from the service's origin, no header, `ETag` and `Retry-After` to be seen. The server of our tests has no such rules by itself.
 */
export async function startCorsBucket(): Promise<CorsBucket> {
  const preflights: string[] = [];
  let [upstream, allowed] = ['', ''];

  function preflight({ headers }: IncomingMessage, response: ServerResponse): void {
    const method = headers['access-control-request-method'] ?? '';
    preflights.push(method);
    const fine = headers.origin === allowed && ['GET', 'HEAD', 'POST', 'PUT'].includes(method);
    if (!fine || headers['access-control-request-headers'] !== undefined) return void response.writeHead(403).end();
    response.writeHead(200, { 'access-control-allow-origin': allowed, 'access-control-allow-methods': 'GET, HEAD, POST, PUT' }).end();
  }

  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'OPTIONS') return preflight(incoming, outgoing);
    const { method, url, headers } = incoming;
    const { hostname, port } = new URL(upstream);
    // The host that was signed goes on as it came.
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      const cors =
        headers.origin === allowed ? { 'access-control-allow-origin': allowed, 'access-control-expose-headers': 'ETag, Retry-After' } : {};
      outgoing.writeHead(answer.statusCode!, { ...answer.headers, ...cors });
      pipeline(answer, outgoing, () => {});
    });
    onward.on('error', () => outgoing.destroy());
    pipeline(incoming, onward, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    configure(facts) {
      upstream = facts.upstream;
      allowed = facts.origin;
    },
    preflights,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
