import type { Fetcher, Gate } from '#client/ports.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { engineActivity } from '../activity-channel.ts';
import type { ByteTransport, SharedTransport } from '../io/transport.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { shareWeight } from '../limits/share-weight.ts';
import type { Tracer } from '../ports.ts';
import { createAdaptiveConcurrency } from './concurrency/adaptive-concurrency.ts';
import { connectionSpeedOf } from './concurrency/connection-speed.ts';
import type { DiskReadLimiter } from './concurrency/disk-read-limiter.ts';
import { createInOrder } from './concurrency/in-order.ts';
import { chunksPerTransfer } from './concurrency/limits.ts';
import { createRoundTrips } from './concurrency/round-trips.ts';
import { runDownload } from './download/download-job.ts';
import type { JobContext, JobEnd, JobPorts } from './job.ts';
import type { Movements } from './movements.ts';
import type { TransferRecord } from './record.ts';
import { createTransferTrace, type TransferTrace } from './transfer-trace.ts';
import { runUpload } from './upload/upload-job.ts';

interface RunPorts {
  readonly jobs: JobPorts;
  readonly sharedTransport: Pick<SharedTransport, 'forTransfer'>;
  readonly limits: RateLimits;
  readonly diskReads: DiskReadLimiter;
  /** Observes which services answer. */
  readonly watch: (fetcher: Fetcher) => Fetcher;
  /** Null: nothing is recorded. */
  readonly tracer: Tracer | null;
}

/** Bytes that a connection sends at once under a speed limit that it can use alone: at some 256 KiB a second. */
const pieceOfConnection = 5 * 1024;

/**
 * Runs one transfer from its current state: under its limits, with adaptive concurrency for large chunks, and with its
 * time recorded by cause. Throws what ends it.
 */
export async function runJob(
  { jobs, sharedTransport, limits, diskReads, watch, tracer }: RunPorts,
  record: TransferRecord,
  context: JobContext,
): Promise<JobEnd> {
  const { id, kind } = record;
  const { times } = context.activity;
  engineActivity.publish(`${kind} ${id}`);
  const weight = (): number => {
    const { priority, totalBytes } = jobs.registry.get(id);
    return shareWeight({ priority, bytesLeft: totalBytes - context.activity.bytes }, limits.rate(kind));
  };
  const limiter = limits.add(id, kind, () => jobs.registry.get(id).rateLimit, weight);
  const transport = sharedTransport.forTransfer(
    kind === 'upload' ? { uploadLimiter: limiter, times } : { downloadLimiter: limiter, times },
  );
  const roundTrips = createRoundTrips({ fetcher: watch(transport.fetcher), stream: transport.stream }, context.clock.now);
  let moved = 0;
  const service = record.request.serviceUrl;
  const { gate, limit, connectionSpeed } = createAdaptiveConcurrency({
    clock: context.clock,
    moved: () => moved,
    allowed: () => limiter.rate(),
    roundTripMs: () => roundTrips.leastMs(),
    sampled() {
      const seen = connectionSpeed();
      if (seen !== null) jobs.speeds.saw(service, seen);
      inOrder.changed();
    },
    // With more connections than a limit can fill, each moves so little that the remote side treats it as stalled.
    max: () => Math.min(chunksPerTransfer.max, Math.ceil(limiter.piece() / pieceOfConnection)),
  });
  const inOrder = createInOrder(limit);
  const speed = (): number | null =>
    connectionSpeedOf({ seen: connectionSpeed() ?? jobs.speeds.of(service), allowed: limiter.rate(), connections: limit() });
  const { outage } = context;
  const trace = createTransferTrace(record, tracer);
  const bound = limitedTransport(transport, { all: jobs.gates.large, diskReads, movements: context.movements, trace }, (count) => {
    moved += count;
    if (count > 0) outage?.answered('storage');
  });
  const fetcher: Fetcher = async (request) => {
    const reply = await roundTrips.fetcher(trace.traced(request));
    outage?.answered('service');
    return reply;
  };
  const run = kind === 'upload' ? runUpload : runDownload;
  try {
    const stream: ByteTransport['stream'] = (request, take) => roundTrips.stream(trace.traced(request), take);
    const gates = { large: context.through(gate), small: context.through(jobs.gates.small) };
    return await trace.run(() =>
      run({ ...jobs, transport: { ...bound, fetcher, stream }, gates }, id, {
        ...context,
        line: { inOrder, speed, batches: roundTrips.batches },
      }),
    );
  } finally {
    limits.remove(id);
  }
}

interface Bounds {
  /** How many large chunks and ranges may move at once, over all transfers. */
  readonly all: Gate;
  readonly diskReads: DiskReadLimiter;
  readonly movements: Movements;
  readonly trace: TransferTrace;
}

/**
 * Large chunks and ranges wait for their disk and for the global concurrency limit, and are counted; at a stop they can
 * be completed.
 */
function limitedTransport(
  transport: ByteTransport,
  { all, diskReads, movements, trace }: Bounds,
  count: (bytes: number) => void,
): ByteTransport {
  const counted = (onBytes: (count: number) => void) => (bytes: number) => {
    count(bytes);
    onBytes(bytes);
  };
  return {
    ...transport,
    send(blueprint, source, slice, options) {
      if (slice.length <= smallFileSize) return transport.send(blueprint, source, slice, options);
      const movement = { bytes: slice.length, signal: options.signal, onBytes: counted(options.onBytes) };
      const send = () =>
        trace.part('chunk put', slice.length, () =>
          movements.run(movement, (own) => transport.send(blueprint, source, slice, { ...options, ...own })),
        );
      return diskReads.read(source, () => all(send));
    },
    receive(url, sink, slice, options) {
      if (slice.length <= smallFileSize) return transport.receive(url, sink, slice, options);
      const movement = { bytes: slice.length, signal: options.signal, onBytes: counted(options.onBytes) };
      return all(() =>
        trace.part('chunk get', slice.length, () =>
          movements.run(movement, (own) => transport.receive(url, sink, slice, { ...options, ...own })),
        ),
      );
    },
    batchPut(url, parts, signal) {
      const bytes = parts.reduce((sum, { slice }) => sum + slice.length, 0);
      const send = () =>
        movements.run({ bytes, signal, onBytes: () => {} }, (own) => {
          const countedParts = parts.map((part) => ({
            ...part,
            onBytes(sent: number) {
              own.onBytes(sent);
              part.onBytes(sent);
            },
          }));
          return transport.batchPut(url, countedParts, own.signal);
        });
      return trace.part('batch put', bytes, send);
    },
  };
}
