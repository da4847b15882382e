import { join } from 'node:path';
import type { App, BrowserWindow, BrowserWindowConstructorOptions, Dialog, IpcMain, NativeTheme, Session, Shell } from 'electron';
import { ListenError } from '#agent-api/listen-error.ts';
import { sentenceOf } from '../cli/failure.ts';
import { dataFolders } from '../folders.ts';
import type { AgentOptions, RunningAgent } from '../headless.ts';
import { answerPage } from './ipc.ts';
import type { DesktopOptions } from './options.ts';
import { guardNavigation, guardPermissions, windowOptions } from './window.ts';

/** What the desktop app uses of Electron. `main.ts` gives the real one, tests a narrow one of their own. */
export interface ElectronPorts {
  readonly app: Pick<App, 'requestSingleInstanceLock' | 'setPath' | 'whenReady' | 'on' | 'quit' | 'exit'>;
  readonly ipcMain: Pick<IpcMain, 'handle'>;
  readonly dialog: Pick<Dialog, 'showErrorBox' | 'showOpenDialog'>;
  readonly shell: Pick<Shell, 'showItemInFolder'>;
  readonly nativeTheme: Pick<NativeTheme, 'shouldUseDarkColors'>;
  /** The profile that windows use; asked for once the app is ready. */
  defaultSession(): Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>;
  openWindow(options: BrowserWindowConstructorOptions): BrowserWindow;
}

export interface DesktopParts {
  readonly electron: ElectronPorts;
  readonly options: DesktopOptions;
  readonly startAgent: (options: AgentOptions) => Promise<RunningAgent>;
  /** Tells where the agent answers, as the command line's `agent` does. */
  readonly announce: (line: string) => void;
  /** Where failures go that no window can show. */
  readonly complain: (line: string) => void;
  /** The built preload script and the window's icon. */
  readonly preload: string;
  readonly icon: string;
  readonly platform: NodeJS.Platform;
}

/**
 * Runs the desktop app: one instance for each data folder, an agent inside it, and one window that shows the
 * agent's page. Quitting closes the agent first; what is under way is written down and goes on at the next start.
 */
export async function runDesktop(parts: DesktopParts): Promise<void> {
  const { electron, options } = parts;
  const { app } = electron;
  app.setPath('userData', join(options.dataDir, 'desktop'));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }

  let agent: RunningAgent | null = null;
  let window: BrowserWindow | null = null;
  let closing = false;

  const show = (): void => {
    if (options.headless || !agent) return;
    if (window && !window.isDestroyed()) {
      if (window.isMinimized()) window.restore();
      window.focus();
      return;
    }
    window = openWindow(parts, agent.url, () => window);
    window.on('closed', () => {
      window = null;
    });
  };

  app.on('second-instance', show);
  app.on('activate', show);
  app.on('window-all-closed', () => {
    // macOS keeps apps without windows; a headless one never had any.
    if (parts.platform !== 'darwin' && !options.headless) app.quit();
  });
  app.on('before-quit', (event) => {
    if (!agent) return;
    event.preventDefault();
    if (closing) return;
    closing = true;
    agent.close().then(
      () => app.exit(0),
      (error: unknown) => {
        parts.complain(`${sentenceOf(error)}\n`);
        app.exit(1);
      },
    );
  });

  await app.whenReady();
  try {
    agent = await startOnFreePort(parts);
  } catch (error) {
    // Without a window there may be nobody, and no screen, to answer a box.
    if (options.headless) parts.complain(`${sentenceOf(error)}\n`);
    else electron.dialog.showErrorBox('Longshore cannot start', sentenceOf(error));
    app.exit(1);
    return;
  }
  parts.announce(`Longshore agent is ready at ${agent.url}\n`);
  const { origin } = new URL(agent.url);
  guardPermissions(electron.defaultSession(), origin);
  answerPage(electron.ipcMain, origin, {
    openDialog: (dialogOptions) =>
      window ? electron.dialog.showOpenDialog(window, dialogOptions) : electron.dialog.showOpenDialog(dialogOptions),
    showInFolder: (path) => electron.shell.showItemInFolder(path),
  });
  show();
}

/** The usual port, so that scripts find the agent; another one when that is taken and nobody asked for it. */
async function startOnFreePort({ options, startAgent }: DesktopParts): Promise<RunningAgent> {
  const start = (port: number): Promise<RunningAgent> =>
    startAgent({
      dataDir: dataFolders(options.dataDir).agent,
      serviceUrl: options.serviceUrl,
      apiKey: options.apiKey,
      listen: { host: options.listen.host, port },
    });
  try {
    return await start(options.listen.port);
  } catch (error) {
    if (options.listenChosen || !(error instanceof ListenError) || error.code !== 'EADDRINUSE') throw error;
    return start(0);
  }
}

function openWindow({ electron, preload, icon }: DesktopParts, url: string, current: () => BrowserWindow | null): BrowserWindow {
  const window = electron.openWindow(windowOptions(preload, icon, electron.nativeTheme.shouldUseDarkColors));
  guardNavigation(window.webContents, new URL(url).origin);
  window.once('ready-to-show', () => window.show());
  window.loadURL(url).catch((error: unknown) => {
    // A window that was closed while it loaded has nothing to complain about.
    if (current() === window) electron.dialog.showErrorBox('Longshore cannot show its page', sentenceOf(error));
  });
  return window;
}
