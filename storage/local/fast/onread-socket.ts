import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { Duplex } from 'node:stream';

/** Internal fields of an accepted connection in `node:net`, as far as they are moved to the second socket. */
interface Accepted {
  _handle: { readonly useUserBuffer?: unknown } | null;
  _server: object | null;
}

/**
 * Converts an accepted connection to a socket that reads into our own buffers. `node:net` supports this (`onread`) only
 * for outgoing connections. So the connection gets a second socket; the first one must be paused and have no buffered
 * bytes, and is not used again. The fields are internal to Node: if they are not as expected, it returns `null` and
 * changes nothing.
 */
export function withOwnBuffers(first: Socket, onread: OnReadOpts): Socket | null {
  const accepted = first as unknown as Accepted;
  const { _handle: handle, _server: server } = accepted;
  if (!handle || typeof handle.useUserBuffer !== 'function' || !server) return null;
  const second = new Socket({ handle, allowHalfOpen: true, onread } as unknown as SocketConstructorOpts);
  accepted._handle = null;
  // The server uses this field to count its connections.
  (second as unknown as Accepted)._server = server;
  accepted._server = null;
  return second;
}

/** Such a socket as a stream again, for a reader without `onread`: the socket's owner pushes the received bytes. */
export class OnreadStream extends Duplex {
  readonly #socket: Socket;
  /** The client's, as on the socket that the connection came on. */
  readonly remoteAddress: string | undefined;

  constructor(socket: Socket, remoteAddress: string | undefined) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
    this.remoteAddress = remoteAddress;
  }

  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: string | Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes as string, encoding, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
