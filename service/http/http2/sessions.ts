import { constants, createServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FindClientAddress } from '#net/client-address.ts';
import { ApiError } from '#protocol/errors.ts';
import { createPermits } from '../permits.ts';
import { Http2Request, Http2Response } from './exchange.ts';

export interface Http2Limits {
  /** Requests that an address may have under way at once, over all its connections, and all addresses together. More are refused. */
  readonly requests: { readonly perHolder: number; readonly total: number };
  /** Until the first request of a connection. */
  readonly firstMilliseconds: number;
  /** A connection without a request and without a byte for this long is closed. */
  readonly idleMilliseconds: number;
  /** A request that receives no data for this long is answered 408. */
  readonly stallMilliseconds: number;
  /** Timeout of a whole request, with its body. */
  readonly requestMilliseconds: number;
  /** A client that reads nothing of a response for this long is cut off. */
  readonly readerMilliseconds: number;
  /** After a connection's last answer, until it is closed from here. */
  readonly closeMilliseconds: number;
}

export const defaultHttp2Limits = {
  requests: { perHolder: 2_048, total: 16_384 },
  firstMilliseconds: 20_000,
  closeMilliseconds: 5_000,
} as const;

interface Http2Sessions {
  /** Whether a request that was received is being answered on it. */
  isServed(socket: Socket): boolean;
  /** Tells clients to begin nothing new here; a connection closes with its last answer. */
  close(): void;
}

/** What a connection may have sent that nobody has read yet, in bytes: a stranger can make all of them be held. */
const windowBytes = 256 * 1024;

const settings = {
  enablePush: false,
  initialWindowSize: windowBytes,
  maxConcurrentStreams: 100,
  /** As of HTTP/1.1 (16 KiB), with the 32 bytes that HTTP/2 adds for each of up to 128. */
  maxHeaderListSize: 20 * 1024,
} as const;

/** Resets by the client, of streams it has begun: at once, and again in a second. A page that is left resets all it had asked for. */
const resets = { streamResetBurst: 200, streamResetRate: 20 } as const;

/** Frames of a connection that have to be answered and ask for nothing (PING, SETTINGS): at once, and again in a second. */
const idleFrames = { burst: 200, rate: 20 } as const;

interface Session {
  /** Whose requests count together: its address, or behind a trusted proxy, where many people share a connection, itself. */
  readonly holder: string;
  readonly requests: Set<Http2Request>;
  /** To be called when it may have had its last answer. */
  settle: () => void;
}

/**
 * HTTP/2 for the clients that choose it in the greeting of TLS (ALPN `h2`), as `request` and `checkContinue` of the same server;
 * all others go on as before. Call it before others listen for its connections.
 */
export function serveHttp2(server: SecureServer, findClientAddress: FindClientAddress, limits: Http2Limits): Http2Sessions {
  const permits = createPermits(limits.requests);
  const sessions = new Map<ServerHttp2Session, Session>();
  const bySocket = new WeakMap<Socket, Session>();
  // It listens nowhere: it is given connections.
  const classes = {
    Http2ServerRequest: Http2Request as typeof Http2ServerRequest,
    Http2ServerResponse: Http2Response as typeof Http2ServerResponse,
  };
  const http2 = createServer({ settings, ...resets, ...classes });
  const http1 = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') {
      for (const listener of http1) listener.call(server, socket);
      return;
    }
    http2.once('session', (session) => begin(session, socket));
    http2.emit('connection', socket);
  });

  let proxied = 0;
  function begin(session: ServerHttp2Session, socket: TLSSocket): void {
    const holder = findClientAddress(socket.remoteAddress) ?? `proxied ${proxied++}`;
    const own: Session = { holder, requests: new Set(), settle: () => undefined };
    sessions.set(session, own);
    bySocket.set(socket, own);
    session.setLocalWindowSize(windowBytes);
    const first = setTimeout(() => session.destroy(), limits.firstMilliseconds).unref();
    session.once('stream', () => clearTimeout(first));
    session.setTimeout(limits.idleMilliseconds);
    boundIdleFrames(session);
    // A client that keeps its side open would keep the connection.
    let last: NodeJS.Timeout | undefined;
    own.settle = () => {
      if (session.closed && own.requests.size === 0) last ??= setTimeout(() => socket.destroy(), limits.closeMilliseconds).unref();
    };
    session.on('timeout', () => {
      if (own.requests.size > 0) return;
      session.close();
      own.settle();
    });
    session.on('goaway', () => setImmediate(own.settle));
    socket.once('close', () => {
      clearTimeout(first);
      clearTimeout(last);
      sessions.delete(session);
    });
  }

  /** Whether it may go on. */
  function mayBegin(request: Http2Request, response: Http2Response): boolean {
    const { stream } = request;
    const own = stream.session && sessions.get(stream.session as ServerHttp2Session);
    const release = own && acquired(own.holder);
    if (!release) {
      // Nothing was done for it, and the client may know so and ask again (RFC 9113, 8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return false;
    }
    own.requests.add(request);
    stream.once('close', () => {
      own.requests.delete(request);
      release();
      own.settle();
    });
    follow(request, response, limits);
    return true;
  }

  function acquired(holder: string): (() => void) | null {
    try {
      return permits.acquire(holder);
    } catch {
      return null;
    }
  }

  for (const event of ['request', 'checkContinue'] as const) {
    http2.on(event, (request, response) => {
      if (mayBegin(request as Http2Request, response as Http2Response)) server.emit(event, request, response);
    });
  }

  return {
    isServed: (socket) => [...(bySocket.get(socket)?.requests ?? [])].some(({ isReceived }) => isReceived),
    close() {
      for (const [session, { settle }] of sessions) {
        session.close();
        settle();
      }
    },
  };
}

/** nghttp2 bounds only the answers that the client does not read. */
function boundIdleFrames(session: ServerHttp2Session): void {
  let left: number = idleFrames.burst;
  let at = performance.now();
  const count = (): void => {
    const now = performance.now();
    left = Math.min(idleFrames.burst, left + ((now - at) / 1_000) * idleFrames.rate) - 1;
    at = now;
    if (left >= 0 || session.destroyed) return;
    // The code that `destroy` is given is lost amid frames that are being read.
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy();
  };
  session.on('ping', count);
  session.on('remoteSettings', count);
}

/** Ends a request that takes too long to come, or whose answer is not read. */
function follow(request: Http2Request, response: Http2Response, limits: Http2Limits): void {
  const { stream } = request;
  let silent = false;
  stream.setTimeout(limits.stallMilliseconds);
  stream.on('timeout', () => {
    if (!request.isReceived) return refuse(request, response, stalled(limits.stallMilliseconds));
    // A client that waits for our response is not a stalled reader.
    if (!response.writableEnded || stream.writableLength === 0) return;
    if (silent) return void response.destroy();
    silent = true;
    stream.setTimeout(limits.readerMilliseconds - limits.stallMilliseconds);
  });
  if (stream.endAfterHeaders) return;
  const late = setTimeout(() => {
    if (!request.isReceived) refuse(request, response, stalled(limits.requestMilliseconds));
  }, limits.requestMilliseconds).unref();
  stream.once('close', () => clearTimeout(late));
  // Answered before its end: its sender need not go on (RFC 9113, 8.1), and would hold the stream.
  stream.once('finish', () => {
    if (!request.isReceived) end(request);
  });
}

const stalled = (milliseconds: number): ApiError => new ApiError('request_stalled', { seconds: milliseconds / 1_000 });

/** Sends an error that no handler will send. If a response has begun, it is cut off. */
function refuse(request: Http2Request, response: Http2Response, { status, body }: ApiError): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  end(request);
}

/** Nothing more of it is read: its reader is told so, then, behind its answer, its sender. */
function end(request: Http2Request): void {
  request.abandon();
  request.stream.close(constants.NGHTTP2_NO_ERROR);
}
