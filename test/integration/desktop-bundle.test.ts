import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { _electron } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDesktop } from '#main/electron/build.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { startMountByUtility } from '#test/support/engine/mount-by-utility.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Electron's binary, where it was fetched and there is a screen for it. */
function electronBinary(): string | null {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return null;
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  if (!existsSync(join(folder, 'path.txt'))) return null;
  const path = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8'));
  return existsSync(path) ? path : null;
}

describe('the bundled desktop app', () => {
  let folder: string;
  let pages: BuiltPages;

  beforeAll(async () => {
    // A folder as the packaged app has it: the bundle one level below package.json.
    folder = await mkdtemp(join(tmpdir(), 'longshore-desktop-'));
    pages = await buildPages('renderer');
    await buildDesktop(join(folder, 'dist'));
    await cp(join(project, 'package.json'), join(folder, 'package.json'));
    await mkdir(join(folder, 'renderer'));
    await cp(pages.folder, join(folder, 'renderer/dist'), { recursive: true });
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'), 'junction');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('starts its agent headless, serves the page, and ends in good order on SIGTERM', async () => {
    const standIn = pathToFileURL(fileURLToPath(new URL('../support/engine/electron-stub.ts', import.meta.url))).href;
    const hooks = join(folder, 'hooks.mjs');
    await writeFile(
      hooks,
      `import { registerHooks } from 'node:module';
       registerHooks({ resolve: (name, context, next) => name === 'electron' ? { url: ${JSON.stringify(standIn)}, shortCircuit: true } : next(name, context) });`,
    );
    const argv = ['--import', pathToFileURL(hooks).href, join(folder, 'dist/main.js'), '--headless', '--listen', '127.0.0.1:0'];
    const child = spawn(process.execPath, [...argv, '--data-dir', join(folder, 'data')], { stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    try {
      let complaints = '';
      child.stderr.on('data', (chunk) => {
        complaints += chunk;
      });
      const first = await Promise.race([once(child.stdout, 'data'), exited.then(() => null)]);
      expect(first, complaints).not.toBeNull();
      const url = /ready at (\S+)/.exec(String(first![0]))?.[1];
      const page = await fetch(`${url}/`);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('<title>Longshore</title>');
      const status = (await (await fetch(`${url}/api/v1/status`)).json()) as { version: string };
      expect(status.version).toBe((JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string }).version);
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  });

  it('has the process of a mount as a script, which moves files by an engine of its own', async () => {
    const { process: mount, reports } = startMountByUtility(join(folder, 'mount'), join(folder, 'dist/mount-process.js'));
    try {
      expect(await mount.ask('mark', {})).toMatchObject({ marked: true });
      mount.work({ kind: 'deliver', transferId: randomUUID(), packageId: randomUUID(), token: 'token', target: 'In/Day' });
      // Nobody answers at its service; that much the engine has found out.
      await expect.poll(() => reports.at(-1), { timeout: 60_000 }).toMatchObject({ state: 'waiting', error: expect.stringMatching(/./) });
    } finally {
      await mount.close();
    }
  });

  it('has a preload of one file that asks for nothing but electron', () => {
    const preload = readFileSync(join(folder, 'dist/preload.cjs'), 'utf8');
    expect([...preload.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1])).toEqual(['electron']);
    expect(preload).not.toMatch(/\bimport\b.*\bfrom\b/);
  });

  const binary = electronBinary();
  it.skipIf(!binary)(
    `opens the agent’s page in Electron${binary ? '' : ' (skipped: no Electron binary, or no screen, here)'}`,
    async () => {
      const app = await _electron.launch({
        executablePath: binary!,
        args: [join(folder, 'dist/main.js'), '--listen', '127.0.0.1:0', '--data-dir', join(folder, 'data-electron')],
      });
      try {
        const window = await app.firstWindow();
        await window.getByRole('heading', { name: 'Sign in' }).waitFor();
        const bridge = ['applySettings', 'onGo', 'pathOf', 'pickFolder', 'pickPaths', 'reportBattery', 'revealFolder'];
        expect(await window.evaluate('Object.keys(window.longshore).sort()')).toEqual(bridge);
        expect(await window.evaluate('[typeof require, typeof process]')).toEqual(['undefined', 'undefined']);
        // As a second start of the app hands over its arguments.
        const link = `longshore://download?${new URLSearchParams({ url: 'https://files.example.com/d/1?secret=x' })}`;
        await app.evaluate(({ app: inApp }, address) => inApp.emit('second-instance', {}, ['longshore', address]), link);
        await window.getByRole('dialog', { name: 'Get these files?' }).waitFor();
        // Nowhere else, and no second window.
        await window.evaluate("location.assign('https://files.example.com/')");
        await window.evaluate("window.open('https://files.example.com/')");
        expect(new URL(window.url()).hostname).toBe('127.0.0.1');
        expect(app.windows()).toHaveLength(1);
      } finally {
        await app.close();
      }
    },
  );
});
