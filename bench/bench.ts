import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { apiBench } from './api/api.ts';
import type { Absentee, Contender, Workload } from './contender.ts';
import { longshoreContender, startLongshore } from './longshore.ts';
import { fullSizes, type Material, makeMaterial, quickSizes } from './material.ts';
import { type Growth, growthSizes, measureGrowth } from './memory-growth.ts';
import type { BenchOptions } from './options.ts';
import { awsCommandLine, type ClientOptions, curl, peerEnvironment, rclone } from './peers/clients.ts';
import { startNginx } from './peers/nginx.ts';
import { bringPrograms, findPrograms, type Program, type Programs, whyAbsent } from './peers/programs.ts';
import { startS3rver } from './peers/s3rver.ts';
import type { PeerServer } from './peers/server.ts';
import { machineFacts } from './report/machine.ts';
import { report } from './report/tables.ts';
import { measureRounds } from './rounds.ts';

export interface BenchPorts {
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export interface BenchOutcome {
  /** The results as Markdown; null where only the API was measured. */
  readonly text: string | null;
  /** Those of the hosted API; null where it was not measured. */
  readonly apiText: string | null;
  /** Whether every contender that was there did all its work. */
  readonly whole: boolean;
}

/** One whole benchmark. Leaves no process and no file behind but what the options ask for. */
export async function bench(options: BenchOptions, { signal, say }: BenchPorts): Promise<BenchOutcome> {
  const apiText = options.api === 'no' ? null : await measureApi(options, { signal, say });
  if (options.api === 'alone') return { text: null, apiText, whole: true };
  const loadBefore = loadavg()[0]!;
  const folder = mkdtempSync(join(scratchFolder(options), 'longshore-bench-'));
  const endings: (() => Promise<void>)[] = [];
  try {
    const found = findPrograms();
    const programs = options.install ? bringPrograms(found, folder, say) : found;
    const sizes = options.quick ? quickSizes : fullSizes;
    say(`Preparing ${sizes.bigBytes / 2 ** 20} MiB and ${sizes.smallFiles} small files, and starting the servers.`);
    const material = makeMaterial(folder, sizes);
    const crew: Crew = { folder, material, programs, signal, only: options.only, endings };
    const peers = await startPeers(crew);
    const longshore = await startLongshore({
      folder: newFolder(folder, 'longshore'),
      profile: options.profile === null ? null : resolve(options.profile),
      signal,
    });
    endings.push(() => longshore.stop());
    const contenders = [await longshoreContender(longshore, material), ...peers.contenders];
    const series = await measureRounds({ contenders, material, rounds: options.rounds, minutes: options.minutes, folder, signal, say });
    await end(endings);
    const growth = await growthOf(options, folder, { signal, say });
    const machine = machineFacts(programs, loadBefore);
    const rounds = Math.max(...series.map(({ samples }) => samples.size));
    const text = report({ machine, sizes, rounds, series, absentees: peers.absentees, growth });
    return { text, apiText, whole: series.every(({ failed }) => failed === null) };
  } finally {
    await end(endings);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measureApi(options: BenchOptions, ports: BenchPorts): Promise<string> {
  const folder = mkdtempSync(join(scratchFolder(options), 'longshore-bench-'));
  try {
    return await apiBench({ folder, quick: options.quick, ...ports });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The last started first. */
async function end(endings: (() => Promise<void>)[]): Promise<void> {
  for (let next = endings.pop(); next; next = endings.pop()) await next();
}

/** Memory where there is a file system of it: a disk's own speed is not what is measured. */
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
  if (options.quick) return [];
  if (!options.huge) return measureGrowth({ sizes: growthSizes.usual, folder: newFolder(scratch, 'growth'), ...ports });
  // On a disk: twenty gibibytes fit into few machines' memory.
  const folder = mkdtempSync(join(options.scratch === null ? tmpdir() : resolve(options.scratch), 'longshore-bench-'));
  try {
    return await measureGrowth({ sizes: growthSizes.huge, folder, ...ports });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Crew {
  readonly folder: string;
  readonly material: Material;
  readonly programs: Programs;
  readonly signal: AbortSignal;
  readonly only: RegExp | null;
  readonly endings: (() => Promise<void>)[];
}

interface Peer {
  readonly name: string;
  readonly server: string;
  readonly needs: readonly Program[];
  readonly mostRounds?: Contender['mostRounds'];
  /** What it cannot do with this server. */
  readonly without?: Workload;
  readonly make: (options: Omit<ClientOptions, 'program'>, programs: Programs) => Contender;
}

const rcloneAs =
  (kind: 'default' | 'tuned'): Peer['make'] =>
  (options, programs) =>
    rclone({ ...options, program: programs.rclone! }, kind);
const aws: Peer['make'] = (options, programs) => awsCommandLine({ ...options, program: programs.aws! });

const nginxAsS3 = 'nginx as S3';
/** The AWS command line takes a minute for the small files, s3rver bounds whoever speaks to it: neither varies enough to ask often. */
const fewSmall = { small_up: 2, small_down: 2 } as const;
const few = { big_up: 3, big_down: 3, ...fewSmall } as const;
const peers: readonly Peer[] = [
  {
    name: 'curl',
    server: 'nginx',
    needs: ['curl', 'nginx', 'time'],
    make: (options, { curl: program }) => curl({ ...options, program: program! }),
  },
  { name: 'rclone, default', server: nginxAsS3, needs: ['rclone', 'nginx', 'time'], make: rcloneAs('default') },
  { name: 'rclone, tuned', server: nginxAsS3, needs: ['rclone', 'nginx', 'time'], make: rcloneAs('tuned') },
  { name: 'AWS CLI', server: nginxAsS3, needs: ['aws', 'nginx', 'time'], mostRounds: fewSmall, make: aws },
  { name: 'rclone, default', server: 's3rver', needs: ['rclone', 'time'], mostRounds: few, make: rcloneAs('default') },
  // s3rver makes its page tokens by DES, which OpenSSL 3 no longer offers: version 2 of its list ends after 1,000 names.
  { name: 'AWS CLI', server: 's3rver', needs: ['aws', 'time'], mostRounds: few, without: 'small_down', make: aws },
];

async function startPeers(crew: Crew): Promise<{ contenders: Contender[]; absentees: Absentee[] }> {
  const { folder, material, programs, signal, only, endings } = crew;
  const home = newFolder(folder, 'home');
  const env = peerEnvironment(home);
  const wanted = peers.filter(({ name, server }) => only === null || only.test(`${name} ${server}`));
  const absentees = wanted.flatMap(({ name, server, needs }) => {
    const why = whyAbsent(programs, needs);
    return why === null ? [] : [{ name, server, why }];
  });
  const present = wanted.filter(({ needs }) => whyAbsent(programs, needs) === null);

  const begun = async (server: PeerServer): Promise<PeerServer> => {
    endings.push(() => server.stop());
    return server;
  };
  const options = { material, env, signal };
  const nginx = present.some(({ server }) => server.startsWith('nginx'))
    ? await begun(await startNginx({ ...options, program: programs.nginx!, folder: newFolder(folder, 'nginx') }))
    : null;
  const s3rver = present.some(({ server }) => server === 's3rver')
    ? await begun(await startS3rver({ ...options, folder: newFolder(folder, 's3rver') }))
    : null;
  const contenders = present.map(({ server, make, mostRounds, without }) => {
    const ports = { time: programs.time!, folder: home, signal };
    const contender = make({ server: (server === 's3rver' ? s3rver : nginx)!, serverName: server, material, env, ports }, programs);
    const works = Object.entries(contender.works).filter(([workload]) => workload !== without);
    return { ...contender, works: Object.fromEntries(works), ...(mostRounds && { mostRounds }) };
  });
  return { contenders, absentees };
}
