import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How much, and for how long, a client may still send after it was answered before the end of its request. */
export interface LingerLimits {
  readonly bytes: number;
  readonly milliseconds: number;
  /** The interval at which the bounds are checked. */
  readonly everyMilliseconds: number;
}

const defaultLinger: LingerLimits = { bytes: 256 * 1024 * 1024, milliseconds: 120_000, everyMilliseconds: 250 };

/**
 * Closes a connection whose last response was early (for example, the body is too large) in a way that the client can
 * read the response. Closing while the client still sends resets the connection, and the unread response is lost. So
 * our side is closed first, the remaining data is read and discarded, and the connection is closed at the end of the
 * request or when a bound is reached.
 *
 * Node ends a connection by `destroySoon`, once its last response is written.
 */
export function lingerOnClose(
  socket: Socket,
  requestOf: (socket: Socket) => IncomingMessage | undefined,
  { bytes, milliseconds, everyMilliseconds }: LingerLimits = defaultLinger,
): void {
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const request = requestOf(socket);
    if (!request || request.complete || socket.destroyed) return close();
    socket.end();
    const already = socket.bytesRead;
    const since = performance.now();
    const look = setInterval(() => {
      if (socket.bytesRead - already > bytes || performance.now() - since > milliseconds) socket.destroy();
    }, everyMilliseconds);
    request.once('end', close);
    socket.once('close', () => clearInterval(look));
  };
}

/** The same for every connection of a server. Call it before the server answers anything. */
export function lingerOnEarlyAnswers(server: Server): void {
  const last = new WeakMap<Socket, IncomingMessage>();
  server.prependListener('connection', (socket: Socket) => lingerOnClose(socket, (one) => last.get(one)));
  server.prependListener('request', (request: IncomingMessage) => void last.set(request.socket, request));
}
