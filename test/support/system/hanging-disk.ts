import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./hanging-disk.c', import.meta.url));

interface HangingDisk {
  /** For a process that shall have this disk. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on no call about it returns in that process. */
  fallSilent(): void;
}

/** A disk at `folder` that can stop answering, for a process with this environment (hanging-disk.c). Linux, with a C compiler. */
export function makeHangingDisk(folder: string, own: string): HangingDisk {
  const [library, pipe] = [join(own, 'hanging-disk.so'), join(own, 'pipe')];
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return {
    env: { LD_PRELOAD: library, LONGSHORE_TEST_DISK: folder, LONGSHORE_TEST_PIPE: pipe },
    fallSilent: () => void execFileSync('mkfifo', [pipe]),
  };
}

/** Threads that wait for the disk: until somebody writes to a pipe. */
export const waitingThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'latin1').includes('wait_for_partner'),
  ).length;
