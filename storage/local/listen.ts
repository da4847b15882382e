import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StorageError } from '../errors.ts';
import { BufferPool } from './buffer-pool.ts';
import type { DataPlane } from './data-plane.ts';
import { gatherSize } from './gathering-writer.ts';
import { createRawLane, type RawLane } from './raw-lane.ts';

export interface Address {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
}

export interface ListeningOptions {
  readonly listen: Address;
  /** A connection on which nothing moves for so many milliseconds is closed. */
  readonly idleMilliseconds: number;
}

export interface Listening {
  readonly port: number;
  /** Takes no more connections, lets requests finish for at most so many milliseconds, then cuts the rest. */
  close(drainMilliseconds: number): Promise<void>;
}

const maxConnections = 4_096;
const headMilliseconds = 30_000;
const keepAliveMilliseconds = 75_000;
/** Buffers for strides that wait unused. */
const keptBuffers = 16;

/** Serves a data plane over HTTP/1.1. Senders may be as slow as they like while bytes move. */
export async function listenForData(plane: DataPlane, { listen, idleMilliseconds }: ListeningOptions): Promise<Listening> {
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: headMilliseconds,
    keepAliveTimeout: keepAliveMilliseconds,
    maxHeaderSize: 16 * 1024,
    noDelay: true,
  });
  server.maxConnections = maxConnections;
  server.setTimeout(idleMilliseconds);
  server.on('request', (request, response) => plane.handle(request, response, false));
  server.on('checkContinue', (request, response) => plane.handle(request, response, true));
  const raw = lookFirst(server, plane, idleMilliseconds);
  await listening(server, listen);
  return { port: (server.address() as AddressInfo).port, close: (drainMilliseconds) => closed(server, raw, drainMilliseconds) };
}

/** Every connection begins in the raw lane, which gives the server those that it does not know. */
function lookFirst(server: Server, { acceptPart, answerHeaders }: DataPlane, idleMilliseconds: number): RawLane {
  const ordinary = server.listeners('connection') as ((connection: Duplex) => void)[];
  const raw = createRawLane({
    accept: acceptPart,
    handOver: (connection) => {
      for (const serve of ordinary) serve.call(server, connection);
    },
    buffers: new BufferPool(gatherSize, keptBuffers),
    idleMilliseconds,
    headMilliseconds,
    keepAliveMilliseconds,
    answerHeaders: [...answerHeaders].map(([name, value]) => `${name}: ${value}\r\n`).join(''),
  });
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => raw.connected(socket));
  return raw;
}

function listening(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): StorageError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken by another program. Stop that one or choose another port for the storage.`,
    EACCES: `Port ${port} of ${host} needs more rights than this program has. Choose a port above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Choose another one for the storage to listen on.`,
  };
  const message = sentences[cause.code ?? ''] ?? `The storage cannot listen on ${host}:${port}: ${cause.message}`;
  return new StorageError('cannot_listen', message, { cause, details: { host, port } });
}

/** How often to look for connections that have become idle: they would keep the server from closing. */
const lookMilliseconds = 50;

function closed(server: Server, raw: RawLane, drainMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => {
      raw.closeIdle();
      server.closeIdleConnections();
    }, lookMilliseconds);
    const last = setTimeout(() => {
      raw.closeAll();
      server.closeAllConnections();
    }, drainMilliseconds);
    raw.closeIdle();
    server.close(() => {
      clearInterval(idle);
      clearTimeout(last);
      resolve();
    });
  });
}
