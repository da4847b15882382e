import type { Socket } from 'node:net';
import type { FindClientAddress } from './client-address.ts';
import { slowPeer, ThroughputMeter } from './throughput-meter.ts';

export interface ConnectionsOptions {
  /** Limit for all connections. */
  readonly most: number;
  /** Limit for one address. */
  readonly mostOfOne: number;
  readonly findClientAddress: FindClientAddress;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Whether the connection waits for this server: then it is not cut for being slow. */
  readonly isServed?: (socket: Socket) => boolean;
  /** Called at most once a minute while connections are refused. */
  readonly onTooMany?: (facts: { readonly peer: string | null; readonly connections: number }) => void;
}

interface Connection {
  socket: Socket;
  readonly peer: string | null;
  readonly throughput: ThroughputMeter;
  /** Bytes in both directions at the last sample. */
  seen: number;
}

const checkMilliseconds = 10_000;
const tellMilliseconds = 60_000;

/**
 * The connections of a listener, with limits. At a limit the slowest connection (throughput-meter.ts) is cut: one of the same
 * address if that address is at its limit, otherwise any. If none is slow, the new connection is refused.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), checkMilliseconds).unref();
  }

  get size(): number {
    return this.#all.size;
  }

  /** Registers a connection. Above a limit it closes the connection and returns `false`. */
  accept(socket: Socket): boolean {
    const { most, mostOfOne, findClientAddress, now } = this.#options;
    const peer = findClientAddress(socket.remoteAddress);
    const ofPeer = peer === null ? 0 : (this.#counts.get(peer) ?? 0);
    if ((ofPeer >= mostOfOne && !this.#cutSlowest(peer)) || (this.#all.size >= most && !this.#cutSlowest(null))) {
      this.#tell(peer, ofPeer);
      socket.destroy();
      return false;
    }
    if (peer !== null) this.#counts.set(peer, (this.#counts.get(peer) ?? 0) + 1);
    const connection: Connection = { socket, peer, throughput: new ThroughputMeter(now()), seen: 0 };
    this.#all.set(socket, connection);
    socket.once('close', () => this.#forget(connection, socket));
    return true;
  }

  /** The connection continues as another socket. */
  replaced(first: Socket, second: Socket): void {
    const connection = this.#all.get(first);
    if (!connection) return;
    this.#all.delete(first);
    this.#all.set(second, connection);
    connection.socket = second;
    second.once('close', () => this.#forget(connection, second));
  }

  /** Samples the bytes moved on each connection. */
  look(): void {
    const now = this.#options.now();
    for (const connection of this.#all.values()) {
      const moved = connection.socket.bytesRead + connection.socket.bytesWritten;
      connection.throughput.moved(moved - connection.seen, now);
      connection.seen = moved;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #cutSlowest(peer: string | null): boolean {
    this.look();
    const now = this.#options.now();
    let slowest: Connection | null = null;
    let least: number = slowPeer.bytesPerSecond;
    for (const connection of this.#all.values()) {
      if (peer !== null && connection.peer !== peer) continue;
      const rate = connection.throughput.rate(now);
      if (rate === null || rate >= least || this.#options.isServed?.(connection.socket)) continue;
      slowest = connection;
      least = rate;
    }
    if (!slowest) return false;
    // Now, not at its `close`, so that the new connection is within the limit.
    this.#forget(slowest, slowest.socket);
    slowest.socket.destroy();
    return true;
  }

  #forget(connection: Connection, socket: Socket): void {
    if (connection.socket !== socket || !this.#all.delete(socket)) return;
    const { peer } = connection;
    if (peer === null) return;
    const left = (this.#counts.get(peer) ?? 1) - 1;
    if (left === 0) this.#counts.delete(peer);
    else this.#counts.set(peer, left);
  }

  #tell(peer: string | null, connections: number): void {
    const now = this.#options.now();
    if (now - this.#reportedAt < tellMilliseconds) return;
    this.#reportedAt = now;
    this.#options.onTooMany?.({ peer, connections });
  }
}
