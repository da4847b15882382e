import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { type Answer, AnswerTooLong, flat } from './exchange.ts';
import { Stalled } from './net-failures.ts';

export interface BulkPutOptions {
  /** To one address. */
  readonly connections: number;
  /** Milliseconds, as in `TransportOptions`. */
  readonly connectMs: number;
  readonly answerMs: number;
  readonly stallMs: number;
}

export interface BulkRequest {
  readonly url: string;
  readonly method: string;
  /** With the body's `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * Writes the body, as soon as there is a connection. A write resolves when the bytes may be overwritten, and rejects
   * when the connection is gone.
   */
  readonly body: (write: (bytes: Buffer) => Promise<void>) => Promise<void>;
}

/** Requests with large bodies, over few connections that are kept. */
export interface BulkPut {
  /**
   * One request and its whole answer, of at most `limit` bytes. An answer that comes before all was sent ends the
   * sending. When it is settled, `body` is, too. Rejects with what `body` rejected with, a system's or the parser's
   * error, `Stalled`, `AnswerTooLong` or the signal's reason.
   */
  exchange(request: BulkRequest, limit: number): Promise<Answer>;
  /** Ends every connection. */
  close(): void;
}

/** No connection within the time for it. */
class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'CONNECT_TIMEOUT';
}

/**
 * `node:http` rather than undici, and bytes written to the socket under it: that tells when the kernel has taken them, so
 * that one buffer is enough, and stays in the processor's cache from the disk to the wire.
 */
export function createBulkPut({ connections, connectMs, answerMs, stallMs }: BulkPutOptions): BulkPut {
  const settings = { keepAlive: true, maxSockets: connections, scheduling: 'lifo' } as const;
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };

  return {
    async exchange({ url, method, headers, signal, body }, limit) {
      signal.throwIfAborted();
      const target = new URL(url);
      const secure = target.protocol === 'https:';
      const options = { method, headers, agent: secure ? agents['https:'] : agents['http:'] };
      const request = secure ? https.request(target, options) : http.request(target, options);
      let sending: Promise<void> = Promise.resolve();
      const onAbort = (): void => void request.destroy(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await new Promise<Answer>((resolve, reject) => {
          request.on('error', reject);
          request.once('response', (response) => gather(response, limit, resolve, reject));
          request.once('socket', (socket) => {
            const watch = watchSilence(socket, request, { connectMs, answerMs, stallMs });
            request.flushHeaders();
            sending = body((bytes) => written(socket, bytes)).then(
              () => {
                watch.awaitAnswer();
                request.end();
              },
              (error: Error) => {
                // A connection that is gone says itself why.
                if (error instanceof ConnectionGone) return;
                reject(error);
                request.destroy();
              },
            );
          });
        });
      } catch (error) {
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

/** Resolves when the system has taken the bytes. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (cause) => (cause ? reject(new ConnectionGone('The connection is gone.', { cause })) : resolve()));
  });
}

/** Ends the request when the other side is silent for too long: while bytes wait to go out, and when an answer is due. */
function watchSilence(
  socket: Socket,
  request: http.ClientRequest,
  { connectMs, answerMs, stallMs }: Omit<BulkPutOptions, 'connections'>,
): { awaitAnswer(): void } {
  let waitsForAnswer = false;
  const onConnect = (): void => void socket.setTimeout(stallMs);
  const onTimeout = (): void => {
    if (socket.connecting) request.destroy(new ConnectTimeout(`no connection within ${connectMs / 1_000} s`));
    else if (waitsForAnswer || socket.writableLength > 0) request.destroy(new Stalled('no byte moved for too long'));
    // We wait for our own disk or rate limit, which is not the other side's fault.
    else socket.setTimeout(stallMs);
  };
  socket.setTimeout(socket.connecting ? connectMs : stallMs);
  socket.once('connect', onConnect);
  socket.on('timeout', onTimeout);
  request.once('response', () => socket.setTimeout(stallMs));
  request.once('close', () => {
    socket.off('connect', onConnect).off('timeout', onTimeout);
    socket.setTimeout(0);
  });
  return {
    awaitAnswer() {
      waitsForAnswer = true;
      socket.setTimeout(answerMs);
    },
  };
}

function gather(response: http.IncomingMessage, limit: number, resolve: (answer: Answer) => void, reject: (error: Error) => void): void {
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
