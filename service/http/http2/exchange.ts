import { constants, Http2ServerRequest, Http2ServerResponse, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ReadableOptions } from 'node:stream';

/** Headers of a connection, which HTTP/2 has none of. Node would drop them with a warning. */
const ofConnections: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A request that handlers cannot tell from one of HTTP/1.1: it has a `host`, a body of unknown length is announced, and one that
 * is cut short ends with an error. Node's own ends as if it had been whole.
 */
export class Http2Request extends Http2ServerRequest {
  #isAnswered = false;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: ReadableOptions, rawHeaders: readonly string[]) {
    // The one that was asked for counts, whatever else is said to be the host (RFC 9113, 8.3.1).
    if (headers[':authority'] !== undefined) headers.host = headers[':authority'];
    if (!stream.endAfterHeaders && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    super(stream, headers, options, rawHeaders);
    if (!stream.endAfterHeaders) stream.once('aborted', () => this.destroy());
  }

  /** Whether its end has come, read by a handler or not. */
  get isReceived(): boolean {
    const { endAfterHeaders, readableEnded, state } = this.stream;
    return endAfterHeaders || readableEnded || state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
  }

  /** Ends it with an error for who reads it, and leaves its answer alone. */
  abandon(): void {
    this.#isAnswered = true;
    this.destroy();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.readableEnded) {
      callback(error);
      return;
    }
    if (!this.#isAnswered) cut(this.stream as ServerHttp2Stream);
    const reason = error ?? Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    callback(this.listenerCount('error') > 0 ? reason : null);
  }
}

/** An answer that handlers cannot tell from one of HTTP/1.1. Cut off, it ends with an error at the client, too. */
export class Http2Response extends Http2ServerResponse {
  constructor(stream: ServerHttp2Stream) {
    super(stream);
    Object.defineProperty(this, 'destroyed', { get: () => stream.destroyed || stream.closed });
    // Node ends what was cut off, too.
    Object.defineProperty(this, 'writableFinished', { get: () => stream.writableFinished && (stream.rstCode ?? 0) === 0 });
  }

  override setHeader(name: string, value: number | string | readonly string[]): void {
    if (!ofConnections.has(name.toLowerCase())) super.setHeader(name, value);
  }

  setHeaders(headers: ReadonlyMap<string, number | string | readonly string[]>): this {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  // Node's types have two forms of it; the status message is none of HTTP/2.
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    const given = (rest.length > 1 ? rest[1] : rest[0]) as
      | Readonly<Record<string, number | string | readonly string[]>>
      | string
      | undefined;
    const headers = typeof given === 'object' ? Object.entries(given).filter(([name]) => !ofConnections.has(name.toLowerCase())) : [];
    return super.writeHead(status, Object.fromEntries(headers) as Record<string, string>);
  }

  override destroy(): this {
    cut(this.stream as ServerHttp2Stream);
    return this;
  }
}

function cut(stream: ServerHttp2Stream): void {
  if (!stream.closed && !stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
