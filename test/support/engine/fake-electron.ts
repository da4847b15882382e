import { EventEmitter } from 'node:events';
import type {
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Menu,
  MenuItemConstructorOptions,
  NotificationConstructorOptions,
} from 'electron';
import { createEvents, type Happening } from '#engine/events.ts';
import type { DesktopParts, ElectronPorts } from '#main/electron/ports.ts';
import type { Updater } from '#main/electron/updates.ts';
import type { AgentOptions, RunningAgent } from '#main/headless.ts';
import type { Settings } from '#protocol/agent/settings.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** A window that only records calls. */
export class FakeWindow extends EventEmitter {
  readonly options: BrowserWindowConstructorOptions;
  readonly did: string[] = [];
  readonly webContents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: () => undefined,
    send: (channel: string, place: string) => void this.did.push(`send ${channel} ${place}`),
  });
  minimized = false;
  /** In front, and used now. */
  focused = false;
  progress = -1;

  constructor(options: BrowserWindowConstructorOptions) {
    super();
    this.options = options;
  }
  async loadURL(url: string) {
    this.did.push(`load ${url}`);
  }
  show() {
    this.did.push('show');
  }
  focus() {
    this.did.push('focus');
  }
  restore() {
    this.did.push('restore');
  }
  maximize() {
    this.did.push('maximize');
  }
  setProgressBar(share: number) {
    this.progress = share;
  }
  getNormalBounds() {
    return { x: 40, y: 50, width: 900, height: 700 };
  }
  isMaximized() {
    return true;
  }
  isFocused() {
    return this.focused;
  }
  isMinimized() {
    return this.minimized;
  }
  isDestroyed() {
    return false;
  }
}

export interface FakeNotification extends EventEmitter {
  readonly options: NotificationConstructorOptions;
}

/** The engine of an agent as far as the shell looks at it: the real event bus, and lists that the test fills. */
export function fakeShellEngine(settings: Partial<Settings> = {}) {
  const events = createEvents({ firstId: 1 });
  const did: string[] = [];
  const moving: AgentTransfer[] = [];
  const state = {
    paused: false,
    settings: {
      notifications: true,
      start_at_login: false,
      appearance: 'system',
      letter_keys: true,
      language: '',
      ...settings,
    } as Settings,
  };
  const engine = {
    events,
    settings: { current: () => state.settings },
    status: () => ({ paused: state.paused ? { until: null } : null }),
    transfers: {
      list: async () => ({ total: moving.length, records: moving }),
      pauseAll: async () => void did.push('pause all'),
      resumeAll: async () => void did.push('resume all'),
    },
  } as unknown as RunningAgent['engine'];
  return { engine, did, moving, state, emit: (happening: Happening): void => events.emit(happening), events };
}

export interface FakeDesktopOptions {
  readonly first?: boolean;
  readonly options?: Partial<DesktopParts['options']>;
  readonly platform?: NodeJS.Platform;
  readonly packaged?: boolean;
  readonly tray?: boolean;
  readonly start?: (options: AgentOptions) => Promise<RunningAgent>;
  readonly engine?: ReturnType<typeof fakeShellEngine>;
  readonly updater?: Updater | null;
  readonly dataDir?: string;
  /** Calls of files that never return are left once the agent has closed. */
  readonly diskHangs?: boolean;
}

/** A fake desktop: the narrow part of Electron that the app uses, and what was done with it. */
export function fakeDesktop(given: FakeDesktopOptions = {}) {
  const { first = true, platform = 'linux', packaged = false, tray = true, start, engine = fakeShellEngine(), updater = null } = given;
  const dataDir = given.dataDir ?? '/nowhere';
  const events = new EventEmitter();
  const did: string[] = [];
  const windows: FakeWindow[] = [];
  const notifications: FakeNotification[] = [];
  const starts: AgentOptions[] = [];
  const menus: MenuItemConstructorOptions[][] = [];
  const trays: { menu: MenuItemConstructorOptions[]; tip: string; events: EventEmitter; destroyed: boolean }[] = [];
  const ticks = new Set<() => void>();
  const power = Object.assign(new EventEmitter(), { onBattery: false, held: new Set<number>() });
  const theme = { shouldUseDarkColors: false, themeSource: 'system' as const };
  const handlers = new Map<string, (event: unknown, ...args: unknown[]) => Promise<unknown>>();
  const agent = {
    url: 'http://127.0.0.1:8090',
    pageAddress: (place: string) => `http://127.0.0.1:8090/${place}`,
    engine: engine.engine,
    close: async () => void did.push('agent closed'),
  } as unknown as RunningAgent;
  const electron: ElectronPorts = {
    app: Object.assign(events, {
      isPackaged: packaged,
      requestSingleInstanceLock: () => first,
      setPath: (name: string, path: string) => void did.push(`${name} ${path}`),
      whenReady: async () => {},
      quit: () => void did.push('quit'),
      exit: (code?: number) => void did.push(`exit ${code}`),
      getLocale: () => 'en-GB',
      isDefaultProtocolClient: () => false,
      setAsDefaultProtocolClient: (scheme: string) => Boolean(did.push(`scheme ${scheme}`)),
      setLoginItemSettings: (settings: unknown) => void did.push(`login ${JSON.stringify(settings)}`),
      setAppUserModelId: (id: string) => void did.push(`id ${id}`),
    }) as unknown as ElectronPorts['app'],
    ipcMain: { handle: (channel, handler) => void handlers.set(channel, handler as never) },
    dialog: {
      showErrorBox: (title: string, text: string) => void did.push(`box ${title}: ${text}`),
      showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
    },
    shell: { showItemInFolder: () => undefined, openExternal: async () => undefined },
    nativeTheme: theme,
    powerSaveBlocker: {
      start: () => {
        const id = power.held.size + 1;
        power.held.add(id);
        return id;
      },
      stop: (id) => power.held.delete(id),
    },
    crashReporter: { start: (options) => void did.push(`crashes ${JSON.stringify(options)}`) },
    defaultSession: () => ({
      setPermissionRequestHandler: () => undefined,
      setPermissionCheckHandler: () => undefined,
      setDevicePermissionHandler: () => undefined,
    }),
    screen: () =>
      ({ getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }] }) as unknown as ReturnType<
        ElectronPorts['screen']
      >,
    powerMonitor: () =>
      ({ isOnBatteryPower: () => power.onBattery, on: () => undefined }) as unknown as ReturnType<ElectronPorts['powerMonitor']>,
    notification: (options) => {
      const one = Object.assign(new EventEmitter(), { options, show: () => void notifications.push(one) });
      return one as unknown as ReturnType<ElectronPorts['notification']>;
    },
    openWindow(options) {
      const window = new FakeWindow(options);
      windows.push(window);
      return window as unknown as BrowserWindow;
    },
    openTray: () => {
      if (!tray) throw new Error('There is no tray here.');
      const one = { menu: [] as MenuItemConstructorOptions[], tip: '', events: new EventEmitter(), destroyed: false };
      trays.push(one);
      return {
        setToolTip: (tip: string) => Object.assign(one, { tip }),
        setContextMenu: (menu: unknown) => Object.assign(one, { menu }),
        on: (name: string, listener: () => void) => one.events.on(name, listener),
        destroy: () => Object.assign(one, { destroyed: true }),
      } as unknown as ReturnType<ElectronPorts['openTray']>;
    },
    buildMenu: (template) => template as unknown as Menu,
    setApplicationMenu: (menu) => void menus.push(menu as unknown as MenuItemConstructorOptions[]),
  };
  const parts: DesktopParts = {
    electron,
    options: {
      headless: false,
      hidden: false,
      serviceUrl: 'https://share.example.com',
      apiKey: undefined,
      listen: { host: '127.0.0.1', port: 8090 },
      listenChosen: false,
      requireToken: false,
      dataDir,
      updateUrl: undefined,
      deepLink: null,
      ...given.options,
    },
    startAgent: (options) => {
      starts.push(options);
      return start ? start(options) : Promise.resolve(agent);
    },
    log: (line) => void did.push(line.trim()),
    complain: (line) => void did.push(`complaint: ${line.trim()}`),
    every: (_milliseconds, what) => {
      ticks.add(what);
      return () => ticks.delete(what);
    },
    openUpdater: async () => updater,
    preload: '/preload.cjs',
    ending: {
      diskCalls: async () => given.diskHangs === true,
      endProcess: () => void did.push('process ended'),
    },
    icon: '/icon.png',
    trayIcon: '/tray.png',
    platform,
    program: '/opt/Longshore/longshore',
    configHome: '/nowhere',
  };
  return {
    parts,
    events,
    did,
    windows,
    notifications,
    starts,
    menus,
    trays,
    handlers,
    power,
    theme,
    engine,
    tick: () => {
      for (const one of ticks) one();
    },
  };
}

/** Lets everything that is due happen. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
