import type { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { ProviderError } from '../errors.ts';
import type { ProviderEnvironment } from '../ports.ts';
import { checkedLookup, checkLiteralAddress, type Lookup } from './addresses.ts';
import { networkError } from './network-errors.ts';
import { userAgent } from './user-agent.ts';

export interface CloudRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes in memory, or a stream of exactly `size` bytes. */
  readonly body?: string | Uint8Array | { readonly stream: Readable; readonly size: number };
}

/** Header names are in lower case; of several values the first. */
interface CloudAnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CloudAnswer extends CloudAnswerHead {
  readonly bytes: Buffer;
}

export interface CloudStream extends CloudAnswerHead {
  /** Fails with `ProviderError`. Must be read to its end or destroyed. */
  readonly body: Readable;
}

/**
 * HTTP for providers. Any status is an answer; what it means is the provider's to say. Redirects are not followed, so that
 * credentials never go elsewhere. Rejects with `ProviderError`, with the signal's reason, or with the error of the request's
 * own stream.
 */
export interface CloudHttp {
  /** Reads the answer's body, up to `maxBytes` (1 MiB); `bad_answer` beyond. `unreachable` if it drips in for minutes. */
  send(request: CloudRequest, signal: AbortSignal, maxBytes?: number): Promise<CloudAnswer>;
  open(request: CloudRequest, signal: AbortSignal): Promise<CloudStream>;
  close(): Promise<void>;
}

export interface CloudHttpOptions {
  /** Milliseconds without a byte moved in either direction before a request counts as broken. */
  readonly idleMilliseconds?: number;
  readonly connectMilliseconds?: number;
  /** Milliseconds for a whole answer that `send` reads, from its head on. */
  readonly answerMilliseconds?: number;
  /** Connections to one host at once. */
  readonly connections?: number;
  readonly lookup?: Lookup;
}

const usualMaxBytes = 1024 * 1024;
/** An answer that comes byte by byte is never idle. Amazon lets blanks drip for minutes while it joins a large object. */
export const usualAnswerMilliseconds = 15 * 60_000;

export function createCloudHttp(environment: Pick<ProviderEnvironment, 'mayConnect'>, options: CloudHttpOptions = {}): CloudHttp {
  const {
    idleMilliseconds = 60_000,
    connectMilliseconds = 10_000,
    connections = 32,
    lookup,
    answerMilliseconds = usualAnswerMilliseconds,
  } = options;
  const agent = new Agent({
    connect: buildConnector({ timeout: connectMilliseconds, lookup: checkedLookup(environment, lookup), allowH2: false }),
    connections,
    headersTimeout: idleMilliseconds,
    bodyTimeout: idleMilliseconds,
    pipelining: 1,
  });

  async function open({ method, url, headers = {}, body }: CloudRequest, signal: AbortSignal): Promise<CloudStream> {
    signal.throwIfAborted();
    const target = new URL(url);
    checkLiteralAddress(target, environment);
    const streamed = typeof body === 'object' && 'stream' in body ? body : null;
    let ours: unknown;
    streamed?.stream.once('error', (error) => {
      ours ??= error;
    });
    try {
      const answer = await agent.request({
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method,
        headers: { 'user-agent': userAgent, ...headers, ...(streamed && { 'content-length': String(streamed.size) }) },
        body: streamed ? streamed.stream : (body as string | Uint8Array | undefined),
        signal,
      });
      return { status: answer.statusCode, headers: flat(answer.headers), body: explained(answer.body, signal) };
    } catch (error) {
      signal.throwIfAborted();
      if (ours !== undefined && !isOfTheConnection(ours, error)) throw ours;
      throw networkError(error);
    } finally {
      // An answer before the body was sent: nobody reads the rest.
      if (streamed && !streamed.stream.readableEnded) streamed.stream.destroy();
    }
  }

  return {
    open,
    async send(request, signal, maxBytes = usualMaxBytes) {
      const { body, ...head } = await open(request, signal);
      const pieces: Buffer[] = [];
      let length = 0;
      const timer = setTimeout(() => body.destroy(tooSlow()), answerMilliseconds);
      try {
        for await (const piece of body as AsyncIterable<Buffer>) {
          length += piece.length;
          if (length > maxBytes) {
            body.destroy();
            throw new ProviderError('bad_answer', 'The storage sent a longer answer than makes sense. Check the endpoint.');
          }
          pieces.push(piece);
        }
      } finally {
        clearTimeout(timer);
      }
      return { ...head, bytes: Buffer.concat(pieces) };
    },
    close: () => agent.destroy(),
  };
}

/** As a connection that is idle fails. */
export const tooSlow = (): Error => Object.assign(new Error('the answer drips'), { code: 'ETIMEDOUT' });

/** Undici destroys the request's stream with the connection's error: then the stream is not to blame. */
const isOfTheConnection = (ours: unknown, error: unknown): boolean =>
  ours === error &&
  error instanceof Error &&
  'code' in error &&
  /^(UND_ERR_SOCKET|UND_ERR_HEADERS|UND_ERR_BODY|UND_ERR_CONNECT|ECONN|EPIPE)/.test(String(error.code));

const flat = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0]! : (value ?? '')]));

/** The same stream, failing in our words. */
function explained(body: Readable, signal: AbortSignal): Readable {
  // Who destroys it unread has had enough of it: its error, which has nobody to listen, must not end the process.
  body.on('error', () => undefined);
  const destroy = body._destroy.bind(body);
  body._destroy = (error, callback) =>
    destroy(error, (failure) => {
      const met = failure ?? error;
      callback(met ? (signal.aborted ? (signal.reason as Error) : networkError(met)) : null);
    });
  return body;
}
