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
  /** Of the service before the first delivery that counts. */
  readonly restingBytes: number;
}

const mega = 1e6;

/** Deliveries to a cloud as Markdown. */
export function cloudsReport({ series, sizes, machine, restingBytes }: CloudsReport): string {
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
    '',
    `The service had ${(restingBytes / mega).toFixed(0)} MB before.`,
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

function goals(series: readonly Series[], sizes: Sizes): string[] {
  const of = (workload: Workload, name: string) => series.find((one) => one.workload === workload && one.contender.name === name);
  const ratio = (workload: Workload, figure: (sample: Sample) => number): number | null => {
    const [ours, theirs] = [of(workload, 'Longshore'), of(workload, 'rclone')];
    return ours && theirs ? (ratioOf(figures(ours, figure), figures(theirs, figure))?.median ?? null) : null;
  };
  const judged = (goal: string, found: number | null, isMet: (found: number) => boolean): string =>
    row([goal, found === null ? 'not measured' : `${found.toFixed(2)}×`, found === null ? '' : isMet(found) ? 'reached' : 'missed']);
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
