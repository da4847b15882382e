import { backoffDelay } from '#client/backoff.ts';
import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import { ApiError } from '#protocol/errors.ts';
import type { RenamedFile } from '#protocol/hosted/transfers.ts';
import { limits } from '#protocol/limits.ts';
import { wordsOf } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { TransferReport } from './mount-process/messages.ts';

/** Milliseconds between two reports of one task: they renew its lease, too (contract/gateways.md §5). */
const everyMs = 2_000;
/** A report without news still renews the lease of 15 s. */
const heartbeatMs = 7_000;
const backoff = { first: 500, most: 7_000 };
const longestWords = 1_000;

export interface ReporterPorts {
  readonly taskId: string;
  /** With the task's own transfer token. */
  readonly client: HostedClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** The totals that the service has given; of a collection they are found on the way. */
  readonly totals: { readonly total_bytes: number; readonly total_files: number } | null;
  /** The service has the end of it, or does not want it any more. */
  readonly settled: (how: 'told' | 'lost') => void;
}

/** Tells the service how one task goes; its end until the service has heard it. */
export interface Reporter {
  report(report: TransferReport): void;
  close(): void;
}

export function createReporter({ taskId, client, clock, random, log, totals, settled }: ReporterPorts): Reporter {
  const closing = new AbortController();
  let latest: TransferReport | null = null;
  let isNew = false;
  let sending = false;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let cancel = (): void => undefined;

  const isEnd = (): boolean => latest?.state === 'complete' || latest?.state === 'error';

  const plan = (): void => {
    if (closing.signal.aborted || sending || latest === null) return;
    cancel();
    const since = clock.now() - lastSentAt;
    const due = failures > 0 ? backoffDelay(failures, random, backoff) : isEnd() ? 0 : (isNew ? everyMs : heartbeatMs) - since;
    cancel = clock.after(Math.max(0, due), () => void send());
  };

  const send = async (): Promise<void> => {
    if (latest === null || sending) return;
    sending = true;
    const own = latest;
    isNew = false;
    lastSentAt = clock.now();
    try {
      await client.call('reportTransfer', {
        params: { transfer_id: own.transferId },
        body: {
          task_id: taskId,
          state: own.state,
          progress: { ...own.progress, ...totals },
          ...(own.error === '' ? {} : { error: own.error.slice(0, longestWords) }),
          ...(own.renamed ? { renamed: own.renamed.first.map(cut), renamed_total: own.renamed.total } : {}),
        },
        signal: closing.signal,
      });
      failures = 0;
      if (own.state === 'complete' || own.state === 'error') {
        closing.abort();
        settled('told');
      }
    } catch (cause) {
      if (closing.signal.aborted) return;
      const isLost = refusesCredential(cause) || (cause instanceof ApiError && lostBy.has(cause.error));
      if (isLost) {
        closing.abort();
        log.info({ task: taskId, error: wordsOf(cause) }, 'the service wants no report of a task any more');
        settled('lost');
        return;
      }
      failures++;
      isNew = true;
      if (failures === 1) log.warn({ task: taskId, error: wordsOf(cause) }, 'a report of a task did not get through');
    } finally {
      sending = false;
      plan();
    }
  };

  return {
    report(report) {
      if (isEnd()) return;
      latest = report;
      isNew = true;
      plan();
    },
    close() {
      closing.abort();
      cancel();
    },
  };
}

/** A report that says more than it may is refused as a whole. */
const cut = ({ from, to }: RenamedFile): RenamedFile => ({ from: from.slice(0, limits.pathLength), to: to.slice(0, limits.pathLength) });

const lostBy: ReadonlySet<string> = new Set(['state_conflict', 'not_found', 'not_allowed', 'invalid_request']);
