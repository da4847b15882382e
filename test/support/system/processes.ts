import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** What the kernel says of a process; nothing of one that has ended meanwhile. By a plain call, a tenth of the CPU of a promise. */
function factOf(pid: string, name: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Running processes whose command line holds a text, e.g. the path of a test's own folder. Linux only. */
export async function processesWith(text: string): Promise<ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = factOf(name, 'cmdline').replaceAll('\0', ' ');
    if (!command.includes(text)) continue;
    const status = factOf(name, 'status');
    // One that has ended and waits for its parent runs nothing any more.
    if (/^State:\s+Z/m.test(status)) continue;
    found.push({ pid: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), command });
  }
  return found;
}

/** Milliseconds between two looks: the second comes soon, and what takes seconds is not asked for fifty times in each. */
const firstPause = 10;
const longestPause = 150;

/** Asks again until it is so; fails with `what` after 90 s. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 90_000;
  for (let pause = firstPause; !(await isSo()); pause = Math.min(longestPause, pause * 1.3)) {
    if (Date.now() > until) throw new Error(`It did not happen within 90 s: ${what}`);
    await sleep(pause);
  }
}
