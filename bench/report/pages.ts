import type { Interactive } from '../pages/interactive.ts';
import type { PageSizes } from '../pages/material.ts';
import { ratioOf, spreadOf } from '../statistics.ts';
import { row, sizeText } from './format.ts';
import { spreadText } from './tables.ts';

/** One round with the big file, in seconds. */
export interface Figure {
  readonly round: number;
  readonly page: number;
  readonly bare: number;
  /** Largest memory of the browser while it sent, over that of the page at rest. */
  readonly grownBytes: number;
}

interface PagesFound {
  readonly sizes: PageSizes;
  readonly figures: readonly Figure[];
  /** Seconds of each round. */
  readonly small: readonly number[];
  readonly interactive: Interactive;
  readonly console: { readonly signIn: Interactive; readonly home: Interactive };
  /** Of the browser. */
  readonly version: string;
  readonly loadBefore: number;
}

const mega = 1e6;
const mebi = 2 ** 20;
const goals = { ofBare: 0.9, grownBytes: 300 * mebi, interactiveSeconds: 1, consoleSeconds: 1.5, consoleBytes: 120_000 } as const;

/** The results of the upload page as Markdown. */
export function pagesReport({ sizes, figures, small, interactive, console, version, loadBefore }: PagesFound): string {
  const speeds = (of: 'page' | 'bare') => new Map(figures.map((figure) => [figure.round, sizes.bigBytes / mega / figure[of]]));
  const ratio = ratioOf(speeds('page'), speeds('bare'))?.median ?? 0;
  const grown = Math.max(...figures.map(({ grownBytes }) => grownBytes));
  const { interactiveSeconds } = interactive;
  const visits = [interactive, console.signIn, console.home];
  const slowest = Math.max(console.signIn.interactiveSeconds, console.home.interactiveSeconds);
  const largest = Math.max(console.signIn.bytes, console.home.bytes);
  const word = (met: boolean): string => (met ? 'reached' : 'missed');
  return [
    '### The upload page',
    '',
    `Chromium ${version}; ${figures.length} ${figures.length === 1 ? 'round' : 'rounds in turn'}; load average before: ${loadBefore.toFixed(1)}.`,
    '',
    row([`one file of ${sizeText(sizes.bigBytes)}`, 'MB/s']),
    row(['---', '---:']),
    row(['the page, from the click to the receipt', spread([...speeds('page').values()], 0)]),
    row(['a bare `fetch` of the same chunks', spread([...speeds('bare').values()], 0)]),
    '',
    row([`${sizes.smallFiles.toLocaleString('en')} files of ${sizeText(sizes.smallBytes)} in ${sizes.folders} folders`, 'files/s']),
    row(['---', '---:']),
    row([
      'the page, from the click to the receipt',
      spread(
        small.map((seconds) => sizes.smallFiles / seconds),
        0,
      ),
    ]),
    '',
    row(['first visit over slow 4G (150 ms, 1.6 Mbit/s)', 'the upload page', 'the console, nobody signed in', "the console's first view"]),
    row(['---', '---:', '---:', '---:']),
    row(['first paint, s', ...visits.map(({ paintSeconds }) => paintSeconds.toFixed(2))]),
    row(['can be worked, s', ...visits.map(({ interactiveSeconds }) => interactiveSeconds.toFixed(2))]),
    row(['came over the line, kB', ...visits.map(({ bytes }) => (bytes / 1_000).toFixed(0))]),
    '',
    row(['goal', 'found', '']),
    row(['---', '---:', '---']),
    row(['The page as fast as a bare `fetch`: at least 0.9', `${ratio.toFixed(2)}×`, word(ratio >= goals.ofBare)]),
    row(["The browser's memory under 300 MiB more than at rest", `${(grown / mebi).toFixed(0)} MiB`, word(grown <= goals.grownBytes)]),
    row([
      'Can be worked within 1 s on a slow line',
      `${interactiveSeconds.toFixed(2)} s`,
      word(interactiveSeconds <= goals.interactiveSeconds),
    ]),
    row(['The console within 1.5 s on a slow line', `${slowest.toFixed(2)} s`, word(slowest <= goals.consoleSeconds)]),
    row(['A first visit to the console at most 120 kB', `${(largest / 1_000).toFixed(0)} kB`, word(largest <= goals.consoleBytes)]),
    '',
  ].join('\n');
}

const spread = (values: readonly number[], digits: number): string => spreadText(spreadOf(values), digits);
