import { readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '#main/start/children.ts';
import { buildPages } from '#main/start/pages.ts';
import { findChromium, launchChromium, noChromium } from '#test/support/browser/chromium.ts';
import { putTransfers } from '#test/support/engine/stored-transfers.ts';
import { startLongshore } from '../longshore.ts';
import { cpuSecondsOf } from '../measure/processes.ts';
import { guiReport, type Resting } from '../report/gui.ts';
import { measurePage } from './page.ts';

interface GuiBenchOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly loadBefore: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const vaultKey = 'measured on loopback only';
/** Milliseconds after the start until it is at rest, and for how long it is watched then. */
const settles = { full: 3_000, quick: 500 } as const;
const watched = { full: 10_000, quick: 1_000 } as const;
const mostStarts = 3;
const mostVisits = 5;

/** The agent at rest, and its page with a hundred thousand transfers in a real browser. @returns Markdown */
export async function guiBench({ folder, quick, rounds, loadBefore, signal, say }: GuiBenchOptions): Promise<string> {
  if (!findChromium()) return `The agent's page was not measured: ${noChromium}.\n`;
  const transfers = quick ? 2_000 : 100_000;
  say(`GUI: building the page, and putting ${transfers.toLocaleString('en')} transfers into an agent's state.`);
  await buildPages();
  const resting: Resting[] = [];
  const dataDirOf = (count: number): string => join(folder, `resting-${count}`);
  for (const count of [0, transfers]) {
    const dataDir = dataDirOf(count);
    await mkdir(dataDir, { recursive: true });
    if (count > 0) await putTransfers(join(dataDir, 'agent'), { count, vaultKey });
    resting.push(await measureResting({ dataDir, count, rounds: Math.min(rounds, mostStarts), quick, signal }));
    say(`GUI: at rest with ${count} transfers: ${JSON.stringify(resting.at(-1))}`);
  }
  const home = join(folder, 'longshore');
  await cp(dataDirOf(transfers), home, { recursive: true });
  const longshore = await startLongshore({ folder: home, profile: null, signal });
  const browser = await launchChromium();
  try {
    const { url, client } = longshore.agent;
    const page = await measurePage({ browser, url, client, transfers, visits: Math.min(rounds, mostVisits), quick, say, signal });
    return guiReport({ transfers, resting, page, version: browser.version(), loadBefore });
  } finally {
    await browser.close();
    await longshore.stop();
  }
}

interface RestingOptions {
  readonly dataDir: string;
  readonly count: number;
  readonly rounds: number;
  readonly quick: boolean;
  readonly signal: AbortSignal;
}

async function measureResting({ dataDir, count, rounds, quick, signal }: RestingOptions): Promise<Resting> {
  const readySeconds: number[] = [];
  const readyCpuSeconds: number[] = [];
  let idlePercent = 0;
  let residentBytes = 0;
  for (let round = 1; round <= rounds; round++) {
    signal.throwIfAborted();
    const started = performance.now();
    const child = startChild({
      name: 'agent',
      args: ['--listen', '127.0.0.1:0', '--service-url', 'http://127.0.0.1:9', '--data-dir', dataDir, '--log-level', 'error'],
      env: { LONGSHORE_VAULT_KEY: vaultKey },
    });
    try {
      await child.ready;
      readySeconds.push((performance.now() - started) / 1_000);
      readyCpuSeconds.push(cpuSecondsOf(child.pid!));
      if (round < rounds) continue;
      await sleep(quick ? settles.quick : settles.full, undefined, { signal });
      const before = { cpu: cpuSecondsOf(child.pid!), at: performance.now() };
      await sleep(quick ? watched.quick : watched.full, undefined, { signal });
      idlePercent = (100 * (cpuSecondsOf(child.pid!) - before.cpu)) / ((performance.now() - before.at) / 1_000);
      residentBytes = residentOf(child.pid!);
    } finally {
      await child.stop();
    }
  }
  return { transfers: count, readySeconds, readyCpuSeconds, idlePercent, residentBytes };
}

function residentOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (!line) throw new Error(`The kernel does not say the memory of process ${pid}.`);
  return Number(line[1]) * 1024;
}
