import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A long way between client and server: plain TCP that takes its time in both directions, holds up nothing else, and
 * breaks some connections.
 */
export interface FarLine {
  readonly url: string;
  /** Whom it leads to; set before anybody comes. */
  upstream: { readonly host: string; readonly port: number };
  /** Connections so far, and how many of them were broken. */
  readonly count: { readonly opened: number; readonly broken: number };
  stop(): Promise<void>;
}

export interface FarOptions {
  /** From one end to the other and back. */
  readonly roundTripMs: number;
  /** Which part of all connections breaks. */
  readonly broken: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** One that breaks does so somewhere in its first bytes, so that nearly all that are chosen live to see it. */
const breaksWithinBytes = 64 * 1024;
/** On the way in one direction at most: enough for 3 GB/s. */
const mostOnTheWay = 128 * 1024 * 1024;

export async function startFarLine({ roundTripMs, broken, random }: FarOptions): Promise<FarLine> {
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
    // The client believes to be through at once; over a real line its greeting would take a round trip first.
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
    set upstream(whom) {
      upstream = { host: whom.host, port: whom.port };
    },
    count,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface OnTheWay {
  readonly due: number;
  /** `null`: no more follows. */
  readonly bytes: Buffer | null;
}

/** Carries what comes from one socket to the other, each piece as late as it is due. */
function delayed(from: Socket, to: Socket, dueAt: (now: number) => number, carry: (bytes: number) => boolean): void {
  const queue: OnTheWay[] = [];
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
    if (held < mostOnTheWay) from.resume();
    if (!full && queue.length > 0) timer = setTimeout(deliver, Math.max(1, queue[0]!.due - performance.now()));
  };
  const put = (bytes: Buffer | null): void => {
    queue.push({ due: dueAt(performance.now()), bytes });
    held += bytes?.length ?? 0;
    if (held >= mostOnTheWay) from.pause();
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
