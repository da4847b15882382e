import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Memory in bytes of a browser with all its processes: what each has for itself, and its share of what it has in common
 * with others. The browser is the process that was started with `mark` among its arguments. 0 where there is no Linux to ask.
 */
export function browserBytes(mark: string): number {
  if (!existsSync('/proc/self/smaps_rollup')) return 0;
  const parents = new Map<number, number>();
  const roots = new Set<number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const [stat, command] = [readIfThere(`/proc/${pid}/stat`), readIfThere(`/proc/${pid}/cmdline`)];
    // The second field is the name in brackets, which may hold anything.
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    if (command.split('\0').includes(mark)) roots.add(pid);
  }
  const belongs = (pid: number | undefined): boolean => pid !== undefined && pid > 0 && (roots.has(pid) || belongs(parents.get(pid)));
  let kibibytes = 0;
  for (const pid of parents.keys()) {
    if (belongs(pid)) kibibytes += Number(/^Pss:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

/** Empty for a process that has ended meanwhile. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const lookMilliseconds = 500;

/** The largest memory of a browser while something is done, looked at twice a second. */
export async function peakWhile<T>(mark: string, work: () => Promise<T>): Promise<{ readonly result: T; readonly peakBytes: number }> {
  let peakBytes = browserBytes(mark);
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, browserBytes(mark));
  }, lookMilliseconds);
  try {
    const result = await work();
    return { result, peakBytes };
  } finally {
    clearInterval(timer);
  }
}
