import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What the kernel (Linux) has counted of running processes. */

/** Clock ticks per second in /proc: 100 on every architecture that Node runs on. */
const ticksPerSecond = 100;

interface Counted {
  readonly parent: number;
  /** Its own time and that of its children that have ended and been waited for. */
  readonly ticks: number;
}

/**
 * CPU time of a process with all its threads, its children and theirs, in seconds with two decimals. Of one that has
 * ended its parent keeps the count, so that a difference over time misses nothing.
 *
 * @throws when the process is gone
 */
export function cpuSecondsOf(root: number): number {
  const all = countAll();
  if (!all.has(root)) throw new Error(`Process ${root} has ended while it was measured.`);
  let ticks = 0;
  for (const [pid, counted] of all) if (descends(pid, root, all)) ticks += counted.ticks;
  return ticks / ticksPerSecond;
}

/**
 * Bytes of memory that are a process's own, and not of a file or shared with others (RssAnon); with its children and theirs, or
 * alone. PostgreSQL's buffers are shared.
 */
export function ownBytesOf(root: number, { alone = false }: { readonly alone?: boolean } = {}): number {
  const all = countAll();
  let bytes = 0;
  for (const pid of all.keys()) if (pid === root || (!alone && descends(pid, root, all))) bytes += anonymousBytesOf(pid);
  return bytes;
}

function anonymousBytesOf(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended since.
    return 0;
  }
}

/** A running process and its children whose command line holds a text. */
export function withChildren(root: number, text: string): number[] {
  const isChild = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  };
  return [root, ...[...countAll()].flatMap(([pid, { parent }]) => (parent === root && isChild(pid) ? [pid] : []))];
}

function countAll(): Map<number, Counted> {
  const all = new Map<number, Counted>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const counted = count(Number(name));
    if (counted) all.set(Number(name), counted);
  }
  return all;
}

function count(pid: number): Counted | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It ended between the listing and now.
    return null;
  }
  // The second field is the name in brackets, which may hold anything; from the third on they are numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return { parent: Number(fields[1]), ticks };
}

function descends(pid: number, root: number, all: ReadonlyMap<number, Counted>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = all.get(at)?.parent) if (at === root) return true;
  return false;
}

/** Begins a new peak: from here on `peakBytesOf` says the largest memory since. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Largest resident memory of one process in bytes, since its start or `forgetPeak`. */
export function peakBytesOf(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (!line) throw new Error(`The kernel does not say the peak memory of process ${pid}.`);
  return Number(line[1]) * 1024;
}
