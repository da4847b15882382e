import type { Lost } from '../state/writer.ts';
import type { JobPorts } from './job.ts';
import type { TransferRegistry } from './transfer-registry.ts';

/**
 * One run of a job, starting from the state in the database. It ends when any batch of changes is lost, even if another
 * job made them: the job's memory may then be ahead of the database, as after a kill, and nothing of it may be written
 * any more.
 */
export interface Attempt {
  /** Fires when the job is stopped, or a batch is lost. */
  readonly signal: AbortSignal;
  /** Set as soon as a batch is lost. */
  readonly lost: Lost | null;
  /** Whether it was a change of this job that failed. */
  readonly isCulprit: boolean;
  lose(lost: Lost): void;
  /** The same ports; their writes fail once this attempt has ended. */
  portsFor(jobs: JobPorts): JobPorts;
  /** Ends the attempt and stops listening for the stop signal. */
  close(): void;
}

/** Thrown for a write by a job whose attempt has ended. */
class BatchLost extends Error {
  override readonly name = 'BatchLost';
}

export function createAttempt(stop: AbortSignal): Attempt {
  const controller = new AbortController();
  // `AbortSignal.any` is not used: its signals make each of a request's many listeners expensive.
  const stopToo = (): void => controller.abort(stop.reason);
  if (stop.aborted) stopToo();
  stop.addEventListener('abort', stopToo);
  let lost: Lost | null = null;
  let isCulprit = false;

  const whileAlive =
    <A extends unknown[], R>(change: (...args: A) => R) =>
    (...args: A): R => {
      if (lost) throw new BatchLost('This run of the transfer is over: what it has not written down is read anew.', lost);
      try {
        return change(...args);
      } catch (cause) {
        isCulprit ||= lost !== null && (lost as Lost).cause === cause;
        throw cause;
      }
    };

  return {
    signal: controller.signal,
    get lost() {
      return lost;
    },
    get isCulprit() {
      return isCulprit;
    },
    lose(one) {
      if (lost) return;
      lost = one;
      controller.abort(new BatchLost('A batch of changes is lost.', one));
    },
    portsFor(jobs) {
      const { registry, store } = jobs;
      const guardedRegistry: TransferRegistry = {
        ...registry,
        patchUpload: whileAlive(registry.patchUpload),
        patchUploadSecrets: whileAlive(registry.patchUploadSecrets),
        addTotals: whileAlive(registry.addTotals),
        changeDownload: whileAlive(registry.changeDownload),
        recount: whileAlive(registry.recount),
        recountDone: whileAlive(registry.recountDone),
        log: whileAlive(registry.log),
      };
      const { writer } = store;
      return {
        ...jobs,
        registry: guardedRegistry,
        store: {
          ...store,
          writer: {
            ...writer,
            write: whileAlive(writer.write) as typeof writer.write,
            flush: whileAlive(writer.flush),
            committed: async () => whileAlive(writer.committed)(),
          },
        },
      };
    },
    close: () => stop.removeEventListener('abort', stopToo),
  };
}
