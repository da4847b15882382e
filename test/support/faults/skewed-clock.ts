import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A clock of another process that a test can put. */
export interface SkewedClock {
  /** For the process that is to go by it. */
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Puts it by so many milliseconds from the real time, for every thread from its next look at the clock on. */
  shift(milliseconds: number): void;
}

const preload = fileURLToPath(new URL('./skewed-clock-preload.ts', import.meta.url));

/** @param file of its own, which holds by how much */
export function createSkewedClock(file: string): SkewedClock {
  const shift = (milliseconds: number): void => {
    // In place, never truncated: whoever reads meanwhile has the old time or the new one.
    const target = openSync(file, constants.O_RDWR | constants.O_CREAT);
    writeSync(target, new Float64Array([milliseconds]), 0, Float64Array.BYTES_PER_ELEMENT, 0);
    closeSync(target);
  };
  shift(0);
  return { execArgv: ['--import', preload], env: { LONGSHORE_TEST_CLOCK: file }, shift };
}
