import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserBytes } from '#bench/measure/browser-memory.ts';
import { makePageMaterial } from '#bench/pages/material.ts';
import { pagesReport } from '#bench/report/pages.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const mebi = 2 ** 20;
const sizes = { bigBytes: 1_000_000_000, smallFiles: 5_000, smallBytes: 10_240, folders: 300 };

describe('the table of the upload page', () => {
  const found = {
    sizes,
    figures: [
      { round: 1, page: 2, bare: 2, grownBytes: 100 * mebi },
      { round: 2, page: 4, bare: 3.8, grownBytes: 250 * mebi },
      { round: 3, page: 2, bare: 1.8, grownBytes: 90 * mebi },
    ],
    small: [10, 5],
    interactive: { paintSeconds: 0.5, interactiveSeconds: 0.94, bytes: 110_400 },
    console: {
      signIn: { paintSeconds: 0.5, interactiveSeconds: 1.2, bytes: 107_000 },
      home: { paintSeconds: 0.7, interactiveSeconds: 1.4, bytes: 112_000 },
    },
    version: '156.0',
    loadBefore: 0.2,
  };

  it('has medians, and judges by the ratio within each round and by the largest memory', () => {
    const text = pagesReport(found);
    expect(text).toContain('| the page, from the click to the receipt | 500 (375–500) |');
    expect(text).toContain('| the page, from the click to the receipt | 750 (625–875) |');
    expect(text).toContain('at least 0.9 | 0.95× | reached |');
    expect(text).toContain('at rest | 250 MiB | reached |');
    expect(text).toContain('slow line | 0.94 s | reached |');
    expect(text).toContain('| came over the line, kB | 110 | 107 | 112 |');
    expect(text).toContain('The console within 1.5 s on a slow line | 1.40 s | reached |');
    expect(text).toContain('at most 120 kB | 112 kB | reached |');
  });

  it('says what is missed', () => {
    const figures = [{ round: 1, page: 2, bare: 1, grownBytes: 301 * mebi }];
    const console = { ...found.console, signIn: { paintSeconds: 1, interactiveSeconds: 1.6, bytes: 121_000 } };
    const text = pagesReport({ ...found, figures, console, interactive: { ...found.interactive, interactiveSeconds: 1.2 } });
    expect(text.match(/missed/g)).toHaveLength(5);
  });
});

describe('what is sent through the page', () => {
  it('is a big file, and small ones in so many folders', async () => {
    const { path, remove } = await tempFolder();
    const { big, small } = makePageMaterial(path, { bigBytes: 3_000_000, smallFiles: 10, smallBytes: 7, folders: 3 });
    expect(statSync(big).size).toBe(3_000_000);
    const folders = readdirSync(small);
    expect(folders).toHaveLength(3);
    expect(folders.flatMap((folder) => readdirSync(join(small, folder))).sort()).toEqual(
      Array.from({ length: 10 }, (_, at) => `${at}.bin`).sort(),
    );
    await remove();
  });
});

describe.skipIf(process.platform !== 'linux')("a browser's memory", () => {
  it('is that of the process with the mark and of all that it has started', async () => {
    const mark = `--mark-${process.pid}`;
    expect(browserBytes(mark)).toBe(0);
    const hold = (bytes: number) => `globalThis.held = Buffer.alloc(${bytes}, 1); process.stdout.write('held');`;
    const inner = `${hold(60 * mebi)} setInterval(() => {}, 1_000);`;
    const outer = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' });`;
    const child = spawn(process.execPath, ['-e', `${outer} setInterval(() => {}, 1_000);`, '--', mark], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      await once(child.stdout, 'data');
      expect(browserBytes(mark)).toBeGreaterThan(60 * mebi);
    } finally {
      process.kill(-child.pid!);
      await once(child, 'exit');
    }
  });
});
