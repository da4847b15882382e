import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { apiBench } from './api/api.ts';
import { cloudsBench } from './clouds/clouds.ts';
import { workloads as allWorkloads, bigWorkloads, smallWorkloads, type Workload } from './contender.ts';
import { front, frontContender } from './front.ts';
import { guiBench } from './gui/gui.ts';
import { longshoreContender, startLongshore } from './longshore.ts';
import { fullSizes, largeBytes, makeMaterial, quickSizes, type Sizes } from './material.ts';
import { type Growth, growthSizes, measureGrowth } from './memory-growth.ts';
import { measureMillion, millionFiles } from './million.ts';
import type { BenchOptions, Part } from './options.ts';
import { pagesBench } from './pages/pages.ts';
import { startPeers } from './peers/peers.ts';
import { bringPrograms, findPrograms, type Programs, whyAbsent } from './peers/programs.ts';
import { machineFacts } from './report/machine.ts';
import { millionReport } from './report/million.ts';
import type { Section } from './report/page.ts';
import { partialReport, report, wanReport } from './report/tables.ts';
import { measureRounds } from './rounds.ts';
import { measureWan } from './wan.ts';

interface BenchPorts {
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

interface BenchOutcome {
  /** The results as Markdown, by section of the page, for the parts that were chosen. */
  readonly sections: ReadonlyMap<Section, string>;
  /** Whether every contender that was there did all its work. */
  readonly whole: boolean;
}

interface PartOutcome {
  readonly text: string;
  readonly whole: boolean;
}

type Measure = (options: BenchOptions, folder: string, ports: BenchPorts) => Promise<PartOutcome>;

/** The API comes first, since the other parts leave the machine less quiet. */
const measures: readonly { readonly part: Part; readonly section: Section; readonly measure: Measure }[] = [
  { part: 'api', section: 'API results', measure: api },
  { part: 'peers', section: 'results', measure: peers },
  { part: 'million', section: 'million results', measure: million },
  { part: 'far', section: 'far results', measure: far },
  { part: 'pages', section: 'pages results', measure: pages },
  { part: 'gui', section: 'gui results', measure: gui },
  { part: 'clouds', section: 'clouds results', measure: clouds },
];

/** Runs the chosen parts. It leaves no process behind, and only the files that the options name. */
export async function bench(options: BenchOptions, ports: BenchPorts): Promise<BenchOutcome> {
  const sections = new Map<Section, string>();
  let whole = true;
  for (const { part, section, measure } of measures) {
    if (!options.parts.has(part)) continue;
    const folder = mkdtempSync(join(scratchFolder(options), 'longshore-bench-'));
    try {
      const outcome = await measure(options, folder, ports);
      // Results for a larger file are a section of their own; they do not replace the usual table.
      sections.set(part === 'peers' ? peersSection(options) : section, outcome.text);
      whole &&= outcome.whole;
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  return { sections, whole };
}

async function api({ quick }: BenchOptions, folder: string, ports: BenchPorts): Promise<PartOutcome> {
  return { text: await apiBench({ folder, quick, ...ports }), whole: true };
}

async function million({ quick, profile }: BenchOptions, folder: string, ports: BenchPorts): Promise<PartOutcome> {
  const loadBefore = loadavg()[0]!;
  const found = await measureMillion({
    files: quick ? millionFiles.quick : millionFiles.full,
    folder,
    profile: profile === null ? null : resolve(profile),
    ...ports,
  });
  return { text: millionReport(found, loadBefore), whole: true };
}

async function pages({ quick, rounds }: BenchOptions, folder: string, ports: BenchPorts): Promise<PartOutcome> {
  return { text: await pagesBench({ folder, quick, rounds, loadBefore: loadavg()[0]!, ...ports }), whole: true };
}

async function gui({ quick, rounds }: BenchOptions, folder: string, ports: BenchPorts): Promise<PartOutcome> {
  return { text: await guiBench({ folder, quick, rounds, loadBefore: loadavg()[0]!, ...ports }), whole: true };
}

async function clouds(options: BenchOptions, folder: string, ports: BenchPorts): Promise<PartOutcome> {
  const { rounds, minutes, profile } = options;
  const programs = programsFor(options, folder, ports.say);
  const sizes = sizesOf(options);
  const loadBefore = loadavg()[0]!;
  return cloudsBench({
    folder,
    sizes,
    rounds,
    minutes,
    programs,
    profile: profile === null ? null : resolve(profile),
    loadBefore,
    ...ports,
  });
}

async function peers(options: BenchOptions, folder: string, { signal, say }: BenchPorts): Promise<PartOutcome> {
  const loadBefore = loadavg()[0]!;
  const endings: (() => Promise<void>)[] = [];
  try {
    const programs = programsFor(options, folder, say);
    const sizes = sizesOf(options);
    const workloads = workloadsOf(options);
    say(`Preparing ${sizes.bigBytes / 2 ** 20} MiB and ${sizes.smallFiles} small files, and starting the servers.`);
    const material = makeMaterial(folder, sizes);
    const { only } = options;
    const wanted = (name: string, server: string): boolean => only === null || only.test(`${name} ${server}`);
    const { contenders: others, absentees } = await startPeers({ folder, material, programs, signal, wanted, endings });
    const longshore = await startLongshore({
      folder: newFolder(folder, 'longshore'),
      profile: options.profile === null ? null : resolve(options.profile),
      signal,
    });
    endings.push(() => longshore.stop());
    const contenders = [await longshoreContender(longshore, material), ...others];
    if (workloads === allWorkloads && wanted(front.name, front.server)) {
      const why = whyAbsent(programs, ['nginx']);
      const parts = { folder: newFolder(folder, 'front'), material, profile: null, signal, endings };
      if (why === null) contenders.push(await frontContender({ ...parts, program: programs.nginx! }));
      else absentees.push({ ...front, why });
    }
    const { rounds: mostRounds, minutes } = options;
    const series = await measureRounds({ contenders, material, workloads, rounds: mostRounds, minutes, folder, signal, say });
    await end(endings);
    const growth = await growthOf(options, folder, { signal, say });
    const machine = machineFacts(programs, loadBefore);
    const rounds = Math.max(...series.map(({ samples }) => samples.size));
    const input = { machine, sizes, rounds, series, absentees, growth };
    const text = workloads === allWorkloads ? report(input) : partialReport(input, workloads);
    return { text, whole: series.every(({ failed }) => failed === null) };
  } finally {
    await end(endings);
  }
}

async function far(options: BenchOptions, folder: string, { signal, say }: BenchPorts): Promise<PartOutcome> {
  const loadBefore = loadavg()[0]!;
  const endings: (() => Promise<void>)[] = [];
  try {
    const programs = programsFor(options, folder, say);
    const sizes = sizesOf(options);
    const found = await measureWan({ ...options, sizes, programs, folder, endings, signal, say });
    const machine = machineFacts(programs, loadBefore);
    const rounds = Math.max(...found.series.map(({ samples }) => samples.size));
    return {
      text: wanReport({ ...found, machine, sizes, rounds, growth: [] }, found.line),
      whole: found.series.every(({ failed }) => failed === null),
    };
  } finally {
    await end(endings);
  }
}

function workloadsOf({ bigBytes, largeFiles }: BenchOptions): readonly Workload[] {
  if (largeFiles !== null) return smallWorkloads;
  return bigBytes === null ? allWorkloads : bigWorkloads;
}

function peersSection({ bigBytes, largeFiles }: BenchOptions): Section {
  if (largeFiles !== null) return 'large results';
  return bigBytes === null ? 'results' : 'big results';
}

function sizesOf({ quick, bigBytes, smallFiles, largeFiles }: BenchOptions): Sizes {
  const sizes = quick ? quickSizes : fullSizes;
  // Nothing is done with the big file.
  if (largeFiles !== null) return { ...sizes, bigBytes: 2 ** 20, smallFiles: largeFiles, smallBytes: largeBytes };
  return { ...sizes, bigBytes: bigBytes ?? sizes.bigBytes, smallFiles: smallFiles ?? sizes.smallFiles };
}

function programsFor({ install }: BenchOptions, folder: string, say: BenchPorts['say']): Programs {
  const found = findPrograms();
  return install ? bringPrograms(found, folder, say) : found;
}

/** The last started first. */
async function end(endings: (() => Promise<void>)[]): Promise<void> {
  for (let next = endings.pop(); next; next = endings.pop()) await next();
}

/** A memory file system where there is one, since the speed of the disk is not what is measured. */
function scratchFolder({ scratch }: BenchOptions): string {
  if (scratch !== null) return resolve(scratch);
  return process.platform === 'linux' ? '/dev/shm' : tmpdir();
}

function newFolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/** By an agent of its own: the other one holds what thousands of small files have left in it. */
async function growthOf(options: BenchOptions, scratch: string, ports: BenchPorts): Promise<Growth[]> {
  if (options.quick || workloadsOf(options) !== allWorkloads) return [];
  if (!options.huge) return measureGrowth({ sizes: growthSizes.usual, folder: newFolder(scratch, 'growth'), ...ports });
  // On a disk: twenty gibibytes fit into few machines' memory.
  const folder = mkdtempSync(join(options.scratch === null ? tmpdir() : resolve(options.scratch), 'longshore-bench-'));
  try {
    return await measureGrowth({ sizes: growthSizes.huge, folder, ...ports });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
