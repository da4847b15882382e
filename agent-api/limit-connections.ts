import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKeyOf } from '#net/address-key.ts';
import { Connections } from '#net/connections.ts';

/** Connections at once, of all and of one address. */
export interface ConnectionLimits {
  readonly most: number;
  readonly mostOfOne: number;
}

/** All of this machine's programs have one address, and a proxy before the agent too. */
export const loopbackLimits: ConnectionLimits = { most: 1_024, mostOfOne: 1_024 };
export const networkLimits: ConnectionLimits = { most: 1_024, mostOfOne: 256 };

/** Limits the connections of a server, which has no other limit before a caller has shown a token. The slowest go first. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const served = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: 1 | -1): void => void served.set(socket, (served.get(socket) ?? 0) + change);
  const connections = new Connections({
    ...limits,
    findClientAddress: (address) => addressKeyOf(address),
    now: () => performance.now(),
    // An event stream is slow by nature.
    isServed: (socket) => (served.get(socket) ?? 0) > 0,
  });
  server.prependListener('connection', (socket: Socket) => void connections.accept(socket));
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  server.once('close', () => connections.close());
}
