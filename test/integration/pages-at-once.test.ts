import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sourcesDigest } from '#main/start/pages.ts';
import { inAll } from '#test/support/level.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The pages as two processes build them that start from source at once, such as `npm start` and an agent. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
const running: ChildProcess[] = [];

beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  await folder.remove();
});

const pages = () => join(folder.path, 'dist');
const staged = () => (existsSync(join(folder.path, '.cache')) ? readdirSync(join(folder.path, '.cache')) : []);

/** A process that builds the service's pages: they are built in two steps, the second of which finds the first one's files. */
function build(): { readonly child: ChildProcess; readonly ended: Promise<{ code: number | null; said: string }> } {
  const module = new URL('../../main/start/pages.ts', import.meta.url).href;
  const script = `const { replacePages } = await import(${JSON.stringify(module)}); await replacePages('web', ${JSON.stringify(pages())});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(child);
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, said })) };
}

async function expectWhole(): Promise<void> {
  expect(readFileSync(join(pages(), '.built-from'), 'utf8')).toBe(await sourcesDigest('web'));
  for (const page of ['index.html', 'portal.html', 'account.html', 'console.html']) {
    const assets = [...readFileSync(join(pages(), page), 'utf8').matchAll(/(?:src|href)="\/(assets-web\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) expect(existsSync(join(pages(), path)), `${page}: ${path}`).toBe(true);
  }
}

it('are whole from when the first of two processes has built them on, over older ones, and nothing else is left', async () => {
  writeTree(pages(), { '.built-from': 'other sources', 'assets-web/old.js': seededBytes(10, 1) });
  const first = build();
  const written = () => [pages(), ...staged().map((name) => join(folder.path, '.cache', name, 'new'))];
  await eventually('it has written pages', async () => written().some((path) => existsSync(join(path, 'index.html'))));
  const second = build();
  expect(await first.ended).toEqual({ code: 0, said: '' });
  await expectWhole();
  expect(await second.ended).toEqual({ code: 0, said: '' });
  await expectWhole();
  expect(existsSync(join(pages(), 'assets-web/old.js'))).toBe(false);
  expect(staged()).toEqual([]);
});

it(
  'stay as they are where the process that builds is killed, and the next one builds them and removes what it left',
  inAll('two processes at once'),
  async () => {
    writeTree(pages(), { '.built-from': 'other sources', 'assets-web/old.js': seededBytes(10, 1) });
    const { child, ended } = build();
    await eventually('it has written something', async () => staged().some((name) => existsSync(join(folder.path, '.cache', name, 'new'))));
    child.kill('SIGKILL');
    await ended;
    expect(readdirSync(pages()).sort()).toEqual(['.built-from', 'assets-web']);
    const [left] = staged();
    const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(join(folder.path, '.cache', left!), longAgo, longAgo);
    expect(await build().ended).toEqual({ code: 0, said: '' });
    await expectWhole();
    expect(staged()).toEqual([]);
  },
);
