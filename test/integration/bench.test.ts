import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { soaking } from '#test/support/faults/seeds.ts';
import { hasNginx } from '#test/support/storage/nginx.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const script = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));

/** The benchmark as a command, in small sizes, with whichever peers this machine has. */
describe.runIf(process.platform === 'linux')('npm run bench', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [script, '--quick', '--scratch', folder.path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes;
    });
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    return { child, ended, said: () => stderr, printed: () => stdout };
  };

  it('measures Longshore and the peers that are there, writes the page, and leaves nothing behind', { timeout: 300_000 }, async () => {
    const page = join(folder.path, 'page.md');
    // Others are started as curl is, each by its own lines (test/unit/bench).
    const peers = soaking ? 'curl|rclone, default nginx|nginx in front' : 'curl|nginx in front';
    const run = start('--only', peers, '--output', page);
    expect(await run.ended, run.said()).toBe(0);
    const text = await readFile(page, 'utf8');
    for (const title of ['24 MiB, up', '24 MiB, down', '200 files of 10 KiB, up', '200 files of 10 KiB, down'])
      expect(text).toContain(title);
    const rows = text.split('\n').filter((line) => line.startsWith('| Longshore | Longshore |'));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toMatch(/^\| Longshore \| Longshore \|( [\d.]+ \|){7,9}$/);
    const inFront = text.split('\n').filter((line) => line.startsWith('| Longshore | nginx in front |'));
    if (hasNginx()) expect(inFront).toHaveLength(2);
    for (const row of hasNginx() ? inFront : []) expect(row).toMatch(/^\| Longshore \| nginx in front \|( [\d.]+ \|){7,9}$/);
    expect(text).toContain(run.printed().trim());
    expect(text).not.toContain(folder.path);
    expect(await readdir(folder.path)).toEqual(['page.md']);
    expect(await processesWith(folder.path)).toEqual([]);
  });

  it('stops when asked, with nothing written and nothing left', { timeout: 120_000 }, async () => {
    const run = start('--only', 'nothing', '--rounds', '99');
    await eventually('a round is under way', async () => run.said().includes('big_up'));
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(130);
    expect(run.printed()).toBe('');
    expect(await readdir(folder.path)).toEqual([]);
    expect(await processesWith(folder.path)).toEqual([]);
  });

  it('says how to use it', async () => {
    const run = start('--rounds', 'many');
    expect(await run.ended).toBe(2);
    expect(run.said()).toContain('--rounds takes a whole number');
  });
});
