import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { longestProxyHeader, type ProxiedClient, parseProxyHeader } from './parse-header.ts';

interface ExpectOptions {
  /** Proxies, whose connections must begin with a header. No other connection may: it then is no valid request. */
  readonly isProxy: (address: string) => boolean;
  /** Until the header has to be there. */
  readonly milliseconds?: number;
  /** Connections that may wait for theirs; more are closed. */
  readonly most?: number;
  /** Called with what a proxy sent that is no header, at most once a minute. */
  readonly onInvalid?: (facts: { readonly proxy: string | undefined }) => void;
}

interface WaitingConnections {
  /** Closes connections whose header has not come. */
  close(): void;
}

const defaults = { milliseconds: 5_000, most: 1_024 } as const;
const reportMilliseconds = 60_000;

/**
 * Holds each connection of a proxy back from the server until its header of the PROXY protocol was read; from then on it has
 * the client's address and port. Call it when all listeners of connections are there.
 */
export function expectProxyHeaders(server: Server, options: ExpectOptions): WaitingConnections {
  const { isProxy, milliseconds = defaults.milliseconds, most = defaults.most, onInvalid } = options;
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const isSecure = server.listenerCount('secureConnection') > 0;
  const waiting = new Set<Socket>();
  /** With TLS there are two sockets for a connection, which have the proxy's port in common. */
  const clients = new Map<string, ProxiedClient>();
  let reportedAt = Number.NEGATIVE_INFINITY;

  const serve = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket);
  };
  const refuse = (socket: Socket): void => {
    const now = performance.now();
    if (onInvalid && now - reportedAt >= reportMilliseconds) {
      reportedAt = now;
      onInvalid({ proxy: socket.remoteAddress });
    }
    socket.destroy();
  };

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!isProxy(socket.remoteAddress ?? '')) return serve(socket);
    if (waiting.size >= most) return void socket.destroy();
    waiting.add(socket);
    readHeader(socket, milliseconds, {
      done(client) {
        waiting.delete(socket);
        if (client) {
          if (isSecure) {
            const ends = endsOf(socket);
            clients.set(ends, client);
            socket.once('close', () => clients.delete(ends));
          }
          become(socket, client);
        }
        serve(socket);
        // The one of TLS reads by itself.
        if (!isSecure) socket.resume();
      },
      invalid() {
        waiting.delete(socket);
        refuse(socket);
      },
      closed: () => void waiting.delete(socket),
    });
  });
  if (isSecure) {
    server.prependListener('secureConnection', (secure: TLSSocket) => {
      const client = clients.get(endsOf(secure));
      if (client) become(secure, client);
    });
  }
  return {
    close() {
      for (const socket of waiting) socket.destroy();
    },
  };
}

const endsOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function become(socket: Socket, { address, port }: ProxiedClient): void {
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
  Object.defineProperty(socket, 'remotePort', { value: port, configurable: true });
}

interface HeaderEvents {
  /** Bytes that follow the header can be read from the socket, which is paused. */
  readonly done: (client: ProxiedClient | null) => void;
  readonly invalid: () => void;
  /** The connection ended before. */
  readonly closed: () => void;
}

function readHeader(socket: Socket, milliseconds: number, { done, invalid, closed }: HeaderEvents): void {
  let head: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => leave(invalid), milliseconds).unref();
  const leave = (then: () => void): void => {
    clearTimeout(timer);
    socket.off('data', onData).off('error', onGone).off('end', onGone).off('close', onGone);
    socket.pause();
    then();
  };
  const onGone = (): void =>
    leave(() => {
      socket.destroy();
      closed();
    });
  const onData = (bytes: Buffer): void => {
    // One piece is more than a header is long only if more follows it.
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const header = parseProxyHeader(head);
    if (header.kind === 'incomplete' && head.length < longestProxyHeader) return;
    leave(() => {
      if (header.kind !== 'complete') return invalid();
      const rest = head.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      done(header.client);
    });
  };
  socket.on('error', onGone).on('end', onGone).on('close', onGone).on('data', onData);
}
