import { Agent, buildConnector } from 'undici';
import type { ObjectsFetcher } from '#client/many-fetcher.ts';
import type { PartsShipper } from '#client/many-sender.ts';
import type { ChunkSender, Digester, Fetcher, RangeReceiver, SliceHasher } from '#client/ports.ts';
import { createApiFetcher } from './api-fetcher.ts';
import { createBufferPool } from './buffers.ts';
import { createBulkPut } from './bulk-put.ts';
import { createChunkSender } from './chunk-sender.ts';
import { blake3Hex } from './digests.ts';
import type { DiskSource, SmallSource } from './disk-source.ts';
import { Stalled } from './net-failures.ts';
import { createObjectsFetcher, type ObjectSink } from './objects-fetcher.ts';
import { createPartsShipper } from './parts-shipper.ts';
import { createRangeReceiver } from './range-receiver.ts';
import type { RateLimiter } from './rate-limit.ts';
import { createRawLane } from './raw-lane.ts';
import type { DiskSink } from './sink.ts';
import { createSliceHasher } from './slice-hasher.ts';
import { createStreamFetcher, type StreamFetcher } from './stream-fetcher.ts';
import { type Timekeeper, untimed } from './time-split.ts';

/** How long the other side may be silent. */
export interface Patience {
  /** Milliseconds without a byte on a connection that has some to move. */
  readonly stallMs?: number;
  /** Milliseconds until an answer begins, after all was sent. */
  readonly answerMs?: number;
  /** Milliseconds. */
  readonly connectMs?: number;
}

export interface TransportOptions extends Lane, Patience {
  /** For calls and small chunks, to one address. */
  readonly connections?: number;
  /** For bulk, each way, to one address. */
  readonly bulkConnections?: number;
}

/** What client/'s procedures need of Node. */
export interface Movers {
  readonly fetcher: Fetcher;
  readonly stream: StreamFetcher;
  readonly send: ChunkSender<DiskSource>;
  /** Many small slices in one request. */
  readonly ship: PartsShipper<SmallSource>;
  readonly receive: RangeReceiver<DiskSink>;
  /** Many small files in one request. */
  readonly fetchMany: ObjectsFetcher<ObjectSink>;
  readonly hashSource: SliceHasher<DiskSource>;
  readonly hashSink: SliceHasher<DiskSink>;
  readonly digest: Digester;
}

/** What one transfer has to itself. */
export interface Lane {
  /** Of the bytes that it sends, and of those that it receives. */
  readonly uploadLimiter?: RateLimiter;
  readonly downloadLimiter?: RateLimiter;
  /** Told what its pieces are busy with. */
  readonly times?: Timekeeper;
}

/** All of it, sharing connections and buffers. One for an agent. */
export interface Transport extends Movers {
  /** The same connections with something of one transfer's own; costs nothing to make. */
  moversFor(lane: Lane): Movers;
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>;
}

/** Requests with many small slices: each has as much of them as there is. */
const shipping = 4;

export function createTransport(options: TransportOptions = {}): Transport {
  const { connections = 32, bulkConnections = 16, stallMs = 60_000, answerMs = 300_000, connectMs = 10_000 } = options;
  const agent = (many: number): Agent =>
    new Agent({
      connections: many,
      pipelining: 1,
      allowH2: false,
      headersTimeout: answerMs,
      bodyTimeout: stallMs,
      connect: stallingConnector(connectMs, stallMs),
    });
  const small = agent(connections);
  const bulk = agent(bulkConnections);
  const buffers = createBufferPool();
  const bulkPut = createBulkPut({ connections: bulkConnections, connectMs, answerMs, stallMs });
  const shipments = createBulkPut({ connections: shipping, connectMs, answerMs, stallMs });
  const raw = createRawLane({ buffers, connectMs, answerMs, stallMs });
  const moversFor = ({ uploadLimiter, downloadLimiter, times = untimed }: Lane): Movers => ({
    fetcher: createApiFetcher(small, times),
    stream: createStreamFetcher(small),
    send: createChunkSender({ bulk: bulkPut, small, buffers, times, ...(uploadLimiter ? { limiter: uploadLimiter } : {}) }),
    ship: createPartsShipper({ bulk: shipments, buffers, times, ...(uploadLimiter ? { limiter: uploadLimiter } : {}) }),
    receive: createRangeReceiver({ bulk, small, raw, times, ...(downloadLimiter ? { limiter: downloadLimiter } : {}) }),
    fetchMany: createObjectsFetcher({ dispatcher: small, times, ...(downloadLimiter ? { limiter: downloadLimiter } : {}) }),
    hashSource: createSliceHasher(buffers, times),
    hashSink: createSliceHasher(buffers, times),
    digest: blake3Hex,
  });
  return {
    ...moversFor(options),
    moversFor,
    async close() {
      raw.close();
      bulkPut.close();
      shipments.close();
      await Promise.all([small.destroy(), bulk.destroy()]);
    },
  };
}

/** Ends a connection on which written bytes wait for longer than the stall time; undici itself watches the reading. */
function stallingConnector(connectMs: number, stallMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs, allowH2: false });
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      socket?.setTimeout(stallMs, () => {
        if (socket.writableLength > 0) socket.destroy(new Stalled(`no byte went out for ${stallMs / 1_000} s`));
      });
      callback(...outcome);
    });
  };
}
