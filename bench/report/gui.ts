import { quantiles, spreadOf } from '../statistics.ts';
import { row } from './format.ts';

/** An agent that has nothing to do, with an empty and with a full list. */
export interface Resting {
  readonly transfers: number;
  /** From the start of its process until it answers; each round. */
  readonly readySeconds: readonly number[];
  /** What that took of the cores. */
  readonly readyCpuSeconds: readonly number[];
  /** Of a core, in percent, over the seconds after it has come to rest. */
  readonly idlePercent: number;
  readonly residentBytes: number;
}

/** What `bench/gui` measured. */
interface GuiFound {
  readonly transfers: number;
  readonly resting: readonly Resting[];
  readonly page: PageFound;
  readonly version: string;
  readonly loadBefore: number;
}

export interface PageFound {
  /** Seconds of each visit, in a fresh profile: until something is seen, and until the first rows are. */
  readonly paintSeconds: readonly number[];
  readonly rowsSeconds: readonly number[];
  readonly scrolls: readonly Scrolled[];
  /** Milliseconds from asking the agent for a change to its row showing it. */
  readonly latencyMs: readonly number[];
  /** Of the page's JavaScript after all of that. */
  readonly heapBytes: number;
  readonly rowsInPage: number;
}

/** One stretch of scrolling. */
export interface Scrolled {
  readonly name: string;
  readonly frames: number;
  /** Frames that came a screen's refresh or more too late. */
  readonly dropped: number;
  readonly longestMs: number;
  /** From the last movement until no row in sight is a gap. */
  readonly filledMs: number;
}

const mega = 1e6;

const seconds = (values: readonly number[]): string => {
  const spread = spreadOf(values);
  if (!spread) return '–';
  return values.length === 1
    ? spread.median.toFixed(2)
    : `${spread.median.toFixed(2)} (${spread.low.toFixed(2)}–${spread.high.toFixed(2)})`;
};

/** The agent at rest and its page, as Markdown. */
export function guiReport({ transfers, resting, page, version, loadBefore }: GuiFound): string {
  const [p50 = 0, p99 = 0] = quantiles(page.latencyMs, [0.5, 0.99]);
  const many = transfers.toLocaleString('en');
  return [
    '### The agent at rest, and its page',
    '',
    `Chromium ${version} without a window, ${many} transfers in the agent's list; load average before: ${loadBefore.toFixed(1)}.`,
    '',
    row(['the agent at rest, with so many transfers', 'start to ready, s', 'of the cores, s', 'CPU after, % of a core', 'memory, MB']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...resting.map((one) =>
      row([
        one.transfers.toLocaleString('en'),
        seconds(one.readySeconds),
        seconds(one.readyCpuSeconds),
        one.idlePercent.toFixed(1),
        (one.residentBytes / mega).toFixed(0),
      ]),
    ),
    '',
    row([`scrolling ${many} rows`, 'frames', 'dropped', 'longest, ms', 'rows there after, ms']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...page.scrolls.map((one) =>
      row([
        one.name,
        String(one.frames),
        `${one.dropped} (${((100 * one.dropped) / (one.frames + one.dropped)).toFixed(1)} %)`,
        one.longestMs.toFixed(0),
        one.filledMs.toFixed(0),
      ]),
    ),
    '',
    row(['the page', '']),
    row(['---', '---:']),
    row(['first paint, s', seconds(page.paintSeconds)]),
    row(['first rows, s', seconds(page.rowsSeconds)]),
    row(['from asking for a change to its row showing it, ms, p50', p50.toFixed(0)]),
    row(['the same, p99', p99.toFixed(0)]),
    row(['memory of its JavaScript after scrolling, MB', (page.heapBytes / mega).toFixed(1)]),
    row(['rows in the page', String(page.rowsInPage)]),
    '',
  ].join('\n');
}
