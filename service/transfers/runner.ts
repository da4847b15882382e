import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import { createTransferCounters, type TransferCounters } from './counters.ts';
import { claimTransfer, isTransferDue } from './lease.ts';
import { recordTransferEvent } from './lifecycle-events.ts';
import { createPartMemory } from './part-memory.ts';
import type { TransferLimits, TransferQueue } from './ports.ts';
import { runTransfer, type TransferWork } from './run.ts';

export const defaultTransferLimits: TransferLimits = { perNode: 4, perConnection: 2 };

/** How often a process looks for what nobody told it of: what a dead one has left behind, and what waits after a failure. */
export const lookMilliseconds = 5_000;

const mebibyte = 1024 * 1024;
/** One transfer alone has four parts of a large file at once, four transfers together seven. */
const memoryForParts = { reserved: 6 * mebibyte, shared: 18 * mebibyte } as const;

/** What work on transfers needs of the service. */
export type RunnerServices = Omit<TransferWork, 'log' | 'record' | 'memory'> & Pick<Services, 'buckets' | 'senderLimits'>;

/** Works on transfers, in this process or in one of its own (process/). */
export interface TransferRunner extends TransferQueue, Pick<TransferCounters, 'counts'> {
  /** Lets parts take no more than this share of their memory, from 0 to 1 (yielding/). */
  limitParts(share: number): void;
  start(services: RunnerServices, log: Log): void;
  /** Puts what is under way down for other processes, and takes on nothing more. */
  stop(): Promise<void>;
}

/**
 * Takes on transfers that are due, up to the limits, until it is stopped. It learns of new ones by a job (jobs.ts), and looks
 * for others by itself, so that nothing waits for long if a job is lost or its process is busy.
 */
export function createTransferRunner(
  { perNode, perConnection }: TransferLimits,
  { countEnd, countBytes, counts } = createTransferCounters(),
  onRunning: (transfers: number) => void = () => {},
): TransferRunner {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const memoryOfAll = createPartMemory(memoryForParts);
  // Whoever has a link may bring a storage that takes its time: half of the places stay for connections.
  const singleUsePlaces = Math.max(1, Math.floor(perNode / 2));
  let singleUses = 0;
  // While there are other Teams none takes all places, so that the first transfer of another need not wait for hours.
  const teamPlaces = Math.max(1, perNode - 1);
  const ofTeams = new Map<string, number>();
  let parts: { readonly services: RunnerServices; readonly log: Log } | null = null;
  let looking: Promise<void> | null = null;
  let again = false;
  let timer: NodeJS.Timeout | undefined;

  function count(teamId: string, change: 1 | -1): void {
    const after = (ofTeams.get(teamId) ?? 0) + change;
    if (after === 0) ofTeams.delete(teamId);
    else ofTeams.set(teamId, after);
  }

  async function fill({ services, log }: NonNullable<typeof parts>): Promise<void> {
    // To claim one takes a lock of all processes and a long statement; most looks find nothing.
    if (!(await isTransferDue(services.db))) return;
    while (!stopping.signal.aborted && running.size < perNode) {
      const fullTeams = [...ofTeams].flatMap(([teamId, count]) => (count >= teamPlaces ? [teamId] : []));
      const claimed = await claimTransfer(services.db, { perConnection, singleUse: singleUses < singleUsePlaces, fullTeams });
      if (!claimed) return;
      const record = recordTransferEvent(services);
      const counting: typeof record = async (trx, event, row) => {
        await record(trx, event, row);
        if (event !== 'started') countEnd(event);
      };
      const isSingleUse = claimed.row.cloud_connection_id === null;
      if (isSingleUse) singleUses++;
      count(claimed.teamId, 1);
      const memory = memoryOfAll.open();
      const run = runTransfer(claimed, { ...services, log, record: counting, memory }, stopping.signal).then((arrived) => {
        memory.close();
        countBytes(arrived);
        running.delete(run);
        onRunning(running.size);
        if (isSingleUse) singleUses--;
        count(claimed.teamId, -1);
        services.events.changed(claimed.row.package_id);
        look();
      });
      running.add(run);
      onRunning(running.size);
    }
  }

  function look(): void {
    const known = parts;
    if (!known || stopping.signal.aborted || running.size >= perNode) return;
    if (looking) {
      again = true;
      return;
    }
    looking = fill(known)
      .catch((error: unknown) =>
        known.log.warn({ err: error, onceAMinute: 'transfers' }, 'no transfer could be taken on; it is tried again'),
      )
      .finally(() => {
        looking = null;
        if (!again) return;
        again = false;
        look();
      });
  }

  return {
    start(services, log) {
      if (perNode === 0) return;
      parts = { services, log };
      timer = setInterval(look, lookMilliseconds);
      timer.unref();
      look();
    },
    counts,
    limitParts: memoryOfAll.limit,
    wake: look,
    perConnection,
    countEnd,
    countBytes,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
      await Promise.all(running);
    },
  };
}
