import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';

/** File size in bytes that triggers rotation. One previous file is kept. */
const most = 1_000_000;

/**
 * Appends lines with a timestamp to a file: an app started by a click has no terminal. The size is bounded, and disk
 * errors do not stop the app.
 */
export function journal(file: string, now: () => Date): (line: string) => void {
  return (line) => {
    try {
      makeDirs(dirname(file));
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > most) renameSync(file, `${file}.old`);
      appendFileSync(file, `${now().toISOString()} ${line.trimEnd()}\n`, { mode: 0o600 });
    } catch {
      // There is no other place to report it.
    }
  };
}
