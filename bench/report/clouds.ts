import type { FourAtOnce } from '../clouds/four-at-once.ts';
import type { Sample, Workload } from '../contender.ts';
import { bytesOf, type Sizes } from '../material.ts';
import type { Series } from '../rounds.ts';
import { ratioOf, spreadOf } from '../statistics.ts';
import { row, sizeText } from './format.ts';
import { figures } from './goals.ts';
import type { Machine } from './machine.ts';

interface CloudsReport {
  readonly series: readonly Series[];
  readonly sizes: Sizes;
  readonly machine: Machine;
  readonly fourAtOnce: FourAtOnce;
}

const mega = 1e6;

/** Deliveries to a cloud as Markdown. */
export function cloudsReport({ series, sizes, machine, fourAtOnce }: CloudsReport): string {
  const rows = series.map((one) => lineOf(one, sizes));
  return [
    '### Deliveries to a Team’s own S3',
    '',
    `A Ceph gateway on this machine that keeps all in memory. Longshore’s service delivers packages from its local storage, asked over HTTP, PostgreSQL’s CPU included; rclone copies the same files from a folder. Load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    row(['', 'client', 's', 'MB/s', 'files/s', 'CPU-s', 'peak MB', 'rounds']),
    row(['---', '---', '---:', '---:', '---:', '---:', '---:', '---:']),
    ...rows,
    '',
    row(['goal', 'found', '']),
    row(['---', '---:', '---']),
    ...goals(series, sizes),
    ...fourGoals(fourAtOnce),
    '',
    fourText(fourAtOnce, sizes),
    '',
  ].join('\n');
}

const titleOf = (workload: Workload, sizes: Sizes): string =>
  workload === 'big_up' ? sizeText(sizes.bigBytes) : `${sizes.smallFiles.toLocaleString('en')} × ${sizeText(sizes.smallBytes)}`;

function lineOf({ contender, workload, samples, failed }: Series, sizes: Sizes): string {
  const median = (figure: (sample: Sample) => number): number => spreadOf([...samples.values()].map(figure))?.median ?? Number.NaN;
  const seconds = median((sample) => sample.seconds);
  const files = workload === 'big_up' ? 1 : sizes.smallFiles;
  return row([
    titleOf(workload, sizes),
    failed === null ? contender.name : `${contender.name}: ${failed}`,
    seconds.toFixed(1),
    (bytesOf(sizes, workload) / seconds / mega).toFixed(1),
    (files / seconds).toFixed(files === 1 ? 2 : 0),
    median((sample) => sample.cpuSeconds).toFixed(2),
    (median((sample) => sample.peakBytes) / mega).toFixed(0),
    String(samples.size),
  ]);
}

const verdict = (isMet: boolean): string => (isMet ? 'reached' : 'missed');

function fourGoals({ growthBytes, idle, meanwhile }: FourAtOnce): string[] {
  const growth = growthBytes / 2 ** 20;
  const times = meanwhile.p99 / idle.p99;
  return [
    row(['Four at once: memory grows by at most 64 MiB', `${growth.toFixed(0)} MiB`, verdict(growth <= 64)]),
    row(['Four at once: the API’s p99 does not double', `${times.toFixed(2)}×`, verdict(times <= 2)]),
  ];
}

const fourText = ({ seconds, restingBytes, idle, meanwhile, besideRclone }: FourAtOnce, sizes: Sizes): string =>
  `Four × ${sizeText(sizes.bigBytes)} at once took ${seconds.toFixed(1)} s; the service had ${(restingBytes / mega).toFixed(0)} MB before. ` +
  `A package, asked for all the while: p50 ${idle.p50.toFixed(1)} ms and p99 ${idle.p99.toFixed(1)} ms at rest, ` +
  `${meanwhile.p50.toFixed(1)} and ${meanwhile.p99.toFixed(1)} ms meanwhile (${meanwhile.calls.toLocaleString('en')} calls).` +
  (besideRclone === null
    ? ''
    : ` While four copies by rclone had the machine instead: ${besideRclone.p50.toFixed(1)} and ${besideRclone.p99.toFixed(1)} ms, ` +
      `${(besideRclone.p99 / idle.p99).toFixed(2)} times p99 at rest.`);

function goals(series: readonly Series[], sizes: Sizes): string[] {
  const of = (workload: Workload, name: string) => series.find((one) => one.workload === workload && one.contender.name === name);
  const ratio = (workload: Workload, figure: (sample: Sample) => number): number | null => {
    const [ours, theirs] = [of(workload, 'Longshore'), of(workload, 'rclone')];
    return ours && theirs ? (ratioOf(figures(ours, figure), figures(theirs, figure))?.median ?? null) : null;
  };
  const judged = (goal: string, found: number | null, isMet: (found: number) => boolean): string =>
    row([goal, found === null ? 'not measured' : `${found.toFixed(2)}×`, found === null ? '' : verdict(isMet(found))]);
  const speed = ({ seconds }: Sample): number => 1 / seconds;
  const [big, small] = [titleOf('big_up', sizes), titleOf('small_up', sizes)];
  return [
    judged(`${big}: at least 1.2 × rclone’s speed`, ratio('big_up', speed), (found) => found >= 1.2),
    judged(
      `${big}: at most half of rclone’s CPU`,
      ratio('big_up', (sample) => sample.cpuSeconds),
      (found) => found <= 0.5,
    ),
    judged(`${small}: at least rclone’s speed`, ratio('small_up', speed), (found) => found >= 1),
  ];
}
