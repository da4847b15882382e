import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { BatchGet } from '#client/batch-get.ts';
import type { BatchPut } from '#client/batch-put.ts';
import type { ChunkSender, Digester, Fetcher, RangeReceiver, SliceHasher } from '#client/ports.ts';
import { createStallTimeouts, type StallTimeouts, stallMilliseconds } from '#client/stall-timeouts.ts';
import { isFast } from '#filesystem/fast.ts';
import { connections as defaults } from '../transfer/concurrency/limits.ts';
import { createBatchGet, isQuickForBatchGet } from './batch-get.ts';
import { createBatchPut, isQuick } from './batch-put.ts';
import { createBufferPool } from './buffers.ts';
import { createChunkSender } from './chunk-sender.ts';
import { blake3Hex, createSliceHasher } from './digests.ts';
import type { DiskSource, SmallSource } from './disk-source.ts';
import { createRawHttp } from './fast/raw-http.ts';
import { createApiFetcher, createStreamFetcher, type StreamFetcher } from './fetchers.ts';
import { Stalled } from './net-failures.ts';
import { createRangeReceiver } from './range-receiver.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { DiskSink, ObjectSink } from './sink.ts';
import { type Timekeeper, untimed } from './time-split.ts';
import { createUploadHttp } from './upload-http.ts';

/** Timeouts for a silent remote side. */
export interface TransportTimeouts {
  /** Milliseconds without a byte on a busy connection; 15 s by default. */
  readonly stallMs?: number;
  /**
   * Milliseconds until an answer begins, after all of a small request was sent (`client/stall-timeouts.ts`); by default
   * `stallMs`.
   */
  readonly answerMs?: number;
  /** Milliseconds. */
  readonly connectMs?: number;
  /** Milliseconds of silence after which the system asks whether the other side is still there; a minute by default. */
  readonly keepAliveMs?: number;
}

export interface TransportOptions extends TransferIo, TransportTimeouts {
  /** Connections for calls and small chunks, to one address. */
  readonly connections?: number;
  /** Connections for large bodies, each way, to one address. */
  readonly bulkConnections?: number;
  /** Whether large ranges and many small files may come by `fast/raw-http.ts`. */
  readonly fast?: boolean;
  /** The `User-Agent` of calls of the hosted API; none by default. */
  readonly program?: string;
}

/** The byte transport that client/'s procedures need from Node. */
export interface ByteTransport {
  readonly fetcher: Fetcher;
  readonly stream: StreamFetcher;
  readonly send: ChunkSender<DiskSource>;
  /** Many small slices in one request. */
  readonly batchPut: BatchPut<SmallSource>;
  /** False under a limit so slow that one request would be under way for too long. */
  readonly isQuickForBatchPut: () => boolean;
  readonly receive: RangeReceiver<ObjectSink>;
  /** Many small files in one request. */
  readonly batchGet: BatchGet<ObjectSink>;
  /** The same for these requests. */
  readonly isQuickForBatchGet: () => boolean;
  readonly hashSource: SliceHasher<DiskSource>;
  readonly hashSink: SliceHasher<DiskSink>;
  readonly digest: Digester;
}

/** Limits and time recording of one transfer. */
interface TransferIo {
  /** Limiters of the bytes that it sends and receives. */
  readonly uploadLimiter?: RateLimiter;
  readonly downloadLimiter?: RateLimiter;
  /** Records what its pieces are busy with. */
  readonly times?: Timekeeper;
}

/** The whole byte transport with shared connections and buffers. One for each agent. */
export interface SharedTransport extends ByteTransport {
  /** The same connections with one transfer's own limits; cheap to create. */
  forTransfer(io: TransferIo): ByteTransport;
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions = {}): SharedTransport {
  const {
    connections = defaults.small,
    bulkConnections = defaults.large,
    stallMs = stallMilliseconds,
    answerMs = stallMs,
    connectMs = 10_000,
    keepAliveMs = 60_000,
    fast = isFast,
    program,
  } = options;
  const stallTimeouts = createStallTimeouts({ stallMs, answerMs });
  const agent = (many: number): Dispatcher =>
    new Agent({ connections: many, pipelining: 1, allowH2: false, connect: stallingConnector(connectMs, stallMs, keepAliveMs) }).compose(
      stallInterceptor(stallTimeouts),
    );
  const small = agent(connections);
  const bulk = agent(bulkConnections);
  const buffers = createBufferPool();
  const uploadHttp = createUploadHttp({ connections: bulkConnections, connectMs, stallMs, stallTimeouts });
  const batchPutHttp = createUploadHttp({ connections: defaults.batchPut, connectMs, stallMs, stallTimeouts });
  const raw = fast ? createRawHttp({ buffers, connectMs, stallTimeouts }) : null;
  const forTransfer = ({ uploadLimiter, downloadLimiter, times = untimed }: TransferIo): ByteTransport => ({
    fetcher: createApiFetcher(small, times, program),
    stream: createStreamFetcher(small),
    send: createChunkSender({ bulk: uploadHttp, small, buffers, times, ...(uploadLimiter ? { limiter: uploadLimiter } : {}) }),
    batchPut: createBatchPut({ bulk: batchPutHttp, buffers, times, ...(uploadLimiter ? { limiter: uploadLimiter } : {}) }),
    isQuickForBatchPut: () => isQuick(uploadLimiter),
    receive: createRangeReceiver({ bulk, small, times, ...(raw ? { raw } : {}), ...(downloadLimiter ? { limiter: downloadLimiter } : {}) }),
    batchGet: createBatchGet({
      dispatcher: small,
      times,
      ...(raw ? { raw } : {}),
      ...(downloadLimiter ? { limiter: downloadLimiter } : {}),
    }),
    isQuickForBatchGet: () => isQuickForBatchGet(downloadLimiter),
    hashSource: createSliceHasher(buffers, times),
    hashSink: createSliceHasher(buffers, times),
    digest: blake3Hex,
  });
  return {
    ...forTransfer(options),
    forTransfer,
    async close() {
      raw?.close();
      uploadHttp.close();
      batchPutHttp.close();
      await Promise.all([small.destroy(), bulk.destroy()]);
    },
  };
}

/** Closes a connection whose written bytes wait for longer than the stall time; undici itself only checks reads. */
function stallingConnector(connectMs: number, stallMs: number, keepAliveMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs, allowH2: false, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
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

/** undici's errors when an answer does not begin, or stops. */
const silences = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'STALLED']);

/** Gives each undici request a timeout that suits its server, and records stalls. */
function stallInterceptor(stallTimeouts: StallTimeouts): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { method, origin, path, body } = options;
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
    const wait = stallTimeouts.waitFor({ method, url: new URL(path, String(origin)), bytes });
    let began = 0;
    const timed = { ...options, headersTimeout: wait.inAll, bodyTimeout: wait.betweenPieces };
    return dispatch(timed, {
      onRequestStart(controller, context) {
        began = performance.now();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart(...given) {
        if (given[1] >= 200) wait.answered(performance.now() - began);
        handler.onResponseStart?.(...given);
      },
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError(controller, error) {
        if (silences.has(String((error as { code?: unknown }).code))) wait.stalled();
        handler.onResponseError?.(controller, error);
      },
    });
  };
}
