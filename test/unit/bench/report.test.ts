import { describe, expect, it } from 'vitest';
import { bigWorkloads, type Sample, smallWorkloads, type Workload } from '#bench/contender.ts';
import { fullSizes, largeBytes } from '#bench/material.ts';
import { verdicts } from '#bench/report/goals.ts';
import { millionReport } from '#bench/report/million.ts';
import { withResults } from '#bench/report/page.ts';
import { partialReport, report, spreadText, wanReport } from '#bench/report/tables.ts';
import type { Series } from '#bench/rounds.ts';

const sample = (seconds: number, cpuSeconds: number): Sample => ({ seconds, cpuSeconds, serverCpuSeconds: 0.5, peakBytes: 100e6 });
const series = (workload: Workload, name: string, server: string, ...samples: Sample[]): Series => ({
  contender: { name, server },
  workload,
  samples: new Map(samples.map((one, index) => [index + 1, one])),
  failed: null,
});
const machine = { date: '2026-01-02', hardware: '2 cores', system: 'Linux', versions: ['Longshore 1'], loadBefore: 0.25 };
const input = (all: readonly Series[]) => ({ machine, sizes: fullSizes, rounds: 2, series: all, absentees: [], growth: [] });

const lineOf = (text: string, ...starts: string[]): string[] =>
  text
    .split('\n')
    .find((line) => line.startsWith(`| ${starts.join(' | ')} |`))!
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);

describe('the tables', () => {
  const ours = series('big_up', 'Longshore', 'Longshore', sample(1, 0.8), sample(2, 0.8));
  const curl = series('big_up', 'curl', 'nginx', sample(0.5, 0.4), sample(1, 0.4));

  it('show medians with quartiles, and ratios by round', () => {
    const text = report(input([ours, curl]));
    // 1 GiB in 0.5 s and 1 s: 2147 and 1074 MB/s. Longshore took twice as long and twice the CPU in both.
    expect(lineOf(text, 'curl', 'nginx')).toEqual(['curl', 'nginx', '1611 (1342–1879)', '0.40', '0.50', '100', '0.50', '2.00', '2']);
    expect(lineOf(text, 'Longshore', 'Longshore').slice(-3)).toEqual(['1', '1', '2']);
  });

  it('count small files by their number', () => {
    const text = report(input([series('small_up', 'Longshore', 'Longshore', sample(5, 2))]));
    expect(text).toContain('### 10,000 files of 10 KiB, up');
    expect(lineOf(text, 'Longshore', 'Longshore').slice(2, 5)).toEqual(['2000', '0.50', '20.5']);
  });

  it('say who is not there, and who failed, in a table that stays whole', () => {
    const failed = { ...curl, failed: 'failed in round 1: a | b\nc' };
    const text = report({
      ...input([ours, failed]),
      absentees: [{ name: 'AWS CLI', server: 's3rver', why: 'not measured: aws is not installed' }],
    });
    expect(lineOf(text, 'curl', 'nginx')).toEqual(['curl', 'nginx', 'failed in round 1: a / b c', '', '', '', '', '', '']);
    expect(lineOf(text, 'AWS CLI', 's3rver')[2]).toBe('not measured: aws is not installed');
  });

  it.each([
    [null, ''],
    [{ low: 1, median: 1, high: 1 }, '1.0'],
    [{ low: 0.96, median: 1.04, high: 1.26 }, '1.0 (1.0–1.3)'],
  ])('write a spread %j as "%s"', (spread, text) => {
    expect(spreadText(spread, 1)).toBe(text);
  });
});

describe('the other parts', () => {
  it('tell of the long line how often it broke', () => {
    const line = { roundTripMs: 80, broken: 0.001, window: 4 * 2 ** 20, count: { opened: 12_345, broken: 11 } };
    const text = wanReport(input([series('small_up', 'Longshore', 'Longshore', sample(5, 2))]), line);
    expect(text).toContain(
      '80 ms of round trip, which has 4 MiB of each connection under way at most, and breaks 0.1 % of all connections: of 12,345 in this run, 11.',
    );
    expect(wanReport(input([]), { ...line, window: Number.POSITIVE_INFINITY })).toContain('80 ms of round trip, which breaks 0.1 %');
    expect(text).toContain('### Far away: 10,000 files of 10 KiB, up');
    expect(lineOf(text, 'Longshore', 'Longshore').slice(2, 4)).toEqual(['2000', '0.50']);
    expect(text).not.toContain('figures to reach');
  });

  it('tell of a larger file alone', () => {
    const text = partialReport(
      {
        ...input([series('big_down', 'curl', 'nginx', sample(20, 9))]),
        sizes: { ...fullSizes, bigBytes: 20 * 2 ** 30 },
      },
      bigWorkloads,
    );
    expect(text.match(/^### .*/gm)).toEqual(['### One file of 20 GiB, up', '### One file of 20 GiB, down']);
    expect(lineOf(text, 'curl', 'nginx').slice(2, 4)).toEqual(['1074', '0.45']);
  });

  it('tell of many large files alone', () => {
    const sizes = { ...fullSizes, smallFiles: 100, smallBytes: largeBytes };
    const text = partialReport({ ...input([series('small_up', 'curl', 'nginx', sample(10, 5))]), sizes }, smallWorkloads);
    expect(text.match(/^### .*/gm)).toEqual(['### 100 files of 100 MiB, up', '### 100 files of 100 MiB, down']);
    expect(lineOf(text, 'curl', 'nginx').slice(2, 5)).toEqual(['10', '100.00', '1048.6']);
  });

  it('tell what a folder of very many files cost, and whether memory held', () => {
    const cost = { seconds: 90.04, cpuSeconds: 50, peakBytes: 200 * 2 ** 20, longestAnswerMs: 40.4 };
    const found = (peakBytes: number) =>
      millionReport(
        {
          files: 1_000_000,
          queueing: { ...cost, peakBytes, firstByteSeconds: 1.04, sent: 57_000, stateBytes: 275e6 },
          removing: { ...cost, stateBytes: 5e6 },
        },
        0.5,
      );
    const text = found(200 * 2 ** 20);
    expect(text).toContain('### 1,000,000 files of one byte in one folder');
    expect(text).toMatch(/first byte was through after 1\.0 s; .* 57,000 had been sent\. .*\(210 MB\): reached\./);
    expect(lineOf(text, 'found and queued')).toEqual(['found and queued', '90.0', '50.0', '210', '275', '40']);
    expect(found(200 * 2 ** 20 + 1)).toContain('(210 MB): missed.');
  });
});

describe('the figures to reach', () => {
  const found = (all: readonly Series[]) => verdicts({ series: all, growth: [], sizes: fullSizes });
  const upCpu = (our: number, their: number) =>
    found([series('big_up', 'Longshore', 'Longshore', sample(1, our)), series('big_up', 'curl', 'nginx', sample(1, their))]).find(
      ({ goal }) => goal.includes("up: at most 2× curl's CPU"),
    );

  it('are reached up to the limit and missed beyond it', () => {
    expect(upCpu(2, 1)).toMatchObject({ found: '2.00×', met: true });
    expect(upCpu(2.1, 1)).toMatchObject({ found: '2.10×', met: false });
  });

  it('say when nothing was measured', () => {
    const none = found([]);
    expect(none.length).toBeGreaterThan(8);
    expect(none.every(({ met, found: text }) => met === null && text === null)).toBe(true);
  });

  it('hold the CPU against rclone as it comes', () => {
    const all = [
      series('small_down', 'Longshore', 'Longshore', sample(1, 3)),
      series('small_down', 'rclone, default', 'nginx as S3', sample(1, 2)),
    ];
    const goal = found(all).find((one) => one.goal.startsWith('Small files down: no more CPU'));
    expect(goal).toMatchObject({ found: '1.50×', met: false });
  });

  it('judge nginx in front by itself, and by the CPU of both sides', () => {
    const others = [series('big_down', 'Longshore', 'Longshore', sample(1, 1)), series('big_down', 'curl', 'nginx', sample(1.2, 1))];
    const front = series('big_down', 'Longshore', 'nginx in front', sample(1, 2));
    const goals = (all: readonly Series[]) => found(all).filter(({ goal }) => goal.includes('nginx in front'));
    expect(goals(others).map(({ met }) => met)).toEqual([null, null]);
    expect(goals([...others, front]).map(({ met }) => met)).toEqual([true, false]);
  });

  it('judge speed by more, not less', () => {
    const all = (seconds: number) => [
      series('big_up', 'Longshore', 'Longshore', sample(seconds, 1)),
      series('big_up', 'rclone, default', 'nginx as S3', sample(4, 1)),
    ];
    const goal = (seconds: number) => found(all(seconds)).find((one) => one.goal.includes('rclone, default (nginx as S3)'));
    expect(goal(2)).toMatchObject({ found: '2.00×', met: true });
    expect(goal(3)).toMatchObject({ met: false });
  });

  it('take the largest memory of all sizes, up and down', () => {
    const grown = (...peaks: number[]) =>
      verdicts({
        series: [],
        growth: peaks.map((peakBytes) => ({ bytes: 2 ** 30, up: { peakBytes: 150e6, seconds: 1 }, down: { peakBytes, seconds: 1 } })),
        sizes: fullSizes,
      }).find(({ goal }) => goal.includes('memory'));
    expect(grown(160e6, 140e6)).toMatchObject({ found: '160 MB', met: true });
    expect(grown(160e6, 300e6, 140e6)).toMatchObject({ found: '300 MB', met: false });
  });
});

describe('the page', () => {
  const written = withResults('# Bench\n\nWords.\n', 'first');

  it('gets results at its end, and new ones in their place', () => {
    expect(written).toMatch(/^# Bench\n\nWords\.\n\n<!-- .*\nfirst\n<!-- .*\n$/);
    const after = `${written}\nMore words.\n`;
    expect(withResults(after, 'second')).toBe(after.replace('first', 'second'));
  });

  it('may be empty before', () => {
    expect(withResults('', 'first')).toMatch(/^<!-- /);
  });
});
