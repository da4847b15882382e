import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { ApiError } from '#protocol/errors.ts';
import { StartError } from '../start-error.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export interface Listener {
  readonly server: Server;
  readonly port: number;
  /** `http://host:port`, with a host that this machine can connect to. */
  readonly url: string;
  /** Hands requests to the app; before that they are answered 503. */
  serve(handler: RequestListener): void;
  /** Stops accepting, lets requests under way finish for `drainMilliseconds`, then cuts them. */
  close(drainMilliseconds: number): Promise<void>;
}

/** Longer than what clients and proxies keep a connection for, so that they, not we, end an idle one. */
const keepAliveMilliseconds = 72_000;

/**
 * Takes the port, before anything slow is done, and owns the timeouts. Errors: `StartError` for a port that is
 * taken or not allowed, and for an address that is not this machine's.
 */
export async function listen(address: ListenAddress): Promise<Listener> {
  let handler: RequestListener = notYet;
  const server = createServer(
    { keepAliveTimeout: keepAliveMilliseconds, headersTimeout: 20_000, requestTimeout: 120_000 },
    (request, response) => handler(request, response),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const body = JSON.stringify(new ApiError('invalid_request', { detail: 'The request is not valid HTTP.' }).body);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw portProblem(error, address);
  }
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : address.port;
  return {
    server,
    port,
    url: `http://${hostForUrl(address.host)}:${port}`,
    serve(given) {
      handler = given;
    },
    async close(drainMilliseconds) {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      // Requests that end now leave idle connections behind, which would hold the close up.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

const notYet: RequestListener = (_request, response) => {
  const { status, body } = new ApiError('unavailable');
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' }).end(JSON.stringify(body));
};

/** What a failed listen means, as a sentence. */
export function portProblem(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new StartError(
        'port_taken',
        `Port ${port} on ${host} is taken by another program. Stop that program, or choose another port by --listen ${host}:PORT.`,
        { cause: error, retryable: true },
      );
    case 'EACCES':
      return new StartError(
        'port_taken',
        `Port ${port} needs privileges that this user does not have. Choose one above 1023 by --listen.`,
        {
          cause: error,
        },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError('address_unavailable', `${host} is not an address of this machine. Choose another by --listen HOST:PORT.`, {
        cause: error,
      });
    default:
      return error;
  }
}

function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
