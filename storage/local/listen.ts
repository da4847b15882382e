import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isFast } from '#filesystem/fast.ts';
import { createFindClientAddress, createIsProxy } from '#net/client-address.ts';
import { closeServer } from '#net/close-server.ts';
import { Connections } from '#net/connections.ts';
import { expectProxyHeaders } from '#net/proxy-protocol/expect-header.ts';
import { acceptBeforeTls } from '#net/secure-connections.ts';
import type { TlsPair } from '#net/tls-pair.ts';
import { StorageError } from '../errors.ts';
import type { DataPlane } from './data-plane.ts';
import { createRawHttp, type RawHttp } from './fast/raw-http.ts';

export interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

interface ListeningOptions {
  readonly listen: Address;
  /** Idle timeout of a connection, in milliseconds. */
  readonly idleMilliseconds: number;
  /** Limits for all connections, and for one address. */
  readonly connections?: { readonly most: number; readonly mostOfOne: number } | undefined;
  /** Trusted proxies, whose `X-Forwarded-For` is used (net/client-address.ts). */
  readonly trustProxy?: string | undefined;
  /** Connections of trusted proxies begin with a header of the PROXY protocol. */
  readonly proxyProtocol?: boolean | undefined;
  /** Without it plain HTTP. */
  readonly tls?: TlsPair | undefined;
}

export interface Listening {
  readonly port: number;
  /** With TLS: new connections get this certificate, those that are open go on. */
  useCertificate(pair: TlsPair): void;
  /** Accepts no more connections, lets requests finish for at most `drainMilliseconds`, then cuts the rest. */
  close(drainMilliseconds: number): Promise<void>;
}

const defaultConnections = { most: 4_096, mostOfOne: 1_024 } as const;
const headMilliseconds = 30_000;
const keepAliveMilliseconds = 75_000;

/** Serves a data plane over HTTP/1.1. A sender may be slow as long as bytes move. */
export async function listenForData(plane: DataPlane, options: ListeningOptions): Promise<Listening> {
  const { listen, idleMilliseconds } = options;
  const settings = {
    requestTimeout: 0,
    headersTimeout: headMilliseconds,
    keepAliveTimeout: keepAliveMilliseconds,
    maxHeaderSize: 16 * 1024,
    noDelay: true,
  };
  const secure = options.tls ? createSecureServer({ ...settings, ...options.tls, handshakeTimeout: headMilliseconds }) : null;
  // It has all that a server of plain HTTP has.
  const server = (secure as SecureServer & Server) ?? createServer(settings);
  server.setTimeout(idleMilliseconds);
  server.on('request', (request, response) => plane.handle(request, response, false));
  server.on('checkContinue', (request, response) => plane.handle(request, response, true));
  const connections = new Connections({
    ...(options.connections ?? defaultConnections),
    findClientAddress: createFindClientAddress(options.trustProxy),
    now: () => performance.now(),
    onTooMany: ({ peer }) => plane.onTrouble(new StorageError('storage_unavailable', tooMany(peer))),
  });
  const onInvalid = ({ proxy }: { readonly proxy: string | undefined }): void =>
    plane.onTrouble(new StorageError('storage_unavailable', `The proxy ${proxy} sent no header of the PROXY protocol. It is not served.`));
  // Inside TLS the kernel cannot read into our buffers: all requests are the ordinary server's.
  const others = secure
    ? acceptBeforeTls(secure, (socket) => connections.accept(socket))
    : isFast
      ? lookFirst(server, plane, connections, idleMilliseconds)
      : acceptFirst(server, connections);
  // After all that listens for connections.
  const unknown = options.proxyProtocol ? expectProxyHeaders(server, { isProxy: createIsProxy(options.trustProxy), onInvalid }) : null;
  try {
    await listening(server, listen);
  } catch (error) {
    connections.close();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: (pair) => secure?.setSecureContext(pair),
    async close(drainMilliseconds) {
      connections.close();
      await closeServer(server, drainMilliseconds, {
        closeIdle() {
          unknown?.close();
          others?.closeIdle();
        },
        closeAll: () => others?.closeAll(),
      });
    },
  };
}

const tooMany = (peer: string | null): string =>
  `There are too many connections${peer === null ? '' : ` from ${peer}`}. New ones are refused.`;

/** Each connection that is accepted is the ordinary server's. */
function acceptFirst(server: Server, connections: Connections): undefined {
  const ordinary = server.listeners('connection') as ((connection: Duplex) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (connections.accept(socket)) for (const serve of ordinary) serve.call(server, socket);
  });
}

/** Every connection starts in the raw HTTP reader, which hands requests of any other kind over to the server. */
function lookFirst(server: Server, { acceptPart, answerHeaders }: DataPlane, connections: Connections, idleMilliseconds: number): RawHttp {
  const ordinary = server.listeners('connection') as ((connection: Duplex) => void)[];
  const raw = createRawHttp({
    accept: acceptPart,
    handOver: (connection) => {
      for (const serve of ordinary) serve.call(server, connection);
    },
    replaced: (first, second) => connections.replaced(first, second),
    idleMilliseconds,
    headMilliseconds,
    keepAliveMilliseconds,
    answerHeaders: [...answerHeaders].map(([name, value]) => `${name}: ${value}\r\n`).join(''),
  });
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (connections.accept(socket)) raw.connected(socket);
  });
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
