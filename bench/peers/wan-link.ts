import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A link with high latency between client and server: plain TCP that delays both directions, holds each connection to a
 * window, does not limit the bandwidth of all together, and breaks some connections.
 */
export interface WanLink {
  readonly url: string;
  /** The server; set before the first connection. */
  upstream: { readonly host: string; readonly port: number };
  /** Connections so far, and how many of them were broken. */
  readonly count: { readonly opened: number; readonly broken: number };
  stop(): Promise<void>;
}

export interface WanLinkOptions {
  /** Latency there and back. */
  readonly roundTripMs: number;
  /** The share of connections that break. */
  readonly broken: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Bytes of one connection and direction that are sent and not acknowledged, at most. */
  readonly window: number;
}

/** A connection breaks within its first bytes, so that nearly every chosen one carries enough to break. */
const breaksWithinBytes = 64 * 1024;
/** What a connection may send before it has heard of the other side: ten segments (RFC 6928). */
const initialWindow = 10 * 1460;

/** The largest send buffer that Linux gives a connection unless it is told to give more (`net.ipv4.tcp_wmem`). */
export const linuxWindow = 4 * 1024 * 1024;

export async function startWanLink({ roundTripMs, broken, random, window }: WanLinkOptions): Promise<WanLink> {
  const count = { opened: 0, broken: 0 };
  const sockets = new Set<Socket>();
  let upstream = { host: '127.0.0.1', port: 0 };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    count.opened++;
    const far = connect({ ...upstream, allowHalfOpen: true, noDelay: true });
    let left = random() < broken ? Math.floor(random() * breaksWithinBytes) : Number.POSITIVE_INFINITY;
    const end = (): void => {
      for (const socket of [client, far]) {
        sockets.delete(socket);
        if (!socket.destroyed) socket.resetAndDestroy();
      }
    };
    const carry = (bytes: number): boolean => {
      left -= bytes;
      if (left > 0) return true;
      count.broken++;
      end();
      return false;
    };
    for (const socket of [client, far]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        if (socket.errored) end();
      });
    }
    const oneWayMs = roundTripMs / 2;
    // The client is connected at once. On a real link the handshake would take a round trip first.
    const greeted = performance.now() + roundTripMs;
    const both = { oneWayMs, window, carry };
    delayed({ ...both, from: client, to: far, dueAt: (now) => Math.max(now, greeted) + oneWayMs });
    delayed({ ...both, from: far, to: client, dueAt: (now) => now + oneWayMs });
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get upstream() {
      return upstream;
    },
    set upstream(endpoint) {
      upstream = { host: endpoint.host, port: endpoint.port };
    },
    count,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A piece of a stream on its way; `null` is the stream's end. */
interface InFlight {
  readonly due: number;
  readonly bytes: Buffer | null;
}

/** Word of bytes that arrived, on its way back to their sender. */
interface Acknowledgement {
  readonly due: number;
  readonly bytes: number;
}

interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  readonly dueAt: (now: number) => number;
  readonly oneWayMs: number;
  readonly window: number;
  /** Counts bytes that arrive; false once the connection is broken. */
  readonly carry: (bytes: number) => boolean;
}

/**
 * Copies data from one socket to the other, each piece at its due time, and holds the sender to its window: what it has sent and
 * has no word of yet is at most so much. A window begins small and doubles each round trip, as TCP's slow start has it.
 */
function delayed({ from, to, dueAt, oneWayMs, window, carry }: Direction): void {
  const flying: InFlight[] = [];
  const acknowledged: Acknowledgement[] = [];
  /** Read from the sender, who would still have it in its own buffer. */
  let unsent: Buffer | null = null;
  let ended = false;
  let open = Math.min(window, initialWindow);
  let unacknowledged = 0;
  let timer: NodeJS.Timeout | null = null;
  let full = false;

  const send = (now: number): void => {
    while (unsent !== null && unacknowledged < open) {
      const bytes: Buffer = unsent.subarray(0, open - unacknowledged);
      unsent = bytes.length < unsent.length ? unsent.subarray(bytes.length) : null;
      unacknowledged += bytes.length;
      flying.push({ due: dueAt(now), bytes });
    }
    if (unsent !== null) from.pause();
    else if (ended) {
      ended = false;
      flying.push({ due: dueAt(now), bytes: null });
    } else from.resume();
  };
  const arrive = (now: number): boolean => {
    while (!full && flying.length > 0 && flying[0]!.due <= now) {
      const { bytes } = flying.shift()!;
      if (bytes === null) {
        to.end();
        return false;
      }
      acknowledged.push({ due: now + oneWayMs, bytes: bytes.length });
      if (!carry(bytes.length)) return false;
      full = !to.write(bytes);
    }
    return true;
  };
  const turn = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    const now = performance.now();
    while (acknowledged.length > 0 && acknowledged[0]!.due <= now) {
      const { bytes } = acknowledged.shift()!;
      unacknowledged -= bytes;
      open = Math.min(window, open + bytes);
    }
    send(now);
    if (!arrive(now)) return;
    const next = Math.min(
      full ? Number.POSITIVE_INFINITY : (flying[0]?.due ?? Number.POSITIVE_INFINITY),
      acknowledged[0]?.due ?? Number.POSITIVE_INFINITY,
    );
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(turn, Math.max(1, next - performance.now()));
  };
  to.on('drain', () => {
    full = false;
    turn();
  });
  from.on('data', (bytes: Buffer) => {
    unsent = unsent === null ? bytes : Buffer.concat([unsent, bytes]);
    send(performance.now());
    if (!timer) turn();
  });
  from.on('end', () => {
    ended = true;
    turn();
  });
  to.on('close', () => {
    if (timer) clearTimeout(timer);
    flying.length = 0;
    acknowledged.length = 0;
    unsent = null;
  });
}
