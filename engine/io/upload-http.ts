import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { StallTimeouts, Wait } from '#client/stall-timeouts.ts';
import { type Answer, AnswerTooLong, flat } from './exchange.ts';
import { Stalled } from './net-failures.ts';

interface UploadHttpOptions {
  /** Connections to one address. */
  readonly connections: number;
  /** Milliseconds, as in `TransportOptions`. */
  readonly connectMs: number;
  readonly stallMs: number;
  /** Timeouts for answers. */
  readonly stallTimeouts: StallTimeouts;
}

interface UploadRequest {
  readonly url: string;
  readonly method: string;
  /** Must include the body's `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * Writes the body, as soon as there is a connection. A write resolves when the bytes may be overwritten, and rejects
   * when the connection is gone.
   */
  readonly body: (write: (bytes: Buffer) => Promise<void>) => Promise<void>;
}

/** Requests with large bodies, over few connections that are kept. */
export interface UploadHttp {
  /**
   * One request and its whole answer, of at most `limit` bytes. An answer that is received before everything was sent
   * stops the sending. `body` has settled when this promise settles. Rejects with what `body` rejected with, a system's
   * or the parser's error, `Stalled`, `AnswerTooLong` or the signal's reason.
   */
  exchange(request: UploadRequest, limit: number): Promise<Answer>;
  /** Ends every connection. */
  close(): void;
}

/** No connection within the time for it. */
class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'CONNECT_TIMEOUT';
}

/**
 * `node:http` rather than undici, with bytes written directly to its socket: a write reports when the kernel has taken
 * the bytes, so that one buffer is enough, and stays in the processor's cache from the disk to the network.
 */
export function createUploadHttp({ connections, connectMs, stallMs, stallTimeouts }: UploadHttpOptions): UploadHttp {
  const settings = { keepAlive: true, maxSockets: connections, scheduling: 'lifo' } as const;
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };

  return {
    async exchange({ url, method, headers, signal, body }, limit) {
      signal.throwIfAborted();
      const target = new URL(url);
      const secure = target.protocol === 'https:';
      const options = { method, headers, agent: secure ? agents['https:'] : agents['http:'] };
      const request = secure ? https.request(target, options) : http.request(target, options);
      const wait = stallTimeouts.waitFor({ method, url: target, bytes: Number(headers['content-length'] ?? 0) });
      let sending: Promise<void> = Promise.resolve();
      const onAbort = (): void => void request.destroy(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await new Promise<Answer>((resolve, reject) => {
          request.on('error', reject);
          request.once('response', (response) => {
            wait.answered(0);
            readAnswer(response, limit, resolve, reject);
          });
          request.once('socket', (socket) => {
            const watch = watchSilence(socket, request, { connectMs, stallMs, wait });
            request.flushHeaders();
            let sendingMs = 0;
            const write = async (bytes: Buffer): Promise<void> => {
              const began = performance.now();
              await written(socket, bytes);
              sendingMs += performance.now() - began;
            };
            sending = body(write).then(
              () => {
                watch.awaitAnswer(sendingMs);
                request.end();
              },
              (error: Error) => {
                // A lost connection reports its own error.
                if (error instanceof ConnectionGone) return;
                reject(error);
                request.destroy();
              },
            );
          });
        });
      } catch (error) {
        if (error instanceof Stalled) wait.stalled();
        throw signal.aborted ? signal.reason : error;
      } finally {
        signal.removeEventListener('abort', onAbort);
        if (!request.writableEnded) request.destroy();
        await sending;
      }
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone';
}

/** Resolves when the kernel has taken the bytes. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (cause) => (cause ? reject(new ConnectionGone('The connection is gone.', { cause })) : resolve()));
  });
}

/** Aborts the request when the remote side is silent for too long: while bytes wait to be sent, and while an answer is due. */
function watchSilence(
  socket: Socket,
  request: http.ClientRequest,
  { connectMs, stallMs, wait }: Pick<UploadHttpOptions, 'connectMs' | 'stallMs'> & { readonly wait: Wait },
): { awaitAnswer(sendingMs: number): void } {
  let waitsForAnswer = false;
  const onConnect = (): void => void socket.setTimeout(stallMs);
  const onTimeout = (): void => {
    if (socket.connecting) request.destroy(new ConnectTimeout(`no connection within ${connectMs / 1_000} s`));
    else if (waitsForAnswer || socket.writableLength > 0) request.destroy(new Stalled('no byte moved for too long'));
    // We wait for our own disk or rate limit, which is not the remote side's fault.
    else socket.setTimeout(stallMs);
  };
  socket.setTimeout(socket.connecting ? connectMs : stallMs);
  socket.once('connect', onConnect);
  socket.on('timeout', onTimeout);
  request.once('response', () => socket.setTimeout(wait.betweenPieces));
  request.once('close', () => {
    socket.off('connect', onConnect).off('timeout', onTimeout);
    socket.setTimeout(0);
  });
  return {
    awaitAnswer(sendingMs) {
      waitsForAnswer = true;
      socket.setTimeout(wait.afterSending(sendingMs));
    },
  };
}

function readAnswer(
  response: http.IncomingMessage,
  limit: number,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  const parts: Buffer[] = [];
  let length = 0;
  response.on('data', (part: Buffer) => {
    length += part.length;
    if (length > limit) response.destroy(new AnswerTooLong(`the answer is longer than ${limit} bytes`));
    else parts.push(part);
  });
  response.on('error', reject);
  response.on('end', () => resolve({ status: response.statusCode!, headers: flat(response.headers), body: Buffer.concat(parts) }));
}
