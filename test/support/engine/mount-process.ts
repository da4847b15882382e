import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MountState, TransferReport, Work } from '#engine/gateway/mount-process/messages.ts';
import { forkMount } from '#engine/gateway/mount-process/mount-child.ts';
import { type MountProcess, startMountProcess } from '#engine/gateway/mount-process/start-process.ts';
import { silentLog, systemClock } from '#engine/ports.ts';

export interface TestMount {
  readonly process: MountProcess;
  readonly mountId: string;
  /** Every state that was told. */
  readonly states: MountState[];
  readonly reports: TransferReport[];
  /** Processes that were started, the newest last. */
  readonly pids: number[];
  readonly refused: string[];
  /** Hands work out, and again to each new process, as the agent does. */
  give(work: Work): void;
  /** The last report of a transfer. */
  last(transferId: string): TransferReport | undefined;
  /** Resolves with the first report from now on that is wanted. */
  when(wanted: (report: TransferReport) => boolean): Promise<TransferReport>;
  close(): Promise<void>;
}

interface TestMountOptions {
  readonly root: string;
  readonly dataDir: string;
  readonly serviceUrl: string;
  readonly readOnly?: boolean;
  readonly mountId?: string;
  readonly marked?: boolean;
  /** Bytes a second of downloads. */
  readonly downloadRate?: number;
}

const day = { enabled: false, start: '00:00', end: '00:00' };
const schedule = { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day };
const limit = (rate: number) => ({ enabled: rate > 0, rate_limit_bps: rate, schedule_enabled: false, schedule });
export const unlimited = limit(0);

/** The process of a mount, as the agent starts it; its folder is marked first, unless it was before. */
export async function startTestMount(options: TestMountOptions): Promise<TestMount> {
  const { root, dataDir, serviceUrl, readOnly = false, mountId = randomUUID() } = options;
  const states: MountState[] = [];
  const reports: TransferReport[] = [];
  const refused: string[] = [];
  const works = new Map<string, Work>();
  const pids: number[] = [];
  const waiting = new Set<{ readonly wanted: (report: TransferReport) => boolean; readonly resolve: (report: TransferReport) => void }>();
  const process = startMountProcess(
    {
      mountId,
      root,
      readOnly,
      marked: options.marked ?? true,
      dataDir: join(dataDir, mountId),
      serviceUrl,
      version: 'test',
      rateLimits: { upload: unlimited, download: limit(options.downloadRate ?? 0) },
    },
    {
      clock: systemClock,
      random: Math.random,
      log: silentLog,
      changed: (state) => void states.push(state),
      reported(report) {
        reports.push(report);
        if (report.state === 'complete' || report.state === 'error') works.delete(report.transferId);
        for (const one of waiting) {
          if (!one.wanted(report)) continue;
          waiting.delete(one);
          one.resolve(report);
        }
      },
      tokenRefused: (transferId) => void refused.push(transferId),
      unfinished: () => undefined,
      works: () => [...works.values()],
      startChild() {
        const child = forkMount();
        pids.push(child.pid!);
        return child;
      },
    },
  );
  if (options.marked !== false) await process.ask('mark', {});
  return {
    process,
    mountId,
    states,
    reports,
    pids,
    refused,
    give(work) {
      works.set(work.transferId, work);
      process.work(work);
    },
    last: (transferId) => reports.findLast((report) => report.transferId === transferId),
    when: (wanted) => new Promise((resolve) => waiting.add({ wanted, resolve })),
    close: () => process.close(),
  };
}
