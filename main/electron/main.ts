import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
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
} from 'electron';
import { sentenceOf } from '../cli/failure.ts';
import { startAgent } from '../headless.ts';
import { runDesktop } from './desktop.ts';
import { journal } from './journal.ts';
import { desktopOptions } from './options.ts';
import type { Updater } from './updates.ts';

/** Where Electron begins. Everything that could go wrong is in `desktop.ts`, which tests can start. */
// Unpackaged, Electron's own command comes first and then the app's folder; packaged, the app alone.
const argv = process.argv.slice(app.isPackaged ? 1 : 2);
const resource = (name: string): string => fileURLToPath(new URL(`../resources/${name}`, import.meta.url));
try {
  const options = desktopOptions(argv, process.env, process.cwd());
  const note = journal(join(options.dataDir, 'desktop', 'desktop.log'), () => new Date());
  const complain = (line: string): void => {
    process.stderr.write(line);
    note(line);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => app.quit());
  // What nobody has foreseen: the state on disk is whole at any moment, so an end is safer than going on.
  process.on('uncaughtException', (error) => {
    complain(`${error.stack ?? sentenceOf(error)}\n`);
    app.exit(1);
  });
  // macOS starts apps at log-in without arguments and says so.
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
    startAgent,
    announce: (line) => process.stdout.write(line),
    complain,
    every: (milliseconds, what) => {
      const timer = setInterval(what, milliseconds);
      return () => clearInterval(timer);
    },
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

function trayIconName(): string {
  if (process.platform === 'win32') return 'icons/icon.ico';
  // Its name tells macOS to draw it in the menu bar's own colour.
  return process.platform === 'darwin' ? 'icons/trayTemplate.png' : 'icons/tray.png';
}

/** Off unless somebody said where: a flag, or the operator who packaged the app. */
async function openUpdater(url: string | undefined): Promise<Updater | null> {
  if (!app.isPackaged || (url === undefined && !existsSync(join(process.resourcesPath, 'app-update.yml')))) return null;
  const { default: updater } = await import('electron-updater');
  return updater.autoUpdater;
}

function fail(error: unknown): void {
  process.stderr.write(`${sentenceOf(error)}\n`);
  app.exit(1);
}
