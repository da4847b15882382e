import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const program = fileURLToPath(new URL('../../../support/faults/blocked-process.ts', import.meta.url));

/** Runs it, and lets it go on once it has said that it stands. */
async function run(how: string, path: string, letGo: () => void = () => {}): Promise<string[]> {
  const child = spawn(process.execPath, [program, how, path], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (line.includes('count the waves')) letGo();
  }
  expect(await ended).toEqual([0, null]);
  return lines;
}

const toldIn = (lines: readonly string[]): unknown => JSON.parse(lines.find((line) => line.includes('count the waves')) ?? 'null');

it('an event loop that stands in a script is told of with what was begun and where it is, while it stands', async () => {
  const { path: folder, remove } = await tempFolder();
  const path = join(folder, 'go-on');
  const lines = await run('script', path, () => writeFileSync(path, ''));
  await remove();
  expect(toldIn(lines)).toMatchObject({
    level: 50,
    msg: expect.stringContaining('The event loop has stood for 0.3 s'),
    begun: [expect.stringMatching(/^count the waves \(\d+\.\d s ago\)$/)],
    stack: expect.arrayContaining([expect.stringMatching(/^standStill \(.*blocked-process\.ts:\d+\)$/)]),
  });
  expect(lines).toEqual(expect.arrayContaining(['goes on', expect.stringMatching(/^stood \d{3,}$/)]));
});

it.skipIf(process.platform === 'win32')('in a call to the system it is told of by what was begun', async () => {
  const { path: folder, remove } = await tempFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  // Opening a pipe waits for its other end.
  const lines = await run('system', path, () => writeFileSync(path, ''));
  await remove();
  expect(toldIn(lines)).toMatchObject({ begun: [expect.stringContaining('count the waves')], stack: [] });
  expect(lines).toEqual(expect.arrayContaining(['goes on', expect.stringMatching(/^stood \d{3,}$/)]));
});

it('a watched process ends when nothing else is to do, and a closed watchdog keeps nothing', async () => {
  expect(await run('idle', '')).toEqual([]);
  expect(await run('closed', '')).toEqual([]);
});
