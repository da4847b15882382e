import type { MissingContender, Sample, Workload } from '../contender.ts';
import { workloads } from '../contender.ts';
import { bytesOf, isBig, type Sizes } from '../material.ts';
import type { Growth } from '../memory-growth.ts';
import type { Results, Series } from '../rounds.ts';
import { ratioOf, type Spread, spreadOf } from '../statistics.ts';
import type { WanLinkFacts } from '../wan.ts';
import { row, sizeText } from './format.ts';
import { figures, type Verdict, verdicts } from './goals.ts';
import type { Machine } from './machine.ts';

/** The results as Markdown. */

interface ReportInput extends Results {
  readonly machine: Machine;
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly growth: readonly Growth[];
}

const mega = 1e6;
const gibi = 2 ** 30;

export function report(input: ReportInput): string {
  const { sizes, series, growth } = input;
  return [
    measured(input),
    '',
    ...workloads.flatMap((workload) => [`### ${title(workload, sizes)}`, '', ...table(workload, input), '']),
    ...(growth.length > 0 ? ["### The agent's memory, with a file larger each time", '', ...growthTable(growth), ''] : []),
    '### Against the figures to reach',
    '',
    ...goalsTable(verdicts({ series, growth, sizes })),
    '',
  ].join('\n');
}

/** Some of the workloads alone, of other sizes than usual: no goal is set for these. */
export function partialReport(input: ReportInput, workloads: readonly Workload[]): string {
  return [
    measured(input),
    '',
    ...workloads.flatMap((workload) => [`### ${title(workload, input.sizes)}`, '', ...table(workload, input), '']),
  ].join('\n');
}

/** The same work over a long line. */
export function wanReport(input: ReportInput, { roundTripMs, broken, window, count }: WanLinkFacts): string {
  return [
    `${measured(input)} Between client and server lies a line with ${roundTripMs} ms of round trip, which ` +
      `${Number.isFinite(window) ? `has ${window / 2 ** 20} MiB of each connection under way at most, and ` : ''}breaks ` +
      `${broken * 100} % of all connections: of ${count.opened.toLocaleString('en')} in this run, ${count.broken}.`,
    '',
    ...workloads.flatMap((workload) => [`### Far away: ${title(workload, input.sizes)}`, '', ...table(workload, input), '']),
  ].join('\n');
}

function measured({ machine, rounds }: ReportInput): string {
  return (
    `Measured ${machine.date}: ${machine.hardware}; ${machine.system}; ${machine.versions.join(', ')}. ` +
    `${rounds} ${rounds === 1 ? 'round' : 'interleaved rounds'}; load average before: ${machine.loadBefore.toFixed(1)}.`
  );
}

function title(workload: Workload, sizes: Sizes): string {
  const direction = workload.endsWith('up') ? 'up' : 'down';
  if (isBig(workload)) return `One file of ${sizeText(sizes.bigBytes)}, ${direction}`;
  return `${sizes.smallFiles.toLocaleString('en')} files of ${sizeText(sizes.smallBytes)}, ${direction}`;
}

interface Column {
  readonly head: string;
  readonly cell: (series: Series) => string;
}

function table(workload: Workload, { series, absentees, sizes }: ReportInput): string[] {
  const here = series.filter((one) => one.workload === workload);
  const ours = here.find(({ contender }) => contender.name === 'Longshore');
  const columns = [...(isBig(workload) ? bigColumns(sizes) : smallColumns(sizes)), ...ratioColumns(ours), roundsColumn];
  const rows = here.map((one) => {
    const cells = one.failed === null ? columns.map(({ cell }) => cell(one)) : [oneLine(one.failed), ...columns.slice(1).map(() => '')];
    return row([one.contender.name, one.contender.server, ...cells]);
  });
  return [
    row(['client', 'server', ...columns.map(({ head }) => head)]),
    row(['---', '---', ...columns.map(() => '---:')]),
    ...rows,
    ...absentees.map(({ name, server, why }: MissingContender) => row([name, server, why, ...columns.slice(1).map(() => '')])),
  ];
}

const spread = (head: string, figure: (sample: Sample) => number, digits: number): Column => ({
  head,
  cell: (series) => spreadText(spreadOf([...figures(series, figure).values()]), digits),
});

const bigColumns = (sizes: Sizes): Column[] => {
  const perGibi = gibi / sizes.bigBytes;
  return [
    spread('MB/s', ({ seconds }) => bytesOf(sizes, 'big') / mega / seconds, 0),
    spread('client CPU-s/GiB', ({ cpuSeconds }) => cpuSeconds * perGibi, 2),
    spread('server CPU-s/GiB', ({ serverCpuSeconds }) => serverCpuSeconds * perGibi, 2),
    spread('peak MB', ({ peakBytes }) => peakBytes / mega, 0),
  ];
};

const smallColumns = (sizes: Sizes): Column[] => {
  const files = sizes.smallFiles;
  return [
    spread('files/s', ({ seconds }) => files / seconds, 0),
    spread('ms a file', ({ seconds }) => (seconds / files) * 1_000, 2),
    spread('MB/s', ({ seconds }) => bytesOf(sizes, 'small') / mega / seconds, 1),
    spread('client CPU-s/GiB', ({ cpuSeconds }) => (cpuSeconds * gibi) / bytesOf(sizes, 'small'), 1),
    spread('server CPU-s/GiB', ({ serverCpuSeconds }) => (serverCpuSeconds * gibi) / bytesOf(sizes, 'small'), 1),
    spread('peak MB', ({ peakBytes }) => peakBytes / mega, 0),
  ];
};

/** Longshore over each of the others, round by round. */
function ratioColumns(ours: Series | undefined): Column[] {
  const over = (head: string, figure: (sample: Sample) => number): Column => ({
    head,
    cell: (series) => {
      if (!ours || series === ours) return '1';
      return spreadText(ratioOf(figures(ours, figure), figures(series, figure)), 2);
    },
  });
  return [over('Longshore is as fast ×', ({ seconds }) => 1 / seconds), over('and takes client CPU ×', ({ cpuSeconds }) => cpuSeconds)];
}

const roundsColumn: Column = { head: 'rounds', cell: ({ samples }) => String(samples.size) };

/** `median (low–high)`; of one value, that alone. */
export function spreadText(found: Spread | null, digits: number): string {
  if (found === null) return '';
  const [low, median, high] = [found.low, found.median, found.high].map((value) => value.toFixed(digits));
  return low === high ? median! : `${median} (${low}–${high})`;
}

function growthTable(growth: readonly Growth[]): string[] {
  return [
    row(['file', 'up: peak MB', 'down: peak MB', 'up: MB/s', 'down: MB/s']),
    row(['---:', '---:', '---:', '---:', '---:']),
    ...growth.map(({ bytes, up, down }) =>
      row([
        sizeText(bytes),
        ...[up.peakBytes / mega, down.peakBytes / mega, bytes / mega / up.seconds, bytes / mega / down.seconds].map(whole),
      ]),
    ),
  ];
}

const whole = (value: number): string => String(Math.round(value));

function goalsTable(found: readonly Verdict[]): string[] {
  const word = ({ met }: Verdict): string => (met === null ? 'not measured' : met ? 'reached' : 'missed');
  return [row(['goal', 'found', '']), row(['---', '---:', '---']), ...found.map((one) => row([one.goal, one.found ?? '', word(one)]))];
}

/** Text shortened and escaped for a table's cell. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '/').slice(0, 200);
