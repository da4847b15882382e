import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MountState, TransferReport } from '#engine/gateway/mount-process/messages.ts';
import { type MountProcess, startMountProcess } from '#engine/gateway/mount-process/start-process.ts';
import { silentLog, systemClock } from '#engine/ports.ts';
import { startMountUtility } from '#main/electron/mount-process.ts';
import { unlimited } from './mount-process.ts';
import { utilityProcess } from './utility-process.ts';

export interface UtilityMount {
  readonly process: MountProcess;
  readonly root: string;
  readonly states: MountState[];
  readonly reports: TransferReport[];
  /** Its processes, the newest last. */
  readonly pids: () => readonly (number | undefined)[];
}

/** A mount below `folder`, whose process is started as the desktop app does it. Its service answers nothing. */
export function startMountByUtility(folder: string, script: string): UtilityMount {
  const root = join(folder, 'nas');
  mkdirSync(root, { recursive: true });
  const states: MountState[] = [];
  const reports: TransferReport[] = [];
  const children: ReturnType<typeof startMountUtility>[] = [];
  const process = startMountProcess(
    {
      ...{ mountId: 'mount', root, readOnly: false, marked: true, serviceUrl: 'http://127.0.0.1:9', version: 'test' },
      dataDir: join(folder, 'state'),
      rateLimits: { upload: unlimited, download: unlimited },
    },
    {
      clock: systemClock,
      random: Math.random,
      log: silentLog,
      changed: (state) => void states.push(state),
      reported: (report) => void reports.push(report),
      tokenRefused: () => undefined,
      unfinished: () => undefined,
      works: () => [],
      startChild() {
        const child = startMountUtility(utilityProcess, script);
        children.push(child);
        return child;
      },
    },
  );
  return { process, root, states, reports, pids: () => children.map(({ pid }) => pid) };
}
