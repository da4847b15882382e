import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { Duplex } from 'node:stream';

/** What `node:net` keeps of an accepted connection, as far as it has to change hands. */
interface Accepted {
  _handle: { readonly useUserBuffer?: unknown } | null;
  _server: object | null;
}

/**
 * An accepted connection as a socket that reads into buffers of ours. `node:net` offers this (`onread`) for connections
 * that it makes, and not for those that it accepts; so the connection gets a second socket, and the first, which must
 * be paused and hold no bytes, is not used again. Those fields are Node's own: where they are not as known, it gives
 * `null`, and nothing has happened.
 */
export function withOwnBuffers(first: Socket, onread: OnReadOpts): Socket | null {
  const accepted = first as unknown as Accepted;
  const { _handle: handle, _server: server } = accepted;
  if (!handle || typeof handle.useUserBuffer !== 'function' || !server) return null;
  const second = new Socket({ handle, allowHalfOpen: true, onread } as unknown as SocketConstructorOpts);
  accepted._handle = null;
  // The server counts its connections by it.
  (second as unknown as Accepted)._server = server;
  accepted._server = null;
  return second;
}

/** Such a socket as a stream again, for a reader that knows no `onread`: whoever owns the socket pushes what comes. */
export class BareStream extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
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
