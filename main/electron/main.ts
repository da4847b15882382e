import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, dialog, ipcMain, nativeTheme, session, shell } from 'electron';
import { sentenceOf } from '../cli/failure.ts';
import { startAgent } from '../headless.ts';
import { runDesktop } from './desktop.ts';
import { desktopOptions } from './options.ts';

/** Where Electron begins. Everything that could go wrong is in `desktop.ts`, which tests can start. */
// Unpackaged, Electron's own command comes first and then the app's folder; packaged, the app alone.
const argv = process.argv.slice(app.isPackaged ? 1 : 2);
try {
  const options = desktopOptions(argv, process.env, process.cwd());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => app.quit());
  runDesktop({
    electron: {
      app,
      ipcMain,
      dialog,
      shell,
      nativeTheme,
      defaultSession: () => session.defaultSession,
      openWindow: (windowOptions) => new BrowserWindow(windowOptions),
    },
    options,
    startAgent,
    announce: (line) => process.stdout.write(line),
    complain: (line) => process.stderr.write(line),
    preload: fileURLToPath(new URL('./preload.cjs', import.meta.url)),
    icon: fileURLToPath(new URL('../resources/icon.png', import.meta.url)),
    platform: process.platform,
  }).catch(fail);
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  process.stderr.write(`${sentenceOf(error)}\n`);
  app.exit(1);
}
