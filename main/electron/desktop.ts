import { join } from 'node:path';
import { ListenError } from '#agent-api/listen-error.ts';
import { sentenceOf } from '../cli/failure.ts';
import { dataFolders } from '../folders.ts';
import type { RunningAgent } from '../headless.ts';
import { noteChildDeaths } from './crashes.ts';
import { deepLinkIn, registerScheme } from './deep-links.ts';
import { answerPage } from './ipc.ts';
import { leave } from './leave.ts';
import { type MainWindow, mainWindow } from './main-window.ts';
import { desktopMessages } from './messages.ts';
import { pageRoutes } from './page-routes.ts';
import type { DesktopParts } from './ports.ts';
import { type DesktopShell, desktopShell } from './shell.ts';
import { guardPermissions } from './window.ts';

/**
 * Runs the desktop app: one instance for each data folder, with an agent inside, one window with the agent's page, and
 * the shell around it (tray, menu). Quitting closes the agent first. Running transfers are saved and resume at the next
 * start.
 */
export async function runDesktop(parts: DesktopParts): Promise<void> {
  const { electron, options } = parts;
  const { app } = electron;
  app.setPath('userData', join(options.dataDir, 'desktop'));
  // Crash dumps are not uploaded; they stay in this folder.
  electron.crashReporter.start({ uploadToServer: false });
  // Windows shows notifications only for registered apps; the id is the one in electron-builder.yml.
  if (parts.platform === 'win32') app.setAppUserModelId('app.longshore.desktop');
  // A second instance passes its arguments, including a deep link, to the first one.
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }

  let agent: RunningAgent | null = null;
  let window: MainWindow | null = null;
  let shell: DesktopShell | null = null;
  let messages = desktopMessages([]);
  let closing = false;
  /** The page route to show once the window exists. */
  let wanted: string | null = options.deepLink === null ? null : pageRoutes.open(options.deepLink);

  const show = (route = ''): void => {
    if (window) window.show(route);
    else if (route !== '') wanted = route;
  };
  const openLink = (address: string | null): void => {
    if (options.headless && address !== null) parts.complain('A longshore:// address was not opened: this agent runs without a window.\n');
    show(address === null ? '' : pageRoutes.open(address));
  };

  app.on('second-instance', (_event, argv) => openLink(deepLinkIn(argv)));
  app.on('activate', () => show());
  // macOS sends deep links as an event, which may fire before the app is ready.
  app.on('open-url', (event, address) => {
    event.preventDefault();
    openLink(deepLinkIn([address]));
  });
  app.on('window-all-closed', () => {
    if (!options.headless && !shell?.staysWithoutWindow()) app.quit();
  });
  app.on('before-quit', (event) => {
    if (!agent) return;
    event.preventDefault();
    if (closing) return;
    closing = true;
    window?.saveBounds();
    shell?.close();
    agent.close().then(
      () => leave(app, parts.ending),
      (error: unknown) => {
        parts.complain(`${sentenceOf(error)}\n`);
        return leave(app, parts.ending, error);
      },
    );
  });
  noteChildDeaths(app, parts.complain);

  await app.whenReady();
  try {
    agent = await startOnFreePort(parts);
  } catch (error) {
    // In headless mode there may be no screen and nobody to close a dialog.
    if (options.headless) parts.complain(`${sentenceOf(error)}\n`);
    else electron.dialog.showErrorBox(desktopMessages([app.getLocale()]).cannotStart, sentenceOf(error));
    await leave(app, parts.ending, error);
    return;
  }
  parts.log(`Longshore agent is ready at ${agent.url}\n`);
  if (options.headless) return;

  const { url, pageAddress } = agent;
  const { origin } = new URL(url);
  guardPermissions(electron.defaultSession(), origin);
  window = mainWindow(parts, {
    origin,
    address: pageAddress,
    boundsFile: join(options.dataDir, 'desktop', 'window.json'),
    messages: () => messages,
    now: () => performance.now(),
  });
  shell = desktopShell(parts, {
    agent,
    window,
    quit: () => app.quit(),
    setMessages: (now) => {
      messages = now;
    },
  });
  answerPage(
    electron.ipcMain,
    origin,
    pagePorts(parts, window, shell, () => messages),
  );
  registerScheme(app);
  if (wanted !== null || !options.hidden) window.show(wanted ?? '');
}

function pagePorts(
  { electron }: DesktopParts,
  window: MainWindow,
  shell: DesktopShell,
  messages: Parameters<typeof answerPage>[2]['messages'],
) {
  return {
    openDialog: (options) => {
      const above = window.current();
      return above ? electron.dialog.showOpenDialog(above, options) : electron.dialog.showOpenDialog(options);
    },
    showInFolder: (path) => electron.shell.showItemInFolder(path),
    applySettings: () => shell.applySettings(),
    noteBattery: (level) => shell.noteBattery(level),
    messages,
  } satisfies Parameters<typeof answerPage>[2];
}

/**
 * Uses the default port, so that scripts find the agent; another port if it is taken and none was requested explicitly.
 */
async function startOnFreePort({ options, startAgent }: DesktopParts): Promise<RunningAgent> {
  const start = (port: number): Promise<RunningAgent> =>
    startAgent({
      dataDir: dataFolders(options.dataDir).agent,
      serviceUrl: options.serviceUrl,
      apiKey: options.apiKey,
      listen: { host: options.listen.host, port },
      requireToken: options.requireToken,
    });
  try {
    return await start(options.listen.port);
  } catch (error) {
    if (options.listenChosen || !(error instanceof ListenError) || error.code !== 'EADDRINUSE') throw error;
    return start(0);
  }
}
