/**
 * Every number that bounds work at once, in the order in which a chunk meets them. Sizes in bytes.
 *
 *     transfer   setting max_concurrent_transfers            transfer/queue.ts
 *        │
 *     file       filesInProgress        one transfer         pipeline/run-batches.ts (a batch weighs its share of it,
 *        │                                                    by batchesInProgress)
 *     permits    filePermits            all transfers        concurrency/weighted-semaphore.ts
 *        │
 *     large file maxOpenLargeFiles      one transfer         concurrency/in-order.ts
 *        │
 *     chunk      chunksPerTransfer      one transfer         concurrency/adaptive-concurrency.ts (large chunks only)
 *        │
 *     disk       readersPerSlowDisk     all transfers        concurrency/disk-read-limiter.ts (large chunks only)
 *        │
 *     gate       chunksInProgress       all transfers        start.ts; as many connections, io/transport.ts
 *
 * A small file in a batch takes permits, and its request the gate for small chunks; it meets no limit of large ones.
 * Who has more than this waits in line: first come, first served.
 */

/**
 * Files of one transfer that are in progress: so many small ones, and beside them so many large ones, most of which wait
 * for a connection. `inBatches` where the service batches calls: then most of them wait for
 * others, and two full batches keep both sides busy, since one is created or finalized while the bytes of the other are
 * sent (docs/decisions/0028).
 */
export const filesInProgress = { upload: { single: 32, inBatches: 384 }, download: 192 } as const;

/**
 * Batches of small files of one transfer: one is created or asked for, one is on the wire, one is finalized or named. On a
 * far line each of these steps waits a round trip, in which more batches are moved.
 */
export const batchesInProgress = { near: 3, far: 8 } as const;
/** Milliseconds of a round trip from which a line is far. Calls over new connections, as the first ones are, take two round trips. */
export const farRoundTripMs = 40;
/** More would make each file wait for too many others. */
export const filesPerBatch = 128;
/**
 * Permits of all transfers, and how many a batch of one takes; one of many takes as many as it has files. So 32 small
 * files are in progress by themselves, or 1024 in batches. Large files take none: those of one transfer never block small files of another, and
 * each transfer bounds its own (`maxOpenLargeFiles`).
 */
export const filePermits = { total: 1024, small: 1024 / 32, large: 0 } as const;
/** Larger files are large. */
export const largestSmallFile = 1024 * 1024;

/** Large files of one transfer: one is created and another finalized while chunks of the others are sent. */
export const maxOpenLargeFiles = 8;

/** Large chunks of one transfer, which is its number of connections: at first, and at most. */
export const chunksPerTransfer = {
  initial: 4,
  /** On a far line, where each connection is held back by its window more often than all of them by the line. */
  initialWhenFar: 8,
  /** Under a speed limit: mostly one connection fills it, and the second works while the first waits for an answer. */
  initialWhenThrottled: 2,
  max: 16,
} as const;

/** A spinning disk loses time with seeks, a network drive between requests. */
export const readersPerSlowDisk = 1;

/** Chunks of all transfers, each on a connection of its own. Each large one costs one to three MiB of memory. */
export const chunksInProgress = { large: 16, small: 32 } as const;

/**
 * Connections to one address, which the gate has let through: calls share those of small chunks. Requests with many parts have
 * some beside them, so that they do not wait for these.
 */
export const connections = { ...chunksInProgress, batchPut: 4 } as const;

/** Beside the chain: calls that delete the files of a cancelled upload, changes of many transfers, files compared with a receipt. */
export const deletionsInProgress = 8;
export const transferChangesInProgress = 32;
export const filesComparedAtOnce = 4;
