import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Running processes whose command line holds a text, e.g. the path of a test's own folder. Linux only. */
export async function processesWith(text: string): Promise<ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    if (!command.includes(text)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    // One that has ended and waits for its parent runs nothing any more.
    if (/^State:\s+Z/m.test(status)) continue;
    found.push({ pid: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), command });
  }
  return found;
}

/** Asks again until it is so; fails with `what` after 90 s. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 90_000;
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`It did not happen within 90 s: ${what}`);
    await sleep(20);
  }
}
