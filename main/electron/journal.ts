import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Bytes after which a new file is begun; the one before it is kept. */
const most = 1_000_000;

/**
 * Writes lines into a file, with their time: an app that was started by a click has no terminal. Bounded, and a
 * disk that refuses holds nothing up.
 */
export function journal(file: string, now: () => Date): (line: string) => void {
  return (line) => {
    try {
      mkdirSync(dirname(file), { recursive: true });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > most) renameSync(file, `${file}.old`);
      appendFileSync(file, `${now().toISOString()} ${line.trimEnd()}\n`, { mode: 0o600 });
    } catch {
      // There is nowhere left to say so.
    }
  };
}
