import type { BrowserWindow } from 'electron';
import { sentenceOf } from '../cli/failure.ts';
import { goChannel } from './channels.ts';
import { reviveWindow } from './crashes.ts';
import type { DesktopParts } from './ports.ts';
import { guardNavigation, windowOptions } from './window.ts';
import { firstPlace, inSight, readPlace, writePlace } from './window-state.ts';
import type { DesktopWords } from './words.ts';

export interface MainWindow {
  /** The window while there is one. */
  current(): BrowserWindow | null;
  /** Brings it to the front, opening it where there is none, and leads it to a place (`#/…`) if one is given. */
  show(place?: string): void;
  /** Keeps where it stands; for an end without the window's own closing. */
  keepPlace(): void;
}

export interface MainWindowParts {
  /** The address of the agent's page. */
  readonly url: string;
  /** Where its place is kept. */
  readonly placeFile: string;
  readonly words: () => DesktopWords;
  readonly now: () => number;
}

/** The one window, which shows the agent's page and nothing else. It can be closed and opened again. */
export function mainWindow(parts: DesktopParts, { url, placeFile, words, now }: MainWindowParts): MainWindow {
  const { electron, complain } = parts;
  let window: BrowserWindow | null = null;
  /** Whether the page stands and listens; until then a place goes into the address. */
  let stands = false;

  const load = (target: BrowserWindow, place: string): void => {
    stands = false;
    target.loadURL(`${url}/${place}`).catch((error: unknown) => {
      // A window that was closed while it loaded has nothing to complain about.
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
    guardNavigation(opened.webContents, new URL(url).origin);
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
