import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createFindClientAddress, createIsProxy } from '#net/client-address.ts';
import { closeServer } from '#net/close-server.ts';
import { Connections } from '#net/connections.ts';
import { localHostInUrl } from '#net/host-in-url.ts';
import { type LingerLimits, lingerOnClose } from '#net/linger.ts';
import { expectProxyHeaders } from '#net/proxy-protocol/expect-header.ts';
import { acceptBeforeTls } from '#net/secure-connections.ts';
import type { TlsPair } from '#net/tls-pair.ts';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { acceptedBatchPut } from '#protocol/storage/batch-put.ts';
import { batchPutPath } from '#protocol/storage/requests.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import { defaultHttp2Limits, type Http2Limits, serveHttp2 } from './http2/sessions.ts';
import { storageGatewayPath } from './storage-gateway.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export interface Listener {
  readonly server: Server;
  readonly port: number;
  /** `http://host:port`, `https:` with TLS, with a host that this machine can connect to. */
  readonly url: string;
  /** Hands requests to the app; before that they are answered 503. */
  serve(handler: RequestListener): void;
  /** With TLS: new connections get this certificate, those that are open go on. */
  useCertificate(pair: TlsPair): void;
  /** Stops accepting connections, lets requests in progress finish for `drainMilliseconds`, then cuts them off. */
  close(drainMilliseconds: number): Promise<void>;
}

interface ListenOptions {
  /** Maximum connections in total (8,192 by default), and per address (1,024). */
  readonly connections?: { readonly most: number; readonly mostOfOne: number };
  /** Trusted proxies, whose forwarded client addresses are believed. A connection from one carries many people's requests. */
  readonly trustProxy?: string | undefined;
  /** Connections of trusted proxies begin with a header of the PROXY protocol. */
  readonly proxyProtocol?: boolean | undefined;
  /** A request that receives no data for this many milliseconds is answered 408; 15 s by default. */
  readonly stallMilliseconds?: number;
  readonly linger?: LingerLimits;
  /** With TLS, of HTTP/2; for tests. */
  readonly http2?: Partial<Http2Limits>;
  /** Without it plain HTTP. */
  readonly tls?: TlsPair | undefined;
  readonly log?: Pick<Log, 'warn'>;
}

const defaultConnections = { most: 8_192, mostOfOne: 1_024 } as const;
const defaultStallMilliseconds = 15_000;
/** Timeout of a whole request, with its body. */
const requestMilliseconds = 120_000;
/** A client that reads nothing of a response for this long is cut off. Streams have their own timeouts (streams.ts). */
const readerMilliseconds = 60_000;

/** Longer than clients and proxies keep a connection alive, so that they, not we, close an idle one. */
const keepAliveMilliseconds = 72_000;

/**
 * Opens the port, before any slow startup work, and owns the timeouts. Errors: `StartError` for a port that is in use
 * or not allowed, and for an address that is not this machine's.
 */
export async function listen(address: ListenAddress, options: ListenOptions = {}): Promise<Listener> {
  let handler: RequestListener = answerNotReady;
  const settings = {
    keepAliveTimeout: keepAliveMilliseconds,
    headersTimeout: 20_000,
    requestTimeout: requestMilliseconds,
    connectionsCheckingInterval: 5_000,
  };
  const onRequest: RequestListener = (request, response) => {
    // Several share a connection of HTTP/2: it is followed by itself.
    if (request.httpVersionMajor === 1) exchanges.begin(request, response);
    handler(request, response);
  };
  const protocols = { ALPNProtocols: ['h2', 'http/1.1'] };
  const secure = options.tls
    ? createSecureServer({ ...settings, ...options.tls, ...protocols, handshakeTimeout: 20_000 }, onRequest)
    : null;
  // It has all that a server of plain HTTP has.
  const server = (secure as SecureServer & Server) ?? createServer(settings, onRequest);
  // A client that asks first (`Expect: 100-continue`) must not start a body that is too large to be read.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const most = request.url?.startsWith(`${storageGatewayPath}/${batchPutPath}?`) ? acceptedBatchPut.bodyBytes : limits.bodyBytes;
    if (!(Number(request.headers['content-length']) > most)) response.writeContinue();
    server.emit('request', request, response);
  });
  const exchanges = createExchangeTracker();
  const findClientAddress = createFindClientAddress(options.trustProxy);
  const stallMilliseconds = options.stallMilliseconds ?? defaultStallMilliseconds;
  const timeouts = { idleMilliseconds: keepAliveMilliseconds, stallMilliseconds, requestMilliseconds, readerMilliseconds };
  const http2 = secure && serveHttp2(secure, findClientAddress, { ...defaultHttp2Limits, ...timeouts, ...options.http2 });
  const connections = new Connections({
    ...(options.connections ?? defaultConnections),
    findClientAddress,
    now: () => performance.now(),
    isServed(socket) {
      const own = beforeTls?.over(socket) ?? socket;
      return exchanges.of(own)?.request.complete === true || http2?.isServed(own) === true;
    },
    onTooMany: (facts) => options.log?.warn(facts, 'there are too many connections: new ones are refused'),
  });
  const onInvalid = (facts: { readonly proxy: string | undefined }): void =>
    options.log?.warn(facts, 'a trusted proxy sent no header of the PROXY protocol: its connection was closed');
  const linger = (socket: Socket): void => lingerOnClose(socket, (one) => exchanges.last(one), options.linger);
  const beforeTls = secure && acceptBeforeTls(secure, (socket) => connections.accept(socket));
  if (secure) secure.prependListener('secureConnection', linger);
  else server.prependListener('connection', (socket: Socket) => connections.accept(socket) && linger(socket));
  // After all that listens for connections.
  const unknown = options.proxyProtocol ? expectProxyHeaders(server, { isProxy: createIsProxy(options.trustProxy), onInvalid }) : null;
  server.setTimeout(stallMilliseconds, (socket) => {
    const exchange = exchanges.of(socket);
    if (!exchange) return void socket.destroy();
    const { request, response } = exchange;
    if (!request.complete) return refuse(socket, response, stalled(stallMilliseconds));
    // A client that waits for our response is not a stalled reader.
    if (!response.writableEnded || socket.writableLength === 0) return;
    if (exchange.silent) return void socket.destroy();
    exchange.silent = true;
    socket.setTimeout(readerMilliseconds - stallMilliseconds);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Whoever does not agree on TLS cannot be told anything.
    if (error.code === 'ECONNRESET' || /^ERR_(SSL|TLS)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy();
    const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    refuse(
      socket as Socket,
      exchanges.of(socket as Socket)?.response,
      late ? stalled(requestMilliseconds) : new ApiError('invalid_request', { detail: 'The request is not valid HTTP.' }),
    );
  });
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    connections.close();
    throw portProblem(error, address);
  }
  const closeIdle = (): void => {
    unknown?.close();
    beforeTls?.closeIdle();
    http2?.close();
  };
  const closeAll = (): void => beforeTls?.closeAll();
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : address.port;
  return {
    server,
    port,
    url: `${secure ? 'https' : 'http'}://${localHostInUrl(address.host)}:${port}`,
    serve(given) {
      handler = given;
    },
    useCertificate: (pair) => secure?.setSecureContext(pair),
    async close(drainMilliseconds) {
      connections.close();
      await closeServer(server, drainMilliseconds, { closeIdle, closeAll });
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether its client was found to read nothing. */
  silent: boolean;
}

/** The unanswered request of each connection, and the most recent one. */
function createExchangeTracker() {
  const exchanges = new WeakMap<Duplex, Exchange>();
  const last = new WeakMap<Duplex, IncomingMessage>();
  return {
    last: (socket: Duplex): IncomingMessage | undefined => last.get(socket),
    begin(request: IncomingMessage, response: ServerResponse) {
      const { socket } = request;
      last.set(socket, request);
      exchanges.set(socket, { request, response, silent: false });
      response.once('close', () => {
        if (exchanges.get(socket)?.request === request) exchanges.delete(socket);
      });
    },
    of: (socket: Duplex): Exchange | undefined => exchanges.get(socket),
  };
}

const stalled = (milliseconds: number): ApiError => new ApiError('request_stalled', { seconds: milliseconds / 1_000 });

/** Sends an error that no handler will send, and closes the connection. If a response has begun, it is cut off. */
function refuse(socket: Socket, response: ServerResponse | undefined, { status, body }: ApiError): void {
  if (response?.headersSent || !socket.writable) return void socket.destroy();
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  socket.write(`${head}connection: close\r\n\r\n${text}`);
  socket.destroySoon();
}

/** Alive, so that nobody kills it in the middle of its migrations, and not ready (contract/system.md §2). */
const beforeReady: Readonly<Record<string, { readonly status: number; readonly body: object }>> = {
  '/healthz': { status: 200, body: { status: 'starting' } },
  '/readyz': { status: 503, body: { status: 'not_ready', checks: { start: { status: 'failed', reason: 'The service is starting.' } } } },
};

const answerNotReady: RequestListener = (request, response) => {
  const { status, body } = beforeReady[request.url ?? ''] ?? new ApiError('unavailable');
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' }).end(JSON.stringify(body));
};

/** Explains a failed listen in one sentence. */
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
