import { readdirSync, readFileSync } from 'node:fs';
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
  /** Of processes that it started, and of theirs, as the browser's; zero where the system does not say. */
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
  return { own: (user + system) / 1e6, children: process.platform === 'linux' ? ofChildren() : 0 };
}

interface ProcessCpu {
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
}

/** Of the children that have ended, and of all below this process that still run: a browser serves many files. */
function ofChildren(): number {
  const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? entry(Number(name)) : [])));
  const isBelow = (pid: number): boolean => {
    const parent = all.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || isBelow(parent));
  };
  let seconds = all.get(process.pid)!.ended;
  for (const [pid, { own, ended }] of all) if (isBelow(pid)) seconds += own + ended;
  return seconds;
}

function entry(pid: number): [number, ProcessCpu][] {
  try {
    // After the program's name, which may hold spaces: the state first, the parent second, then utime, stime, cutime and
    // cstime as the 12th to the 15th, in 1/100 s.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    return [[pid, { parent: fields[1]!, own: (fields[11]! + fields[12]!) / 100, ended: (fields[13]! + fields[14]!) / 100 }]];
  } catch {
    // It has ended since.
    return [];
  }
}
