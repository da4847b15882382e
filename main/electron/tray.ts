import type { MenuItemConstructorOptions } from 'electron';
import { speedText } from '../cli/format.ts';
import type { DesktopMessages } from './messages.ts';
import type { Overview } from './overview.ts';
import { pageRoutes } from './page-routes.ts';
import type { ElectronPorts } from './ports.ts';

interface TrayActions {
  /** Shows the window, at a page route if one is given. */
  open(route?: string): void;
  pauseAll(): void;
  resumeAll(): void;
  quit(): void;
}

/** The state in one line, without the speed, which would change the line every second. */
function trayLine({ moving, share, paused }: Overview, messages: DesktopMessages): string {
  if (paused) return messages.paused;
  if (moving === 0) return messages.idle;
  return share === null ? messages.moving(moving) : `${messages.moving(moving)}, ${Math.floor(share * 100)} %`;
}

function trayMenu(overview: Overview, messages: DesktopMessages, actions: TrayActions): MenuItemConstructorOptions[] {
  return [
    { label: trayLine(overview, messages), enabled: false },
    { type: 'separator' },
    { label: messages.open, click: () => actions.open() },
    { label: messages.send, click: () => actions.open(pageRoutes.send) },
    { label: messages.get, click: () => actions.open(pageRoutes.get) },
    overview.paused
      ? { label: messages.resumeAll, click: () => actions.resumeAll() }
      : { label: messages.pauseAll, click: () => actions.pauseAll() },
    { type: 'separator' },
    { label: messages.quit, click: () => actions.quit() },
  ];
}

interface ShellTray {
  /** Shows the state. Does nothing when nothing has changed. */
  show(overview: Overview, messages: DesktopMessages): void;
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
    show(overview, messages) {
      const line = trayLine(overview, messages);
      const speed = overview.moving > 0 && !overview.paused ? `, ${speedText(overview.bytesPerSecond)}` : '';
      if (tip !== line + speed) tray.setToolTip(`Longshore: ${line}${speed}`);
      tip = line + speed;
      // Replacing the menu may close it while it is open, so it is replaced only when a text has changed.
      const entries = trayMenu(overview, messages, actions);
      const read = entries.map((entry) => entry.label).join('\n');
      if (menu !== read) tray.setContextMenu(electron.buildMenu(entries));
      menu = read;
    },
    remove: () => tray.destroy(),
  };
}
