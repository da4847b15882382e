import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: what it took to load and to run; only where CPU is measured (`LONGSHORE_TEST_CPU=1`). */
    cpu?: FileCpu;
  }
}

/** Seconds of CPU. */
export interface FileCpu {
  readonly own: number;
  /** Of processes that it started and that have ended, with theirs; zero where the system does not say. */
  readonly children: number;
}

/** A setup file, loaded anew before each test file: notes in the file's result what it cost. */
const before = usedUpToNow();
// biome-ignore lint/correctness/noEmptyPattern: the runner reads the pattern to know what is asked for
afterAll(({}, suite) => {
  const now = usedUpToNow();
  suite.meta.cpu = { own: now.own - before.own, children: now.children - before.children };
});

function usedUpToNow(): FileCpu {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: endedChildren() };
}

function endedChildren(): number {
  if (process.platform !== 'linux') return 0;
  // After the program's name, which may hold spaces: the state first, cutime and cstime as the 14th and 15th, in 1/100 s.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
