import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '#main/start/compare.ts';
import { workloads as allWorkloads, type Contender, type MissingContender, type Sample, type Workload } from './contender.ts';
import { bytesOf, isBig, type Material, nameOf, sourcesOf } from './material.ts';
import { readThrough, touchMemory } from './measure/warm-up.ts';

/** All samples of one contender in one workload, by round. */
export interface Series {
  readonly contender: Pick<Contender, 'name' | 'server'>;
  readonly workload: Workload;
  readonly samples: ReadonlyMap<number, Sample>;
  /** Why it was given up, if it was. */
  readonly failed: string | null;
}

interface RoundsOptions {
  readonly contenders: readonly Contender[];
  readonly material: Material;
  /** The workloads; all of them by default. */
  readonly workloads?: readonly Workload[];
  readonly rounds: number;
  /** No round begins later than this number of minutes after the first. */
  readonly minutes: number;
  /** Where the folders for what comes down are made. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** How much is touched before small files, which never use more. */
const smallTouchBytes = 256 * 1024 * 1024;

/**
 * Measures everybody in turn, round after round, each round beginning with another one. Whoever fails once is left out
 * of that workload from then on.
 *
 * @throws the signal's reason
 */
export async function measureRounds({
  contenders,
  material,
  workloads = allWorkloads,
  rounds,
  minutes,
  folder,
  signal,
  say,
}: RoundsOptions): Promise<Series[]> {
  const all = workloads.flatMap((workload) =>
    contenders
      .filter(({ works }) => works[workload])
      .map((contender) => ({ contender, workload, samples: new Map<number, Sample>(), failed: null as string | null })),
  );
  const began = performance.now();
  const isLate = (): boolean => performance.now() - began > minutes * 60_000;
  for (let round = 1; round <= rounds && !isLate(); round++) {
    for (const workload of workloads) {
      for (const series of rotated(
        all.filter((one) => one.workload === workload),
        round - 1,
      )) {
        signal.throwIfAborted();
        if (series.failed !== null || round > (series.contender.mostRounds?.[workload] ?? rounds)) continue;
        const { name, server } = series.contender;
        try {
          const sample = await measureOnce(series.contender, workload, round, { material, folder });
          series.samples.set(round, sample);
          say(`${round}/${rounds} ${workload.padEnd(10)} ${`${name} (${server})`.padEnd(32)} ${shown(sample)}`);
        } catch (error) {
          signal.throwIfAborted();
          series.failed = `failed in round ${round}: ${error instanceof Error ? error.message : String(error)}`;
          say(`${round}/${rounds} ${workload.padEnd(10)} ${name} (${server}) ${series.failed}`);
        }
      }
    }
  }
  return all;
}

async function measureOnce(
  contender: Contender,
  workload: Workload,
  round: number,
  { material, folder }: Pick<RoundsOptions, 'material' | 'folder'>,
): Promise<Sample> {
  const into = join(folder, 'into');
  mkdirSync(into);
  try {
    touchMemory(isBig(workload) ? material.touchBytes : Math.min(material.touchBytes, smallTouchBytes));
    readThrough(sourcesOf(material, workload));
    const sample = await contender.works[workload]!({ round, into });
    if (workload.endsWith('down')) await check(into, material, workload, round);
    return sample;
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

/** What came down must be what was sent: by number and size always, byte for byte the first time. */
async function check(into: string, material: Material, workload: Workload, round: number): Promise<void> {
  const original = isBig(workload) ? material.big : material.small;
  const copy = join(into, nameOf(original));
  const files = isBig(workload) ? [copy] : readdirSync(copy).map((name) => join(copy, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (files.length !== sourcesOf(material, workload).length || bytes !== bytesOf(material, workload)) {
    throw new Error(`It fetched ${files.length} files with ${bytes} bytes, which is not what was sent.`);
  }
  if (round > 1) return;
  const { differences } = await compareTrees(original, copy);
  if (differences.length > 0) throw new Error(`It fetched other bytes than were sent: ${differences[0]}.`);
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

const shown = ({ seconds, cpuSeconds, serverCpuSeconds, peakBytes }: Sample): string =>
  `${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, server ${serverCpuSeconds.toFixed(2)} s, ${Math.round(peakBytes / 1e6)} MB`;

export interface Results {
  readonly series: readonly Series[];
  readonly absentees: readonly MissingContender[];
}
