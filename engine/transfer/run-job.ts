import type { Fetcher, Gate } from '#client/ports.ts';
import type { Movers, Transport } from '../io/transport.ts';
import type { Limits } from '../limits/limits.ts';
import { createAdaptiveGate } from './adaptive-gate.ts';
import { runDownload } from './download-job.ts';
import { type JobContext, type JobEnd, type JobPorts, sharedFile } from './job.ts';
import type { Readers } from './readers.ts';
import type { TransferRecord } from './record.ts';
import { runUpload } from './upload-job.ts';
import { mostWidth } from './width.ts';

export interface RunPorts {
  readonly jobs: JobPorts;
  readonly transport: Pick<Transport, 'moversFor'>;
  readonly limits: Limits;
  readonly readers: Readers;
}

/** Bytes that a connection sends in one go under a speed limit which is enough for it alone: at some 256 KiB a second. */
const pieceOfConnection = 5 * 1024;

/**
 * Runs one transfer from where it stands: under its limits, with as many connections for large chunks as it turns out
 * to have use for, and told where its time goes. Throws what ends it.
 */
export async function runJob({ jobs, transport, limits, readers }: RunPorts, record: TransferRecord, context: JobContext): Promise<JobEnd> {
  const { id, kind } = record;
  const { times } = context.activity;
  const limiter = limits.follow(id, kind, () => jobs.book.get(id).rateLimit);
  const movers = transport.moversFor(kind === 'upload' ? { uploadLimiter: limiter, times } : { downloadLimiter: limiter, times });
  let moved = 0;
  const { gate } = createAdaptiveGate({
    clock: context.clock,
    moved: () => moved,
    // More connections than a limit can fill each move so little that the other side takes them for stalled.
    most: () => Math.min(mostWidth, Math.ceil(limiter.piece() / pieceOfConnection)),
  });
  const { outage } = context;
  const bound = boundMovers(movers, jobs.gates.large, readers, (count) => {
    moved += count;
    if (count > 0) outage?.answered('storage');
  });
  const fetcher: Fetcher = async (request) => {
    const reply = await movers.fetcher(request);
    outage?.answered('service');
    return reply;
  };
  const run = kind === 'upload' ? runUpload : runDownload;
  try {
    return await run(
      { ...jobs, movers: { ...bound, fetcher }, gates: { large: context.through(gate), small: context.through(jobs.gates.small) } },
      id,
      context,
    );
  } finally {
    limits.unfollow(id);
  }
}

/** Large chunks and ranges wait for their disk, and for their turn among all transfers, and are counted. */
function boundMovers(movers: Movers, all: Gate, readers: Readers, count: (bytes: number) => void): Movers {
  const counted = (onBytes: (count: number) => void) => (bytes: number) => {
    count(bytes);
    onBytes(bytes);
  };
  return {
    ...movers,
    send(blueprint, source, slice, options) {
      if (slice.length <= sharedFile) return movers.send(blueprint, source, slice, options);
      const onBytes = counted(options.onBytes);
      return readers.read(source, () => all(() => movers.send(blueprint, source, slice, { ...options, onBytes })));
    },
    receive(url, sink, slice, options) {
      if (slice.length <= sharedFile) return movers.receive(url, sink, slice, options);
      const onBytes = counted(options.onBytes);
      return all(() => movers.receive(url, sink, slice, { ...options, onBytes }));
    },
  };
}
