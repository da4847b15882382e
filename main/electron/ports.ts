import type {
  App,
  BrowserWindow,
  BrowserWindowConstructorOptions,
  CrashReporter,
  Dialog,
  IpcMain,
  Menu,
  MenuItemConstructorOptions,
  NativeTheme,
  Notification,
  NotificationConstructorOptions,
  PowerMonitor,
  PowerSaveBlocker,
  Screen,
  Session,
  Shell,
  Tray,
} from 'electron';
import type { AgentOptions, RunningAgent } from '../headless.ts';
import type { Ending } from './leave.ts';
import type { DesktopOptions } from './options.ts';
import type { Updater } from './updates.ts';

type AppParts =
  | 'requestSingleInstanceLock'
  | 'setPath'
  | 'whenReady'
  | 'on'
  | 'quit'
  | 'exit'
  | 'isPackaged'
  | 'getLocale'
  | 'isDefaultProtocolClient'
  | 'setAsDefaultProtocolClient'
  | 'setLoginItemSettings'
  | 'setAppUserModelId';

/** The part of Electron that the desktop app uses. `main.ts` passes the real one, tests pass a fake. */
export interface ElectronPorts {
  readonly app: Pick<App, AppParts>;
  readonly ipcMain: Pick<IpcMain, 'handle'>;
  readonly dialog: Pick<Dialog, 'showErrorBox' | 'showOpenDialog'>;
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openExternal'>;
  readonly nativeTheme: Pick<NativeTheme, 'shouldUseDarkColors' | 'themeSource'>;
  readonly powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  readonly crashReporter: Pick<CrashReporter, 'start'>;
  /** The following four exist only after the app is ready. */
  defaultSession(): Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>;
  screen(): Pick<Screen, 'getAllDisplays'>;
  powerMonitor(): Pick<PowerMonitor, 'isOnBatteryPower' | 'on'>;
  /** Null where the system does not support notifications. */
  notification(options: NotificationConstructorOptions): Pick<Notification, 'on' | 'show'> | null;
  openWindow(options: BrowserWindowConstructorOptions): BrowserWindow;
  /** Throws where the system has no tray. */
  openTray(icon: string): Pick<Tray, 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>;
  buildMenu(template: MenuItemConstructorOptions[]): Menu;
  setApplicationMenu(menu: Menu): void;
}

export interface DesktopParts {
  readonly electron: ElectronPorts;
  readonly options: DesktopOptions;
  readonly startAgent: (options: AgentOptions) => Promise<RunningAgent>;
  /** Prints the agent's address, like the command line's `agent`. */
  readonly log: (line: string) => void;
  /** Reports failures that no window can show. */
  readonly complain: (line: string) => void;
  /** Calls a function at an interval. The returned function stops it. */
  readonly every: (milliseconds: number, what: () => void) => () => void;
  readonly ending: Ending;
  /** The updater of a packaged app with an update address; otherwise null. */
  readonly openUpdater: () => Promise<Updater | null>;
  /** The built preload script, and the icons of window and tray. */
  readonly preload: string;
  readonly icon: string;
  readonly trayIcon: string;
  readonly platform: NodeJS.Platform;
  /** The app's executable: the packaged program, or the AppImage that contains it. */
  readonly program: string;
  /** The folder of a Linux desktop's own configuration, e.g. `~/.config`. */
  readonly configHome: string;
}
