import type { MenuItemConstructorOptions } from 'electron';
import { speedText } from '../cli/words.ts';
import type { Overview } from './overview.ts';
import { places } from './places.ts';
import type { ElectronPorts } from './ports.ts';
import type { DesktopWords } from './words.ts';

export interface TrayActions {
  /** Shows the window, at a page route if one is given. */
  open(place?: string): void;
  pauseAll(): void;
  resumeAll(): void;
  quit(): void;
}

/** The state in one line, without the speed, which would change the line every second. */
export function trayLine({ moving, share, paused }: Overview, words: DesktopWords): string {
  if (paused) return words.paused;
  if (moving === 0) return words.idle;
  return share === null ? words.moving(moving) : `${words.moving(moving)}, ${Math.floor(share * 100)} %`;
}

export function trayMenu(overview: Overview, words: DesktopWords, actions: TrayActions): MenuItemConstructorOptions[] {
  return [
    { label: trayLine(overview, words), enabled: false },
    { type: 'separator' },
    { label: words.open, click: () => actions.open() },
    { label: words.send, click: () => actions.open(places.send) },
    { label: words.get, click: () => actions.open(places.get) },
    overview.paused
      ? { label: words.resumeAll, click: () => actions.resumeAll() }
      : { label: words.pauseAll, click: () => actions.pauseAll() },
    { type: 'separator' },
    { label: words.quit, click: () => actions.quit() },
  ];
}

export interface ShellTray {
  /** Shows the state. Does nothing when nothing has changed. */
  show(overview: Overview, words: DesktopWords): void;
  remove(): void;
}

/** The tray icon, or null where the system has no tray. */
export function openTray(electron: Pick<ElectronPorts, 'openTray' | 'buildMenu'>, icon: string, actions: TrayActions): ShellTray | null {
  let tray: ReturnType<ElectronPorts['openTray']>;
  try {
    tray = electron.openTray(icon);
  } catch {
    return null;
  }
  tray.on('click', () => actions.open());
  let tip = '';
  let menu = '';
  return {
    show(overview, words) {
      const line = trayLine(overview, words);
      const speed = overview.moving > 0 && !overview.paused ? `, ${speedText(overview.bytesPerSecond)}` : '';
      if (tip !== line + speed) tray.setToolTip(`Longshore: ${line}${speed}`);
      tip = line + speed;
      // Replacing the menu may close it while it is open, so it is replaced only when a text has changed.
      const entries = trayMenu(overview, words, actions);
      const read = entries.map((entry) => entry.label).join('\n');
      if (menu !== read) tray.setContextMenu(electron.buildMenu(entries));
      menu = read;
    },
    remove: () => tray.destroy(),
  };
}
