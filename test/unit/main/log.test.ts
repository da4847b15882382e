import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '#main/log.ts';
import { type LogLevel, logLevels } from '#main/log-levels.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

/** What stands in the log after a line of each level. */
function logged(level: LogLevel, isTTY: boolean): string[] {
  const file = join(folder.path, `${level}-${isTTY}`);
  const fd = openSync(file, 'w');
  const log = createLog(level, { fd, isTTY });
  for (const one of ['debug', 'info', 'warn', 'error'] as const) log[one]({ transfer: 'Day 12' }, `said at ${one}`);
  closeSync(fd);
  return readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean);
}

describe('the log', () => {
  it('is a JSON object a line where no person reads along', () => {
    const lines = logged('info', false).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { level: 30, msg: 'said at info', transfer: 'Day 12' },
      { level: 40, msg: 'said at warn' },
      { level: 50, msg: 'said at error' },
    ]);
    for (const { time } of lines) expect(time).toBeGreaterThan(1.7e12);
  });

  it('is lines for people on a terminal', () => {
    const [first = ''] = logged('warn', true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
    expect(first.replaceAll(/\u001b\[\d+m/g, '')).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: said at warn$/);
    expect(first).toContain('\u001b[');
  });

  it('holds what its level lets through', () => {
    const counts = logLevels.map((level) => [level, logged(level, false).length]);
    expect(Object.fromEntries(counts)).toEqual({ silent: 0, error: 1, warn: 2, info: 3, debug: 4 });
  });
});
