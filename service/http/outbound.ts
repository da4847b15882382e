import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { startDeadline } from '#net/deadline.ts';
import { isPublicAddress, literalAddress } from '#net/public-addresses.ts';
import { KeptConnections } from './kept-connections.ts';

/** A complete request to a server outside. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The HTTP client for addresses that people of a Team chose. It never connects to private addresses (SSRF), unless the
 * operator allows that.
 */
export interface OutboundHttp {
  /** Whether the host is a private address, or a name that resolves to one now. A name that does not resolve is not. */
  isPrivate(url: URL): Promise<boolean>;
  /**
   * Sends a request and returns the response's status. Its body is discarded, and redirects are not followed. The connection
   * is kept for a few seconds for the next request of the same `owner` to the same origin; where such a one breaks without an
   * answer the request is sent once more, so it may arrive twice. Errors: `OutboundError`; the signal's reason if `signal` is
   * aborted.
   */
  send(call: OutboundRequest, signal: AbortSignal, owner?: string): Promise<number>;
  /**
   * Sends a request and returns its whole response, up to `maxBytes` of body. Redirects are not followed: a caller that
   * sent a secret gets them as they are. The same errors as `send`, and `too_large`.
   */
  exchange(call: OutboundExchange, maxBytes: number, signal: AbortSignal): Promise<OutboundResponse>;
  /** Reads the content of a URL, up to `maxBytes`. Redirects are not followed. The same errors as `send`, and `too_large`. */
  read(url: string, maxBytes: number, signal: AbortSignal): Promise<OutboundContent>;
}

export interface OutboundExchange {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

export interface OutboundContent {
  readonly status: number;
  /** The content type without parameters, in lower case; empty for none. */
  readonly type: string;
  readonly bytes: Buffer;
}

type OutboundFailure = 'private_address' | 'timeout' | 'unresolved' | 'refused' | 'certificate' | 'broken' | 'too_large';

/** A request without a response. The message is for the people of the Team, and reveals nothing of the operator's network. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundFailure;
  /** Whether a retry may help. */
  readonly retryable = true;

  constructor(code: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface OutboundOptions {
  /** Also connects to private addresses. */
  readonly allowPrivate: boolean;
  readonly timeoutMilliseconds?: number;
  readonly lookup?: Lookup;
}

/** Like `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const defaultTimeoutMilliseconds = 15_000;
const lookupTimeoutMilliseconds = 3_000;
/** A response's body is read and discarded up to this size, so that a receiver can finish writing it; then it is cut off. */
const maxDiscardedBytes = 64 * 1024;

export function createOutboundHttp({
  allowPrivate,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  lookup = systemLookup,
}: OutboundOptions): OutboundHttp {
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);

  // All addresses of a name must be public: the one to connect to is chosen later.
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) callback(error, []);
      else if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) callback(privateAddress(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
  const connect = buildConnector({ timeout: timeoutMilliseconds, lookup: checkedLookup, allowH2: false });
  const checkedConnect: typeof connect = (options, callback) => {
    connect(options, (error, socket) => {
      // The connected address is checked too: a name may resolve differently the second time. A closed socket has none.
      const peer = (socket as Socket | null)?.remoteAddress;
      if (socket && (peer === undefined || !isAllowed(peer))) {
        socket.destroy();
        callback(peer === undefined ? closedImmediately() : privateAddress(), null);
      } else if (error) callback(error, null);
      else callback(null, socket as Socket);
    });
  };

  const kept = new KeptConnections();
  const newClient = (origin: string) => new Client(origin, { connect: checkedConnect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });

  /** Sends one request to an allowed address, and passes its response to `handle`. */
  async function exchange<T>(
    url: string,
    request: { readonly method: 'GET' | 'POST' | 'PUT'; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
    signal: AbortSignal,
    handle: (answer: Dispatcher.ResponseData, either: AbortSignal) => Promise<T>,
    owner?: string,
  ): Promise<T> {
    const target = new URL(url);
    const literal = literalAddress(target);
    // An address causes no lookup, so it is checked here.
    if (literal !== null && !isAllowed(literal)) throw privateAddress();
    const deadline = startDeadline(signal, timeoutMilliseconds);
    const either = deadline.signal;
    const call = { ...request, path: `${target.pathname}${target.search}`, signal: either };
    const key = owner === undefined ? null : `${owner} ${target.origin}`;
    const answered = async (client: Client): Promise<T> => {
      try {
        const result = await handle(await client.request(call), either);
        if (key !== null && !client.destroyed) kept.keep(key, client);
        else await client.destroy();
        return result;
      } catch (error) {
        await client.destroy();
        throw error;
      }
    };
    try {
      const client = key === null ? undefined : kept.take(key);
      if (client) {
        try {
          return await answered(client);
        } catch (error) {
          // Receivers close what is idle, also while the next request is on its way.
          if (either.aborted || !isBroken(error)) throw error;
        }
      }
      // One client per request or owner, so that Teams never share a connection.
      return await answered(newClient(target.origin));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.isOver()) {
        throw new OutboundError('timeout', `There was no answer within ${timeoutMilliseconds / 1000} s.`, { cause: error });
      }
      throw toOutboundError(error);
    } finally {
      deadline.end();
    }
  }

  return {
    async isPrivate(url) {
      const literal = literalAddress(url);
      if (literal !== null) return !isAllowed(literal);
      if (allowPrivate) return false;
      // RFC 6761: always this machine, whatever its resolver returns.
      if (/(?:^|\.)localhost\.?$/.test(url.hostname)) return true;
      const { promise, resolve } = Promise.withResolvers<readonly LookupAddress[]>();
      const timer = setTimeout(() => resolve([]), lookupTimeoutMilliseconds);
      lookup(url.hostname, { all: true }, (error, addresses) => resolve(error ? [] : addresses));
      const addresses = await promise;
      clearTimeout(timer);
      return addresses.some(({ address }) => !isAllowed(address));
    },

    send: ({ url, ...request }, signal, owner) =>
      exchange(
        url,
        request,
        signal,
        async (answer, either) => {
          await answer.body.dump({ limit: maxDiscardedBytes, signal: either }).catch(() => undefined);
          return answer.statusCode;
        },
        owner,
      ),

    exchange: ({ url, ...request }, maxBytes, signal) =>
      exchange(url, request, signal, async ({ statusCode, headers, body }) => ({
        status: statusCode,
        headers,
        bytes: await wholeBody(body, maxBytes),
      })),

    read: (url, maxBytes, signal) =>
      exchange(url, { method: 'GET', headers: {} }, signal, async ({ statusCode, headers, body }) => {
        const bytes = await wholeBody(body, maxBytes);
        const type = String(headers['content-type'] ?? '')
          .split(';')[0]!
          .trim()
          .toLowerCase();
        return { status: statusCode, type, bytes };
      }),
  };
}

async function wholeBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > maxBytes) throw new OutboundError('too_large', `The answer is larger than ${maxBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const privateAddress = () => new OutboundError('private_address', 'The address leads into a private network, which is not allowed.');

const closedImmediately = () => new OutboundError('broken', 'The connection was closed as soon as it was made.');

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const isBroken = (error: unknown): boolean => ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));

function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new OutboundError('unresolved', 'The host name does not resolve.', options);
  if (code === 'ECONNREFUSED') return new OutboundError('refused', 'The connection was refused.', options);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new OutboundError('timeout', 'The connection could not be made in time.', options);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new OutboundError('certificate', `TLS failed (${code}).`, options);
  }
  return new OutboundError('broken', `The connection broke before there was an answer${code === '' ? '' : ` (${code})`}.`, options);
}
