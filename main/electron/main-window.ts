import type { BrowserWindow } from 'electron';
import { sentenceOf } from '../cli/failure.ts';
import { goChannel } from './channels.ts';
import { reviveWindow } from './crashes.ts';
import type { DesktopMessages } from './messages.ts';
import type { DesktopParts } from './ports.ts';
import { guardNavigation, windowOptions } from './window.ts';
import { defaultBounds, fitToScreens, readBounds, writeBounds } from './window-bounds.ts';

export interface MainWindow {
  /** The open window, or null. */
  current(): BrowserWindow | null;
  /** Whether the person uses it now, so that the page itself tells what is new. */
  isInFront(): boolean;
  /** Brings the window to the front and opens it if necessary. Navigates to a page route (`#/…`) if one is given. */
  show(route?: string): void;
  /** Saves the window's position, for an exit that does not close the window first. */
  saveBounds(): void;
}

interface MainWindowParts {
  /** The origin of the agent's page. */
  readonly origin: string;
  /** The address of a page route (`#/…`, or empty). It is created anew for each load, since its code is single-use. */
  readonly address: (route: string) => string;
  /** The file with the saved window position. */
  readonly boundsFile: string;
  readonly messages: () => DesktopMessages;
  readonly now: () => number;
}

/** The app's only window. It shows the agent's page and nothing else, and can be closed and reopened. */
export function mainWindow(parts: DesktopParts, { origin, address, boundsFile, messages, now }: MainWindowParts): MainWindow {
  const { electron, complain } = parts;
  let window: BrowserWindow | null = null;
  /** Whether the page has loaded and receives events. Before that, a route is put into the address. */
  let loaded = false;

  const load = (target: BrowserWindow, route: string): void => {
    loaded = false;
    target.loadURL(address(route)).catch((error: unknown) => {
      // A window that was closed while loading reports no error.
      if (window === target) electron.dialog.showErrorBox(messages().cannotShow, sentenceOf(error));
    });
  };

  const keepPlace = (): void => {
    if (!window || window.isDestroyed()) return;
    try {
      writeBounds(boundsFile, window);
    } catch (error) {
      complain(`Where the window stands could not be kept: ${sentenceOf(error)}\n`);
    }
  };

  const open = (route: string): BrowserWindow => {
    const screens = electron.screen().getAllDisplays();
    const areas = screens.map((display) => display.workArea);
    const where = fitToScreens(readBounds(boundsFile) ?? defaultBounds, areas);
    const opened = electron.openWindow(windowOptions(parts.preload, parts.icon, electron.nativeTheme.shouldUseDarkColors, where));
    guardNavigation(opened.webContents, origin, (url) => {
      electron.shell.openExternal(url).catch((error: unknown) => complain(`${sentenceOf(error)}\n`));
    });
    reviveWindow(opened, {
      now,
      complain,
      load: () => load(opened, ''),
      giveUp: () => electron.dialog.showErrorBox(messages().pageFails, messages().pageFailsText),
    });
    opened.webContents.on('did-finish-load', () => {
      loaded = true;
    });
    opened.once('ready-to-show', () => {
      if (where.maximized) opened.maximize();
      opened.show();
    });
    opened.on('close', keepPlace);
    opened.on('closed', () => {
      window = null;
    });
    window = opened;
    load(opened, route);
    return opened;
  };

  return {
    current: () => window,
    isInFront: () => window !== null && !window.isDestroyed() && window.isFocused(),
    saveBounds: keepPlace,
    show(route = '') {
      if (!window || window.isDestroyed()) {
        open(route);
        return;
      }
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      if (route === '') return;
      if (loaded) window.webContents.send(goChannel, route);
      else load(window, route);
    },
  };
}
