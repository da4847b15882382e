import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { isPublicAddress, literalAddress } from './addresses.ts';

/** A request to somebody else's server, ready to be sent. */
export interface WebhookCall {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends to addresses that people of a Team chose, and to none that only the operator's network can reach. */
export interface WebhookCalls {
  /** Whether the address is private, or a name that leads to one now. One that does not resolve is not. */
  isPrivate(url: URL): Promise<boolean>;
  /**
   * Sends a call and gives the answer's status. Its body is dropped, a redirect is not followed. Errors:
   * `WebhookCallError`; the signal's reason if `signal` is aborted.
   */
  send(call: WebhookCall, signal: AbortSignal): Promise<number>;
  /** Reads what lies at an address, of at most so many bytes. A redirect is not followed. The same errors, `too_large` among them. */
  read(url: string, most: number, signal: AbortSignal): Promise<ReadAnswer>;
}

export interface ReadAnswer {
  readonly status: number;
  /** Without parameters, in lower case; empty for none. */
  readonly type: string;
  readonly bytes: Buffer;
}

export type WebhookCallFailure = 'private_address' | 'timeout' | 'unresolved' | 'refused' | 'certificate' | 'broken' | 'too_large';

/** A call without an answer. The message is for the people of the Team, and tells nothing of the operator's network. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  readonly code: WebhookCallFailure;
  /** Whether trying again may help. */
  readonly retriable = true;

  constructor(code: WebhookCallFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface WebhookCallOptions {
  /** Sends to private addresses too. */
  readonly allowPrivate: boolean;
  readonly timeoutMilliseconds?: number;
  readonly lookup?: Lookup;
}

/** As `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const usualTimeout = 15_000;
const resolveTimeout = 3_000;
/** An answer's body is read this far, so that a receiver that writes one is not cut off; then it is. */
const answerBytes = 64 * 1024;

export function createWebhookCalls({
  allowPrivate,
  timeoutMilliseconds = usualTimeout,
  lookup = systemLookup,
}: WebhookCallOptions): WebhookCalls {
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);

  // All of a name's addresses must be public: which one is connected to is chosen later.
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
      // What is really at the other end has the last word; a socket that is closed already has none.
      const peer = (socket as Socket | null)?.remoteAddress;
      if (socket && (peer === undefined || !isAllowed(peer))) {
        socket.destroy();
        callback(peer === undefined ? closedAtOnce() : privateAddress(), null);
      } else if (error) callback(error, null);
      else callback(null, socket as Socket);
    });
  };

  /** One request to an address that is allowed, and what is made of its answer. */
  async function ask<T>(
    url: string,
    request: { readonly method: 'GET' | 'POST' | 'PUT'; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
    signal: AbortSignal,
    take: (answer: Dispatcher.ResponseData, either: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const target = new URL(url);
    const literal = literalAddress(target);
    // An address needs no lookup, so it is asked about here.
    if (literal !== null && !isAllowed(literal)) throw privateAddress();
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const either = AbortSignal.any([signal, timeout]);
    // A client for one call: nothing of one Team's is left open for another's.
    const client = new Client(target.origin, { connect: checkedConnect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
    try {
      return await take(await client.request({ ...request, path: `${target.pathname}${target.search}`, signal: either }), either);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) {
        throw new WebhookCallError('timeout', `There was no answer within ${timeoutMilliseconds / 1000} s.`, { cause: error });
      }
      throw toCallError(error);
    } finally {
      await client.destroy();
    }
  }

  return {
    async isPrivate(url) {
      const literal = literalAddress(url);
      if (literal !== null) return !isAllowed(literal);
      if (allowPrivate) return false;
      // RFC 6761: always this machine, whether or not its resolver says so.
      if (/(?:^|\.)localhost\.?$/.test(url.hostname)) return true;
      const { promise, resolve } = Promise.withResolvers<readonly LookupAddress[]>();
      const timer = setTimeout(() => resolve([]), resolveTimeout);
      lookup(url.hostname, { all: true }, (error, addresses) => resolve(error ? [] : addresses));
      const addresses = await promise;
      clearTimeout(timer);
      return addresses.some(({ address }) => !isAllowed(address));
    },

    send: ({ url, ...request }, signal) =>
      ask(url, request, signal, async (answer, either) => {
        await answer.body.dump({ limit: answerBytes, signal: either }).catch(() => undefined);
        return answer.statusCode;
      }),

    read: (url, most, signal) =>
      ask(url, { method: 'GET', headers: {} }, signal, async ({ statusCode, headers, body }) => {
        const pieces: Buffer[] = [];
        let length = 0;
        for await (const piece of body as AsyncIterable<Buffer>) {
          length += piece.length;
          if (length > most) throw new WebhookCallError('too_large', `The answer is larger than ${most} bytes.`);
          pieces.push(piece);
        }
        const type = String(headers['content-type'] ?? '')
          .split(';')[0]!
          .trim()
          .toLowerCase();
        return { status: statusCode, type, bytes: Buffer.concat(pieces) };
      }),
  };
}

const privateAddress = () => new WebhookCallError('private_address', 'The address leads into a private network, which is not allowed.');

const closedAtOnce = () => new WebhookCallError('broken', 'The connection was closed as soon as it was made.');

function toCallError(error: unknown): WebhookCallError {
  if (error instanceof WebhookCallError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const options = { cause: error };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new WebhookCallError('unresolved', 'The host name does not resolve.', options);
  if (code === 'ECONNREFUSED') return new WebhookCallError('refused', 'The connection was refused.', options);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new WebhookCallError('timeout', 'The connection could not be made in time.', options);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new WebhookCallError('certificate', `TLS failed (${code}).`, options);
  }
  return new WebhookCallError('broken', `The connection broke before there was an answer${code === '' ? '' : ` (${code})`}.`, options);
}
