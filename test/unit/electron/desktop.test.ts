import { EventEmitter } from 'node:events';
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { ListenError } from '#agent-api/listen-error.ts';
import { type DesktopParts, type ElectronPorts, runDesktop } from '#main/electron/desktop.ts';
import type { AgentOptions, RunningAgent } from '#main/headless.ts';

/** A window that is only remembered. */
class PaperWindow extends EventEmitter {
  readonly options: BrowserWindowConstructorOptions;
  readonly did: string[] = [];
  readonly webContents = { on: () => undefined, setWindowOpenHandler: () => undefined };
  minimized = false;

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
  isMinimized() {
    return this.minimized;
  }
  isDestroyed() {
    return false;
  }
}

interface Given {
  readonly first?: boolean;
  readonly headless?: boolean;
  readonly listenChosen?: boolean;
  readonly platform?: NodeJS.Platform;
  readonly start?: (options: AgentOptions) => Promise<RunningAgent>;
}

async function run({ first = true, headless = false, listenChosen = false, platform = 'linux', start }: Given = {}) {
  const events = new EventEmitter();
  const did: string[] = [];
  const windows: PaperWindow[] = [];
  const starts: AgentOptions[] = [];
  const agent = {
    url: 'http://127.0.0.1:8090',
    close: async () => {
      did.push('agent closed');
    },
  } as RunningAgent;
  const parts: DesktopParts = {
    electron: {
      app: Object.assign(events, {
        requestSingleInstanceLock: () => first,
        setPath: (name: string, path: string) => void did.push(`${name} ${path}`),
        whenReady: async () => {},
        quit: () => void did.push('quit'),
        exit: (code?: number) => void did.push(`exit ${code}`),
      }) as unknown as ElectronPorts['app'],
      ipcMain: { handle: () => undefined },
      dialog: {
        showErrorBox: (title: string, text: string) => void did.push(`box ${title}: ${text}`),
        showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
      },
      shell: { showItemInFolder: () => undefined },
      nativeTheme: { shouldUseDarkColors: false },
      defaultSession: () => ({
        setPermissionRequestHandler: () => undefined,
        setPermissionCheckHandler: () => undefined,
        setDevicePermissionHandler: () => undefined,
      }),
      openWindow(options) {
        const window = new PaperWindow(options);
        windows.push(window);
        return window as unknown as BrowserWindow;
      },
    },
    options: {
      headless,
      serviceUrl: 'https://share.example.com',
      apiKey: undefined,
      listen: { host: '127.0.0.1', port: 8090 },
      listenChosen,
      dataDir: '/data',
    },
    startAgent: (options) => {
      starts.push(options);
      return start ? start(options) : Promise.resolve(agent);
    },
    announce: (line) => void did.push(line.trim()),
    complain: (line) => void did.push(`complaint: ${line.trim()}`),
    preload: '/preload.cjs',
    icon: '/icon.png',
    platform,
  };
  await runDesktop(parts);
  return { events, did, windows, starts, agent };
}

const taken = () => new ListenError('127.0.0.1:8090', Object.assign(new Error('taken'), { code: 'EADDRINUSE' }));

describe('runDesktop', () => {
  it('starts the agent in its data folder and shows its page once it is painted', async () => {
    const { did, windows, starts } = await run();
    expect(starts).toEqual([
      { dataDir: '/data/agent', serviceUrl: 'https://share.example.com', apiKey: undefined, listen: { host: '127.0.0.1', port: 8090 } },
    ]);
    expect(did).toEqual(['userData /data/desktop', 'Longshore agent is ready at http://127.0.0.1:8090']);
    expect(windows).toHaveLength(1);
    expect(windows[0]!.options).toMatchObject({ show: false, webPreferences: { preload: '/preload.cjs' } });
    expect(windows[0]!.did).toEqual(['load http://127.0.0.1:8090']);
    windows[0]!.emit('ready-to-show');
    expect(windows[0]!.did).toContain('show');
  });

  it('leaves to the instance that is there already', async () => {
    const { did, starts } = await run({ first: false });
    expect(did).toContain('quit');
    expect(starts).toEqual([]);
  });

  it('brings its window back when it is started again', async () => {
    const { events, windows } = await run();
    windows[0]!.minimized = true;
    events.emit('second-instance');
    expect(windows[0]!.did.slice(1)).toEqual(['restore', 'focus']);
    windows[0]!.emit('closed');
    events.emit('activate');
    expect(windows).toHaveLength(2);
  });

  it('has no window when it is headless, and does not end for want of one', async () => {
    const { events, did, windows } = await run({ headless: true });
    events.emit('second-instance');
    events.emit('window-all-closed');
    expect(windows).toEqual([]);
    expect(did).not.toContain('quit');
  });

  it.each([
    ['linux', true],
    ['win32', true],
    ['darwin', false],
  ] as const)('on %s it quits with its last window: %s', async (platform, quits) => {
    const { events, did } = await run({ platform });
    events.emit('window-all-closed');
    expect(did.includes('quit')).toBe(quits);
  });

  it('closes the agent before it ends, once', async () => {
    const { events, did } = await run();
    let prevented = 0;
    const event = { preventDefault: () => (prevented += 1) };
    events.emit('before-quit', event);
    events.emit('before-quit', event);
    await new Promise((resolve) => setImmediate(resolve));
    expect(prevented).toBe(2);
    expect(did.slice(-2)).toEqual(['agent closed', 'exit 0']);
  });

  it('takes another port when the usual one is taken', async () => {
    const { starts, did } = await run({
      start: async ({ listen }) => {
        if (listen.port !== 0) throw taken();
        return { url: 'http://127.0.0.1:40000', close: async () => {} } as RunningAgent;
      },
    });
    expect(starts.map((one) => one.listen.port)).toEqual([8090, 0]);
    expect(did).toContain('Longshore agent is ready at http://127.0.0.1:40000');
  });

  it('says so when a port that was asked for is taken', async () => {
    const { did, starts } = await run({ listenChosen: true, start: () => Promise.reject(taken()) });
    expect(starts).toHaveLength(1);
    expect(did.slice(1)).toEqual([`box Longshore cannot start: ${taken().message}`, 'exit 1']);
  });

  it('says why it cannot start on stderr when it is headless', async () => {
    const { did } = await run({ headless: true, start: () => Promise.reject(new Error('The data folder is in use.')) });
    expect(did.slice(1)).toEqual(['complaint: The data folder is in use.', 'exit 1']);
  });
});
