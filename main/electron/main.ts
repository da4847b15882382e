import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron';
import { endProcess } from '#filesystem/end-process.ts';
import { hasPendingCalls } from '#filesystem/pending-calls.ts';
import { sentenceOf } from '../cli/failure.ts';
import { startAgent } from '../headless.ts';
import { runDesktop } from './desktop.ts';
import { journal } from './journal.ts';
import { startMountUtility } from './mount-process.ts';
import { desktopOptions } from './options.ts';
import type { Updater } from './updates.ts';

/** Electron's entry point. All logic that can fail is in `desktop.ts`, which tests can start. */
// Unpackaged, the arguments begin with Electron's command and the app's folder; packaged, only with the app.
const argv = process.argv.slice(app.isPackaged ? 1 : 2);
const resource = (name: string): string => fileURLToPath(new URL(`../resources/${name}`, import.meta.url));
try {
  const options = desktopOptions(argv, process.env, process.cwd());
  const logFile = join(options.dataDir, 'desktop', 'desktop.log');
  const note = journal(logFile, () => new Date());
  const complain = (line: string): void => {
    process.stderr.write(line);
    note(line);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => app.quit());
  // An unexpected error ends the app: the state on disk is consistent at any moment, so exiting is safer than
  // continuing.
  process.on('uncaughtException', (error) => {
    complain(`${error.stack ?? sentenceOf(error)}\n`);
    // What is written now is lost: `exit` would wait for a disk that may not answer.
    if (hasPendingCalls()) endProcess();
    else app.exit(1);
  });
  // At log-in macOS starts apps without arguments and reports it by this setting.
  const atLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
  runDesktop({
    electron: {
      app,
      ipcMain,
      dialog,
      shell,
      nativeTheme,
      powerSaveBlocker,
      crashReporter,
      defaultSession: () => session.defaultSession,
      screen: () => screen,
      powerMonitor: () => powerMonitor,
      notification: (notice) => (Notification.isSupported() ? new Notification(notice) : null),
      openWindow: (windowOptions) => new BrowserWindow(windowOptions),
      openTray: (icon) => new Tray(icon),
      buildMenu: (template) => Menu.buildFromTemplate(template),
      setApplicationMenu: (menu) => Menu.setApplicationMenu(menu),
    },
    options: { ...options, hidden: options.hidden || atLogin },
    startAgent: (agent) =>
      startAgent({
        ...agent,
        watch: { output: logFile, plain: true },
        startMountChild: () => startMountUtility(utilityProcess, fileURLToPath(new URL('./mount-process.js', import.meta.url))),
      }),
    log: (line) => process.stdout.write(line),
    complain,
    every: (milliseconds, what) => {
      const timer = setInterval(what, milliseconds);
      return () => clearInterval(timer);
    },
    ending: { diskCalls: hangingCalls, endProcess },
    openUpdater: () => openUpdater(options.updateUrl),
    preload: fileURLToPath(new URL('./preload.cjs', import.meta.url)),
    icon: resource('icon.png'),
    trayIcon: resource(trayIconName()),
    platform: process.platform,
    program: process.env['APPIMAGE'] ?? process.execPath,
    configHome: process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'),
  }).catch(fail);
} catch (error) {
  fail(error);
}

/** Milliseconds in which a disk ends what is left after the agent has closed. */
const lingerMs = 500;

async function hangingCalls(): Promise<boolean> {
  for (const end = Date.now() + lingerMs; hasPendingCalls() && Date.now() < end; ) await sleep(20);
  return hasPendingCalls();
}

function trayIconName(): string {
  if (process.platform === 'win32') return 'icons/icon.ico';
  // By this name macOS recognizes a template image and draws it in the menu bar's color.
  return process.platform === 'darwin' ? 'icons/trayTemplate.png' : 'icons/tray.png';
}

/** Updates are off unless an address is configured: by a flag, or by the operator who built the package. */
async function openUpdater(url: string | undefined): Promise<Updater | null> {
  if (!app.isPackaged || (url === undefined && !existsSync(join(process.resourcesPath, 'app-update.yml')))) return null;
  const { default: updater } = await import('electron-updater');
  return updater.autoUpdater;
}

function fail(error: unknown): void {
  process.stderr.write(`${sentenceOf(error)}\n`);
  app.exit(1);
}
