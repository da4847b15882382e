import type { Sample, Workload } from '../contender.ts';
import type { Sizes } from '../material.ts';
import type { Growth } from '../memory-growth.ts';
import type { Series } from '../rounds.ts';
import { ratioOf, spreadOf } from '../statistics.ts';
import { sizeText } from './format.ts';

/** The figures that Longshore has set itself, and what this run found. */
export interface Verdict {
  readonly goal: string;
  /** As text, or `null` when it was not measured. */
  readonly found: string | null;
  readonly met: boolean | null;
}

interface GoalsInput {
  readonly series: readonly Series[];
  readonly growth: readonly Growth[];
  readonly sizes: Sizes;
}

const mega = 1e6;

export function verdicts({ series, growth, sizes }: GoalsInput): Verdict[] {
  const { smallFiles } = sizes;
  const big = sizeText(sizes.bigBytes);
  const find = (workload: Workload, name: string, server: string): Series | undefined =>
    series.find((one) => one.workload === workload && one.contender.name === name && one.contender.server === server);
  const ours = (workload: Workload, server = 'Longshore'): Series | undefined => find(workload, 'Longshore', server);

  /** Median of ours over theirs, of one figure. */
  const ratio = (
    workload: Workload,
    [name, server]: readonly [string, string],
    figure: (sample: Sample) => number,
    ourServer?: string,
  ): number | null => {
    const our = ours(workload, ourServer);
    const their = find(workload, name, server);
    if (!our || !their) return null;
    return ratioOf(figures(our, figure), figures(their, figure))?.median ?? null;
  };
  const judge = (
    goal: string,
    value: number | null,
    limit: number,
    kind: 'at most' | 'at least',
    show: (value: number) => string,
  ): Verdict => ({
    goal,
    found: value === null ? null : show(value),
    met: value === null ? null : kind === 'at most' ? value <= limit : value >= limit,
  });
  const times = (value: number): string => `${value.toFixed(2)}×`;
  const speed = ({ seconds }: Sample): number => 1 / seconds;
  const cpu = ({ cpuSeconds }: Sample): number => cpuSeconds;
  const allCpu = ({ cpuSeconds, serverCpuSeconds }: Sample): number => cpuSeconds + serverCpuSeconds;
  const frontRatio = (figure: (sample: Sample) => number): number | null => ratio('big_down', ['curl', 'nginx'], figure, 'nginx in front');
  const perFile = (workload: Workload): number | null => {
    const our = ours(workload);
    const seconds = our && spreadOf([...our.samples.values()].map((sample) => sample.seconds))?.median;
    return seconds === undefined ? null : (seconds / smallFiles) * 1_000;
  };
  const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
  const fasterThan = (name: string, server: string): Verdict =>
    judge(`${big} up: at least 2× as fast as ${name} (${server})`, ratio('big_up', [name, server], speed), 2, 'at least', times);
  const cheaperThanRclone = (workload: Workload, words: string): Verdict =>
    judge(`${words}: no more CPU than rclone as it comes`, ratio(workload, ['rclone, default', 'nginx as S3'], cpu), 1, 'at most', times);
  const peaks = growth.flatMap(({ up, down }) => [up.peakBytes, down.peakBytes]);
  const grown = growth.length === 0 ? big : growth.map(({ bytes }) => sizeText(bytes)).join(', ');

  return [
    judge(`${big} up: at most 2× curl's CPU`, ratio('big_up', ['curl', 'nginx'], cpu), 2, 'at most', times),
    judge(`${big} down: at most 1.6× curl's CPU`, ratio('big_down', ['curl', 'nginx'], cpu), 1.6, 'at most', times),
    judge(`${big} down: at least 0.9 of curl's speed`, ratio('big_down', ['curl', 'nginx'], speed), 0.9, 'at least', times),
    judge(`${big} down with nginx in front: at least 1.1 of curl's speed`, frontRatio(speed), 1.1, 'at least', times),
    judge(
      `${big} down with nginx in front: client and server, at most 1.1× curl's and nginx's CPU`,
      frontRatio(allCpu),
      1.1,
      'at most',
      times,
    ),
    ...['nginx as S3', 's3rver'].flatMap((server) => [fasterThan('rclone, default', server), fasterThan('AWS CLI', server)]),
    cheaperThanRclone('big_up', `${big} up`),
    cheaperThanRclone('big_down', `${big} down`),
    cheaperThanRclone('small_up', 'Small files up'),
    cheaperThanRclone('small_down', 'Small files down'),
    judge(
      `Agent's peak memory under 200 MiB (210 MB): ${grown}, up and down`,
      peaks.length === 0 ? null : Math.max(...peaks),
      200 * 2 ** 20,
      'at most',
      (value) => `${Math.round(value / mega)} MB`,
    ),
    judge('Small files up: under 1.5 ms each', perFile('small_up'), 1.5, 'at most', milliseconds),
    judge('Small files down: under 1.5 ms each', perFile('small_down'), 1.5, 'at most', milliseconds),
  ];
}

export function figures(series: Series, figure: (sample: Sample) => number): Map<number, number> {
  return new Map([...series.samples].map(([round, sample]) => [round, figure(sample)]));
}
