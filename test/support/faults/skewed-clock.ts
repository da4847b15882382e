import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A clock of another process that a test can put. */
export interface SkewedClock {
  /** For the process that is to go by it. */
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Puts it by so many milliseconds from the real time; resolves when every thread has it so. */
  shift(milliseconds: number): Promise<void>;
}

const preload = fileURLToPath(new URL('./skewed-clock-preload.ts', import.meta.url));
/** Milliseconds between two looks at the file. */
export const skewPollMs = 20;

/** @param file of its own, which tells by how much */
export function createSkewedClock(file: string): SkewedClock {
  writeFileSync(file, '0');
  return {
    execArgv: ['--import', preload],
    env: { LONGSHORE_TEST_CLOCK: file },
    async shift(milliseconds) {
      writeFileSync(file, String(milliseconds));
      await sleep(5 * skewPollMs);
    },
  };
}
