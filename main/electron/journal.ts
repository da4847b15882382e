import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { printable } from '../cli/format.ts';

/** File size in bytes that triggers rotation. One previous file is kept. */
const most = 1_000_000;

/**
 * Appends lines with a timestamp to a file: an app started by a click has no terminal. The size is bounded, and disk
 * errors do not stop the app. Lines of a text that follow the first are indented: names of files and packages may have line
 * breaks, and must not look like entries.
 */
export function journal(file: string, now: () => Date): (line: string) => void {
  return (line) => {
    try {
      makeDirs(dirname(file));
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > most) renameSync(file, `${file}.old`);
      appendFileSync(file, `${now().toISOString()} ${entryOf(line)}\n`, { mode: 0o600 });
    } catch {
      // There is no other place to report it.
    }
  };
}

const entryOf = (text: string): string =>
  text
    .trimEnd()
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => printable(line))
    .join('\n  ');
