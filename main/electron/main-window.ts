import type { BrowserWindow } from 'electron';
import { sentenceOf } from '../cli/failure.ts';
import { goChannel } from './channels.ts';
import { reviveWindow } from './crashes.ts';
import type { DesktopParts } from './ports.ts';
import { guardNavigation, windowOptions } from './window.ts';
import { firstPlace, inSight, readPlace, writePlace } from './window-state.ts';
import type { DesktopWords } from './words.ts';

export interface MainWindow {
  /** The open window, or null. */
  current(): BrowserWindow | null;
  /** Brings the window to the front and opens it if necessary. Navigates to a page route (`#/…`) if one is given. */
  show(place?: string): void;
  /** Saves the window's position, for an exit that does not close the window first. */
  keepPlace(): void;
}

export interface MainWindowParts {
  /** The origin of the agent's page. */
  readonly origin: string;
  /** The address of a page route (`#/…`, or empty). It is created anew for each load, since its code is single-use. */
  readonly address: (place: string) => string;
  /** The file with the saved window position. */
  readonly placeFile: string;
  readonly words: () => DesktopWords;
  readonly now: () => number;
}

/** The app's only window. It shows the agent's page and nothing else, and can be closed and reopened. */
export function mainWindow(parts: DesktopParts, { origin, address, placeFile, words, now }: MainWindowParts): MainWindow {
  const { electron, complain } = parts;
  let window: BrowserWindow | null = null;
  /** Whether the page has loaded and receives events. Before that, a route is put into the address. */
  let stands = false;

  const load = (target: BrowserWindow, place: string): void => {
    stands = false;
    target.loadURL(address(place)).catch((error: unknown) => {
      // A window that was closed while loading reports no error.
      if (window === target) electron.dialog.showErrorBox(words().cannotShow, sentenceOf(error));
    });
  };

  const keepPlace = (): void => {
    if (!window || window.isDestroyed()) return;
    try {
      writePlace(placeFile, window);
    } catch (error) {
      complain(`Where the window stands could not be kept: ${sentenceOf(error)}\n`);
    }
  };

  const open = (place: string): BrowserWindow => {
    const screens = electron.screen().getAllDisplays();
    const areas = screens.map((display) => display.workArea);
    const where = inSight(readPlace(placeFile) ?? firstPlace, areas);
    const opened = electron.openWindow(windowOptions(parts.preload, parts.icon, electron.nativeTheme.shouldUseDarkColors, where));
    guardNavigation(opened.webContents, origin);
    reviveWindow(opened, {
      now,
      complain,
      load: () => load(opened, ''),
      giveUp: () => electron.dialog.showErrorBox(words().pageFails, words().pageFailsText),
    });
    opened.webContents.on('did-finish-load', () => {
      stands = true;
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
    load(opened, place);
    return opened;
  };

  return {
    current: () => window,
    keepPlace,
    show(place = '') {
      if (!window || window.isDestroyed()) {
        open(place);
        return;
      }
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      if (place === '') return;
      if (stands) window.webContents.send(goChannel, place);
      else load(window, place);
    },
  };
}
