import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A link with high latency between client and server: plain TCP that delays both directions, does not limit the
 * bandwidth, and breaks some connections.
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
}

/** A connection breaks within its first bytes, so that nearly every chosen one carries enough to break. */
const breaksWithinBytes = 64 * 1024;
/** Maximum bytes in flight in one direction: enough for 3 GB/s. */
const maxInFlight = 128 * 1024 * 1024;

export async function startWanLink({ roundTripMs, broken, random }: WanLinkOptions): Promise<WanLink> {
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
    const oneWay = roundTripMs / 2;
    // The client is connected at once. On a real link the handshake would take a round trip first.
    const greeted = performance.now() + roundTripMs;
    delayed(client, far, (now) => Math.max(now, greeted) + oneWay, carry);
    delayed(far, client, (now) => now + oneWay, carry);
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

interface InFlight {
  readonly due: number;
  /** `null` is the end of the stream. */
  readonly bytes: Buffer | null;
}

/** Copies data from one socket to the other, each piece at its due time. */
function delayed(from: Socket, to: Socket, dueAt: (now: number) => number, carry: (bytes: number) => boolean): void {
  const queue: InFlight[] = [];
  let held = 0;
  let timer: NodeJS.Timeout | null = null;
  let full = false;

  const deliver = (): void => {
    timer = null;
    while (!full && queue.length > 0 && queue[0]!.due <= performance.now()) {
      const { bytes } = queue.shift()!;
      if (bytes === null) {
        to.end();
        return;
      }
      held -= bytes.length;
      if (!carry(bytes.length)) return;
      full = !to.write(bytes);
    }
    if (held < maxInFlight) from.resume();
    if (!full && queue.length > 0) timer = setTimeout(deliver, Math.max(1, queue[0]!.due - performance.now()));
  };
  const put = (bytes: Buffer | null): void => {
    queue.push({ due: dueAt(performance.now()), bytes });
    held += bytes?.length ?? 0;
    if (held >= maxInFlight) from.pause();
    if (!timer && !full) deliver();
  };
  to.on('drain', () => {
    full = false;
    if (!timer) deliver();
  });
  from.on('data', put);
  from.on('end', () => put(null));
  const stop = (): void => {
    if (timer) clearTimeout(timer);
    queue.length = 0;
  };
  to.on('close', stop);
}
