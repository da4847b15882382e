import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable, Transform } from 'node:stream';
import { type HttpRequest, HttpResponse } from '@smithy/protocol-http';
import { ProviderError } from '../errors.ts';
import { checkedLookup, checkLiteralAddress, type Lookup } from '../http/addresses.ts';
import { tooSlow, usualAnswerMilliseconds } from '../http/client.ts';
import { userAgent } from '../http/user-agent.ts';
import type { ProviderEnvironment } from '../ports.ts';

export interface RequestHandlerOptions {
  /** Milliseconds without a byte moved on a connection before its request counts as broken. */
  readonly idleMilliseconds?: number;
  /** After this a server that says nothing to `Expect: 100-continue` gets the body all the same. */
  readonly continueMilliseconds?: number;
  /** Milliseconds for a whole answer, from its head on; not for the bytes of an object. */
  readonly answerMilliseconds?: number;
  readonly lookup?: Lookup;
}

/** Answers in XML; a list of 1000 long names is about 3 MB. */
const largestAnswer = 16 * 1024 * 1024;

/**
 * Sends the SDK's requests. The SDK's own handler would neither check addresses nor wait for `100 Continue` on a connection
 * that is kept, so that a refused part (a full quota) ends in a broken connection and not in an answer.
 */
export function createRequestHandler(
  environment: Pick<ProviderEnvironment, 'mayConnect'>,
  {
    idleMilliseconds = 120_000,
    continueMilliseconds = 1_000,
    answerMilliseconds = usualAnswerMilliseconds,
    lookup,
  }: RequestHandlerOptions = {},
) {
  const options = { keepAlive: true, maxSockets: 64, lookup: checkedLookup(environment, lookup) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  function open({ protocol, hostname, port, method, headers, path, query }: HttpRequest, signal: AbortSignal | undefined): ClientRequest {
    const target = new URL(`${protocol}//${hostname}`);
    checkLiteralAddress(target, environment);
    const isTls = protocol === 'https:';
    const outgoing = (isTls ? httpsRequest : httpRequest)({
      agent: isTls ? agents.https : agents.http,
      host: target.hostname.replace(/^\[|\]$/g, ''),
      ...(port !== undefined && { port }),
      method,
      path: withQuery(path, query),
      // Not among the headers that are signed.
      headers: { ...headers, 'user-agent': userAgent },
      timeout: idleMilliseconds,
      ...(signal && { signal }),
    });
    outgoing.once('timeout', () => outgoing.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' })));
    return outgoing;
  }

  function receive(answer: IncomingMessage, isObject: boolean): HttpResponse {
    const isShort = Number(answer.headers['content-length'] ?? Number.NaN) <= largestAnswer;
    if (!isObject) {
      const timer = setTimeout(() => answer.destroy(tooSlow()), answerMilliseconds);
      answer.once('close', () => clearTimeout(timer));
    }
    return new HttpResponse({
      statusCode: answer.statusCode ?? 0,
      reason: answer.statusMessage ?? '',
      headers: flat(answer),
      body: isObject || isShort ? answer : bounded(answer),
    });
  }

  const beginBody = ({ headers }: HttpRequest, outgoing: ClientRequest, send: () => void): void => {
    if (headers['Expect'] === undefined && headers['expect'] === undefined) send();
    else afterContinue(outgoing, send, continueMilliseconds);
  };

  function handle(request: HttpRequest, { abortSignal }: { abortSignal?: unknown } = {}): Promise<{ response: HttpResponse }> {
    const { body, query } = request;
    return new Promise((resolve, reject) => {
      const outgoing = open(request, abortSignal instanceof AbortSignal ? abortSignal : undefined);
      outgoing.once('error', reject);
      outgoing.once('response', (answer) => {
        resolve({ response: receive(answer, query['x-id'] === 'GetObject' && (answer.statusCode ?? 0) < 300) });
      });
      if (body instanceof Readable) beginBody(request, outgoing, () => pipeline(body, outgoing, (error) => error && reject(error)));
      else outgoing.end(body as Uint8Array | string | undefined);
    });
  }

  /** Sends bytes that lie in memory, and reads the whole answer. The bytes are not read any more when it has ended. */
  async function send(request: HttpRequest, pieces: readonly Uint8Array[], signal: AbortSignal): Promise<HttpResponse> {
    const outgoing = open(request, signal);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once('error', reject);
        outgoing.once('response', resolve);
        beginBody(request, outgoing, () => writeAll(outgoing, pieces));
      });
      const response = receive(answer, false);
      response.body = await bytesOf(response.body as Readable);
      return response;
    } finally {
      // The server said what it had to say before it had all of them.
      if (!outgoing.writableFinished) outgoing.destroy();
    }
  }

  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle,
    send,
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** A piece a turn: the kernel copies what it is handed there and then, and others wait for this thread meanwhile. */
function writeAll(outgoing: ClientRequest, pieces: readonly Uint8Array[], next = 0): void {
  if (next >= pieces.length - 1) outgoing.end(pieces[next]);
  else outgoing.write(pieces[next], (error) => error || writeAll(outgoing, pieces, next + 1));
}

/** All bytes of an answer. By events: for the few bytes of an answer to a PUT, an iterator costs more than all else. */
function bytesOf(answer: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.on('data', (piece: Buffer) => pieces.push(piece));
    answer.once('end', () => resolve(Buffer.concat(pieces)));
    answer.once('error', reject);
    answer.once('close', () => reject(Object.assign(new Error('ended'), { code: 'ECONNRESET' })));
  });
}

export type RequestHandler = ReturnType<typeof createRequestHandler>;

/** Sends once the server agrees, or says nothing. An answer instead is a refusal: the body is not sent. */
function afterContinue(outgoing: ClientRequest, send: () => void, continueMilliseconds: number): void {
  let isWaiting = true;
  const settle = (work: () => void) => () => {
    if (!isWaiting) return;
    isWaiting = false;
    clearTimeout(timer);
    work();
  };
  const timer = setTimeout(settle(send), continueMilliseconds);
  outgoing.once('continue', settle(send));
  // The server still expects a body, so the connection cannot be kept.
  outgoing.once('response', (answer) => settle(() => answer.once('close', () => outgoing.destroy()))());
  outgoing.once(
    'close',
    settle(() => {}),
  );
}

function withQuery(path: string, query: HttpRequest['query']): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) =>
      one === null || one === undefined ? encode(name) : `${encode(name)}=${encode(one)}`,
    ),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]));

function bounded(answer: IncomingMessage): Readable {
  let length = 0;
  const limit = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      length += bytes.length;
      if (length > largestAnswer)
        done(new ProviderError('bad_answer', 'The storage sent a longer answer than makes sense. Check the endpoint.'));
      else done(null, bytes);
    },
  });
  pipeline(answer, limit, () => {});
  return limit;
}
