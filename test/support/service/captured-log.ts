import fs from 'node:fs';
import { vi } from 'vitest';

/** What this process's services log, in place of standard error. */
export interface CapturedLog {
  /** Each line's facts, in their order. */
  lines(): Record<string, unknown>[];
  /** From here on lines go where they usually go. */
  end(): void;
}

/** Takes what is written to standard error until its `end`. */
export function captureLog(): CapturedLog {
  const written: string[] = [];
  const write = fs.writeSync.bind(fs) as (fd: number, text: string) => number;
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: unknown) => {
    if (fd !== 2) return write(fd, data as string);
    written.push(String(data));
    return Buffer.byteLength(String(data));
  }) as typeof fs.writeSync);
  return {
    lines: () => written.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Record<string, unknown>),
    end: () => spy.mockRestore(),
  };
}
