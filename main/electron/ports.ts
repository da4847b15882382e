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

/** What the desktop app uses of Electron. `main.ts` gives the real one, tests a narrow one of their own. */
export interface ElectronPorts {
  readonly app: Pick<App, AppParts>;
  readonly ipcMain: Pick<IpcMain, 'handle'>;
  readonly dialog: Pick<Dialog, 'showErrorBox' | 'showOpenDialog'>;
  readonly shell: Pick<Shell, 'showItemInFolder'>;
  readonly nativeTheme: Pick<NativeTheme, 'shouldUseDarkColors' | 'themeSource'>;
  readonly powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  readonly crashReporter: Pick<CrashReporter, 'start'>;
  /** These four stand only once the app is ready. */
  defaultSession(): Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>;
  screen(): Pick<Screen, 'getAllDisplays'>;
  powerMonitor(): Pick<PowerMonitor, 'isOnBatteryPower' | 'on'>;
  /** Null where the system has no notifications. */
  notification(options: NotificationConstructorOptions): Pick<Notification, 'on' | 'show'> | null;
  openWindow(options: BrowserWindowConstructorOptions): BrowserWindow;
  /** Fails where the system has no place for it. */
  openTray(icon: string): Pick<Tray, 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>;
  buildMenu(template: MenuItemConstructorOptions[]): Menu;
  setApplicationMenu(menu: Menu): void;
}

export interface DesktopParts {
  readonly electron: ElectronPorts;
  readonly options: DesktopOptions;
  readonly startAgent: (options: AgentOptions) => Promise<RunningAgent>;
  /** Tells where the agent answers, as the command line's `agent` does. */
  readonly announce: (line: string) => void;
  /** Where failures go that no window can show. */
  readonly complain: (line: string) => void;
  /** Calls a function again and again until the function that it returns is called. */
  readonly every: (milliseconds: number, what: () => void) => () => void;
  /** The updater of a packaged app that has somewhere to look; null for all others. */
  readonly openUpdater: () => Promise<Updater | null>;
  /** The built preload script and the pictures of window and tray. */
  readonly preload: string;
  readonly icon: string;
  readonly trayIcon: string;
  readonly platform: NodeJS.Platform;
  /** How this app is started: the packaged program, or the AppImage that it is in. */
  readonly program: string;
  /** The folder of a Linux desktop's own configuration, e.g. `~/.config`. */
  readonly configHome: string;
}
