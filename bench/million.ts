import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Longshore, startLongshore } from './longshore.ts';
import { cpuSecondsOf, peakBytesOf, resetPeak } from './measure/processes.ts';

/** What a folder of very many files costs the agent: queueing it, and removing it again. */

export const millionFiles = { full: 1_000_000, quick: 3_000 } as const;

export interface Million {
  readonly files: number;
  readonly queueing: Cost & {
    /** From asking to the first byte that is through. */
    readonly firstByteSeconds: number;
    /** How many had been sent when all had been found. */
    readonly sent: number;
    /** The agent's state on the disk. */
    readonly stateBytes: number;
  };
  /** Cancelled, taken off the list, and its room given back. */
  readonly removing: Cost & { readonly stateBytes: number };
}

export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  /** The longest that the agent took to answer another call meanwhile. */
  readonly longestAnswerMs: number;
}

interface MillionOptions {
  readonly files: number;
  /** A fresh folder, in memory or on a disk. */
  readonly folder: string;
  readonly profile: string | null;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export async function measureMillion({ files, folder, profile, signal, say }: MillionOptions): Promise<Million> {
  const source = join(folder, 'many');
  say(`Making ${files} files of one byte in one folder.`);
  await makeFiles(source, files, signal);
  const home = join(folder, 'longshore');
  mkdirSync(home);
  const longshore = await startLongshore({ folder: home, profile, signal });
  try {
    const { agent } = longshore;
    const state = join(home, 'agent');
    const body = { team_id: longshore.teamId, paths: [source], package_name: 'Bench', recipients: [], auto_finalize: false };

    const [queued, queueing] = await costOf(longshore, async () => {
      const started = performance.now();
      const asked = await agent.client.call('createUpload', { body, signal });
      let firstByteSeconds = 0;
      const found = await until(
        signal,
        () => agent.client.call('getUpload', { params: { id: asked.id }, signal }),
        (now) => {
          if (firstByteSeconds === 0 && now.bytes > 0) firstByteSeconds = (performance.now() - started) / 1_000;
          return firstByteSeconds > 0 && now.total_files === files;
        },
      );
      return { id: asked.id, firstByteSeconds, sent: found.files, stateBytes: bytesIn(state) };
    });
    const { id, ...facts } = queued;
    say(`Found in ${queueing.seconds.toFixed(1)} s, ${Math.round(queueing.peakBytes / 1e6)} MB at most.`);

    const [after, removing] = await costOf(longshore, async () => {
      await agent.client.call('removeUpload', { params: { id }, signal });
      await agent.client.call('removeUpload', { params: { id }, signal });
      const settings = await agent.client.call('getSettings', { signal });
      // A change makes the agent clean up now instead of in some hours.
      await agent.client.call('updateSettings', { body: { history_days: settings.history_days }, signal });
      await until(
        signal,
        async () => bytesIn(state),
        (bytes) => bytes < Math.max(facts.stateBytes / 4, 8 * 2 ** 20),
      );
      return { stateBytes: bytesIn(state) };
    });
    say(`Removed in ${removing.seconds.toFixed(1)} s, no answer took longer than ${Math.round(removing.longestAnswerMs)} ms.`);
    return { files, queueing: { ...queueing, ...facts }, removing: { ...removing, ...after } };
  } finally {
    await longshore.stop();
  }
}

async function makeFiles(folder: string, count: number, signal: AbortSignal): Promise<void> {
  mkdirSync(folder);
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, `${index}.bin`), 'x');
    if (index % 1_000 > 0) continue;
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
}

const lookMilliseconds = 20;
const patienceMilliseconds = 1_800_000;

async function until<T>(signal: AbortSignal, look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + patienceMilliseconds;
  for (;;) {
    const seen = await look();
    if (isDone(seen)) return seen;
    if (performance.now() > end) throw new Error('The agent did not come to its end within half an hour.');
    await sleep(lookMilliseconds, undefined, { signal });
  }
}

/** Runs the work while another call to the agent is repeated, to measure its longest answer. */
async function costOf<T>({ agent }: Longshore, work: () => Promise<T>): Promise<[T, Cost]> {
  const over = new AbortController();
  const answers = longestAnswer(agent.url, over.signal);
  const cpuBefore = cpuSecondsOf(agent.pid);
  resetPeak(agent.pid);
  const started = performance.now();
  try {
    const result = await work();
    const seconds = (performance.now() - started) / 1_000;
    const cpuSeconds = cpuSecondsOf(agent.pid) - cpuBefore;
    over.abort();
    return [result, { seconds, cpuSeconds, peakBytes: peakBytesOf(agent.pid), longestAnswerMs: await answers }];
  } finally {
    over.abort();
  }
}

async function longestAnswer(url: string, over: AbortSignal): Promise<number> {
  let longest = 0;
  while (!over.aborted) {
    const asked = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - asked);
    await sleep(lookMilliseconds, undefined, { signal: over }).catch(() => undefined);
  }
  return longest;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.startsWith('agent.db'))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
