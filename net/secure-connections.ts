import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';

interface SecureConnections {
  /** What requests come over on an accepted connection, once TLS is agreed on. */
  over(accepted: Socket): Socket;
  /** Closes connections that have not agreed on TLS yet: nobody waits for an answer on them. */
  closeIdle(): void;
  closeAll(): void;
}

/** Has `accept` decide on each connection before any work is done for it; it has closed those that it refuses. */
export function acceptBeforeTls(server: Server, accept: (socket: Socket) => boolean): SecureConnections {
  const greet = server.listeners('connection') as ((socket: Socket) => void)[];
  /** By the peer's address and port, which both sockets of a connection know. */
  const accepted = new Map<string, { readonly socket: Socket; secure: TLSSocket | null }>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!accept(socket)) return;
    const peer = peerOf(socket);
    const connection = { socket, secure: null };
    accepted.set(peer, connection);
    socket.once('close', () => accepted.get(peer) === connection && accepted.delete(peer));
    for (const one of greet) one.call(server, socket);
  });
  server.prependListener('secureConnection', (secure: TLSSocket) => {
    const connection = accepted.get(peerOf(secure));
    if (connection) connection.secure = secure;
  });
  return {
    over: (socket) => accepted.get(peerOf(socket))?.secure ?? socket,
    closeIdle() {
      for (const { socket, secure } of accepted.values()) if (!secure) socket.destroy();
    },
    closeAll() {
      for (const { socket } of accepted.values()) socket.destroy();
    },
  };
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
