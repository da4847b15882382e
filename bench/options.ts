import { parseArgs } from 'node:util';
import { linuxWindow } from './peers/wan-link.ts';
import type { WanLine } from './wan.ts';

/** Each can be asked for by its name. `peers`: Longshore beside all others, and its memory as files grow. */
export const parts = ['peers', 'api', 'million', 'far', 'pages', 'gui', 'clouds'] as const;
export type Part = (typeof parts)[number];

export interface BenchOptions {
  readonly rounds: number;
  /** No round begins later than this number of minutes after the first. */
  readonly minutes: number;
  /** Small sizes, for a look or a test: its figures mean nothing. */
  readonly quick: boolean;
  /** Also 4 GiB and 20 GiB by an agent of their own, to see that its memory does not grow. */
  readonly huge: boolean;
  /** Bytes of the one big file; `null` as usual. */
  readonly bigBytes: number | null;
  /** How many small files there are; `null` as usual. */
  readonly smallFiles: number | null;
  /** So many files of 100 MiB, and nothing else, where it is set. */
  readonly largeFiles: number | null;
  /** The line of the part `far`. */
  readonly line: WanLine;
  readonly parts: ReadonlySet<Part>;
  /** Only contenders whose name and server match; Longshore always runs, since all is judged against it. */
  readonly only: RegExp | null;
  /** Where the results go; `null` prints them alone. */
  readonly output: string | null;
  /** Where sources and copies lie. */
  readonly scratch: string | null;
  /** Whether missing peers may be brought from Debian. */
  readonly install: boolean;
  /** Where the CPU profiles of agent and service go. */
  readonly profile: string | null;
}

export const usage = `Usage: npm run bench -- [options]

Measures Longshore beside curl with nginx, rclone and the AWS command line, in turn in one run.

  --rounds N       how often each is measured (default 7; with --quick 1)
  --minutes N      begin no further round after so long
  --quick          small sizes: shows that all of it works, and measures nothing worth knowing
  --huge           also the agent's memory with files of 4 GiB and 20 GiB (needs 42 GiB of disk for a while)
  --only PATTERN   only peers whose name or server matches this regular expression
  --only api       the hosted API alone: its calls, and lists of a million packages
  --only million   a folder of a million files alone: the agent's memory, time to the first byte, size of its state
  --only far       Longshore, curl, rclone and AWS alone over a line that is long and breaks now and then
  --round-trip MS  that line's time there and back (default 80)
  --broken PERCENT of that line's connections, how many break (default 0.1)
  --window MIB     what one of that line's connections has under way at most (default 4, as Linux has it; none: no bound)
  --only pages     the upload page alone: in Chromium, beside a bare fetch, many small files, over a slow line
  --only gui       the agent at rest, and its page with 100,000 transfers in Chromium
  --only clouds    deliveries to an S3 of the Team's own: Longshore's service beside rclone, to a Ceph on this machine
  --big GIB        only the one big file, of so many GiB in place of 1; three of it lie there at once (for 20: 65 GB),
                   with s3rver five (110 GB): give a disk with so much room by --scratch
  --large N        only N files of 100 MiB; four of it lie there at once (for 100: 42 GB)
  --small N        so many small files in place of 10,000: fewer do over a long line, where others take minutes for them
  --output FILE    the page that gets the results (default bench/README.md; with --quick none)
  --scratch DIR    where sources and copies lie (default /dev/shm, else the folder for temporary files)
  --no-install     leave missing peers out instead of bringing them from Debian
  --profile DIR    write CPU profiles of agent and service there
  --help           this text

Exit codes: 0 measured; 1 something failed; 2 wrong usage; 130 stopped.
`;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * @param defaultOutput the page that a full run writes
 * @returns `null` when help is wanted
 * @throws UsageError
 */
export function parseOptions(args: readonly string[], defaultOutput: string): BenchOptions | null {
  const values = parsed(args);
  if (values.help) return null;
  const quick = values.quick ?? false;
  const rounds = Number(values.rounds ?? (quick ? 1 : 7));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 99) throw new UsageError('--rounds takes a whole number from 1 to 99.');
  const bigGibi = values.big === undefined ? null : Number(values.big);
  if (bigGibi !== null && !(bigGibi > 0 && bigGibi <= 1_024)) throw new UsageError('--big takes a number of GiB, up to 1024.');
  const smallFiles = values.small === undefined ? null : Number(values.small);
  if (smallFiles !== null && !(Number.isInteger(smallFiles) && smallFiles > 0 && smallFiles <= 100_000)) {
    throw new UsageError('--small takes a whole number of files from 1 to 100,000.');
  }
  const largeFiles = values.large === undefined ? null : Number(values.large);
  if (largeFiles !== null && !(Number.isInteger(largeFiles) && largeFiles > 0 && largeFiles <= 10_000)) {
    throw new UsageError('--large takes a whole number of files from 1 to 10,000.');
  }
  if (largeFiles !== null && (bigGibi !== null || smallFiles !== null)) throw new UsageError('--large goes without --big and --small.');
  const roundTripMs = Number(values['round-trip'] ?? 80);
  if (!(roundTripMs >= 0 && roundTripMs <= 10_000)) throw new UsageError('--round-trip takes milliseconds, up to 10000.');
  const brokenPercent = Number(values.broken ?? 0.1);
  if (!(brokenPercent >= 0 && brokenPercent <= 100)) throw new UsageError('--broken takes a percentage, from 0 to 100.');
  const windowMebi = values.window === 'none' ? Number.POSITIVE_INFINITY : Number(values.window ?? linuxWindow / 2 ** 20);
  if (!(windowMebi >= 0.0625)) throw new UsageError('--window takes a number of MiB, 0.0625 at least, or none.');
  const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
  if (!(minutes > 0)) throw new UsageError('--minutes takes a number above 0.');
  return {
    rounds,
    minutes,
    quick,
    huge: values.huge ?? false,
    bigBytes: bigGibi === null ? null : Math.round(bigGibi * 2 ** 30),
    smallFiles,
    largeFiles,
    line: { roundTripMs, broken: brokenPercent / 100, window: windowMebi * 2 ** 20 },
    parts: partsOf(values.only, quick),
    only: values.only === undefined ? null : pattern(values.only),
    output: values.output ?? (quick ? null : defaultOutput),
    scratch: values.scratch ?? null,
    install: !quick && !values['no-install'],
    profile: values.profile ?? null,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rounds: { type: 'string' },
        minutes: { type: 'string' },
        quick: { type: 'boolean' },
        huge: { type: 'boolean' },
        big: { type: 'string' },
        small: { type: 'string' },
        large: { type: 'string' },
        only: { type: 'string' },
        'round-trip': { type: 'string' },
        broken: { type: 'string' },
        window: { type: 'string' },
        output: { type: 'string' },
        scratch: { type: 'string' },
        'no-install': { type: 'boolean' },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function partsOf(only: string | undefined, quick: boolean): ReadonlySet<Part> {
  if (only === undefined) return new Set<Part>(quick ? ['peers'] : parts);
  const named = parts.find((part) => part === only);
  return new Set<Part>([named ?? 'peers']);
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch (cause) {
    throw new UsageError(`--only: ${text} is no regular expression.`, { cause });
  }
}
