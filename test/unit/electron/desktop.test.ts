import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListenError } from '#agent-api/listen-error.ts';
import type { AgentListen } from '#agent-api/server.ts';
import { runDesktop } from '#main/electron/desktop.ts';
import type { RunningAgent } from '#main/headless.ts';
import { LateStopError } from '#net/stop-within.ts';
import { openPlace } from '#protocol/deep-link.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';
import { type FakeDesktopOptions, fakeDesktop, fakeShellEngine, settled } from '#test/support/engine/fake-electron.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-desktop-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(given: FakeDesktopOptions = {}) {
  const desktop = fakeDesktop({ dataDir: await mkdtemp(join(folder, 'data-')), ...given });
  await runDesktop(desktop.parts);
  await settled();
  return desktop;
}

const taken = () => new ListenError('127.0.0.1:8090', Object.assign(new Error('taken'), { code: 'EADDRINUSE' }));
const link = 'longshore://download?url=https%3A%2F%2Ffiles.example.com%2Fd%2F1%3Fsecret%3Dx';
const portOf = (listen: AgentListen) => ('port' in listen ? listen.port : null);
const page = 'http://127.0.0.1:8090/';

describe('runDesktop', () => {
  it('starts the agent in its data folder and shows its page once it is painted', async () => {
    const { did, windows, starts, parts } = await run();
    const { dataDir } = parts.options;
    expect(starts).toEqual([
      {
        dataDir: join(dataDir, 'agent'),
        serviceUrl: 'https://share.example.com',
        apiKey: undefined,
        listen: { host: '127.0.0.1', port: 8090 },
        requireToken: false,
      },
    ]);
    expect(did).toEqual([
      `userData ${join(dataDir, 'desktop')}`,
      'crashes {"uploadToServer":false}',
      'Longshore agent is ready at http://127.0.0.1:8090',
    ]);
    expect(windows).toHaveLength(1);
    expect(windows[0]!.options).toMatchObject({ show: false, width: 1100, webPreferences: { preload: '/preload.cjs' } });
    expect(windows[0]!.did).toEqual([`load ${page}`]);
    windows[0]!.emit('ready-to-show');
    expect(windows[0]!.did).toContain('show');
  });

  it('opens its window by an address that is good once, a new one each time, where the agent wants a token', async () => {
    const engine = fakeShellEngine();
    let issued = 0;
    const { windows, events, starts } = await run({
      options: { requireToken: true },
      start: async () =>
        ({
          url: 'http://127.0.0.1:8090',
          pageAddress: (place: string) => `http://127.0.0.1:8090/#/enter?code=${++issued}&to=${place}`,
          engine: engine.engine,
          close: async () => {},
        }) as unknown as RunningAgent,
    });
    expect(starts[0]).toMatchObject({ requireToken: true });
    windows[0]!.emit('closed');
    events.emit('activate');
    expect(windows.map(({ did }) => did[0])).toEqual([1, 2].map((code) => `load http://127.0.0.1:8090/#/enter?code=${code}&to=`));
  });

  it('leaves to the instance that is there already', async () => {
    const { did, starts } = await run({ first: false });
    expect(did).toContain('quit');
    expect(starts).toEqual([]);
  });

  it('brings its window back when it is started again', async () => {
    const { events, windows } = await run();
    windows[0]!.minimized = true;
    events.emit('second-instance', {}, ['longshore']);
    expect(windows[0]!.did.slice(1)).toEqual(['restore', 'show', 'focus']);
    windows[0]!.emit('closed');
    events.emit('activate');
    expect(windows).toHaveLength(2);
  });

  it('opens its window where it stood, as large as it was', async () => {
    const { windows, events } = await run();
    windows[0]!.emit('close');
    windows[0]!.emit('closed');
    events.emit('activate');
    expect(windows[1]!.options).toMatchObject({ x: 40, y: 50, width: 900, height: 700 });
    windows[1]!.emit('ready-to-show');
    expect(windows[1]!.did).toContain('maximize');
  });

  it('has neither window nor tray when it is headless, and does not end for want of one', async () => {
    const { events, did, windows, trays } = await run({ options: { headless: true } });
    events.emit('second-instance', {}, ['longshore', link]);
    events.emit('window-all-closed');
    expect([...windows, ...trays]).toEqual([]);
    expect(did).not.toContain('quit');
    expect(did.at(-1)).toMatch(/^complaint: A longshore:\/\/ address was not opened/);
  });

  it('has a tray and no window when it was started hidden, and opens one when asked', async () => {
    const { windows, trays } = await run({ options: { hidden: true } });
    expect(windows).toEqual([]);
    trays[0]!.events.emit('click');
    expect(windows).toHaveLength(1);
  });

  it('closes the agent before it ends, once', async () => {
    const { events, did, trays } = await run();
    let prevented = 0;
    const event = { preventDefault: () => (prevented += 1) };
    events.emit('before-quit', event);
    events.emit('before-quit', event);
    await settled();
    expect(prevented).toBe(2);
    expect(did.slice(-2)).toEqual(['agent closed', 'exit 0']);
    expect(trays[0]!.destroyed).toBe(true);
  });

  it.each([
    ['cannot be stopped', () => Promise.reject(new LateStopError('The transfer engine has not stopped within 9 s.')), false, 1],
    ['left calls behind that nobody waits for', async () => undefined, true, 0],
  ])('ends all the same where its disk hangs: the agent %s', async (_what, close, diskHangs, complaints) => {
    const { engine } = fakeShellEngine();
    const agent = { url: page, pageAddress: () => page, engine, close } as unknown as RunningAgent;
    const { events, did } = await run({ start: async () => agent, diskHangs });
    events.emit('before-quit', { preventDefault: () => undefined });
    await settled();
    // `exit` would wait for the threads that read files.
    expect(did).not.toContainEqual(expect.stringMatching(/^exit /));
    expect(did.at(-1)).toBe('process ended');
    expect(did.filter((line) => line.startsWith('complaint: The transfer engine'))).toHaveLength(complaints);
  });

  it('ends in order with what kept the agent from its end, where its disk answers', async () => {
    const { engine } = fakeShellEngine();
    const agent = { url: page, pageAddress: () => page, engine, close: () => Promise.reject(new Error('No room.')) };
    const { events, did } = await run({ start: async () => agent as unknown as RunningAgent });
    events.emit('before-quit', { preventDefault: () => undefined });
    await settled();
    expect(did.slice(-2)).toEqual(['complaint: No room.', 'exit 1']);
  });

  it('takes another port when the usual one is taken', async () => {
    const engine = fakeShellEngine();
    const { starts, did } = await run({
      start: async ({ listen }) => {
        if (portOf(listen) !== 0) throw taken();
        const url = 'http://127.0.0.1:40000';
        return {
          url,
          pageAddress: (place: string) => `${url}/${place}`,
          engine: engine.engine,
          close: async () => {},
        } as unknown as RunningAgent;
      },
    });
    expect(starts.map((one) => portOf(one.listen))).toEqual([8090, 0]);
    expect(did).toContain('Longshore agent is ready at http://127.0.0.1:40000');
  });

  it('says so when a port that was asked for is taken', async () => {
    const { did, starts } = await run({ options: { listenChosen: true }, start: () => Promise.reject(taken()) });
    expect(starts).toHaveLength(1);
    expect(did.slice(-2)).toEqual([`box Longshore cannot start: ${taken().message}`, 'exit 1']);
  });

  it('says why it cannot start on stderr when it is headless', async () => {
    const { did } = await run({ options: { headless: true }, start: () => Promise.reject(new Error('The data folder is in use.')) });
    expect(did.slice(-2)).toEqual(['complaint: The data folder is in use.', 'exit 1']);
  });
});

describe('a deep link', () => {
  it('that the app was started with stands in the page’s address, even when it starts hidden', async () => {
    const { windows } = await run({ options: { deepLink: link, hidden: true } });
    expect(windows[0]!.did).toEqual([`load ${page}${openPlace(link)}`]);
  });

  it('of a second start is handed to the page that stands', async () => {
    const { events, windows } = await run();
    windows[0]!.webContents.emit('did-finish-load');
    events.emit('second-instance', {}, ['longshore', '--allow-file-access', link]);
    expect(windows[0]!.did.slice(1)).toEqual(['show', 'focus', `send longshore:go ${openPlace(link)}`]);
  });

  it('of macOS waits for the window, where it comes first', async () => {
    const desktop = fakeDesktop({ dataDir: await mkdtemp(join(folder, 'data-')), platform: 'darwin' });
    const running = runDesktop(desktop.parts);
    let prevented = false;
    desktop.events.emit('open-url', { preventDefault: () => (prevented = true) }, link);
    await running;
    expect(prevented).toBe(true);
    expect(desktop.windows[0]!.did).toEqual([`load ${page}${openPlace(link)}`]);
  });

  it('is what a packaged app registers for, and no other', async () => {
    expect((await run({ packaged: true, platform: 'win32' })).did).toContain('scheme longshore');
    expect((await run({ platform: 'win32' })).did).not.toContain('scheme longshore');
  });
});

describe('without its window the app', () => {
  it.each([
    ['darwin', false, true, false],
    ['win32', false, true, false],
    ['win32', false, false, true],
    ['linux', false, true, true],
    ['linux', true, true, false],
    ['linux', true, false, true],
  ] as const)('on %s, something moving: %s, with a tray: %s, quits: %s', async (platform, moving, tray, quits) => {
    const engine = fakeShellEngine();
    if (moving) engine.moving.push(sampleTransfer());
    const { events, did, notifications } = await run({ platform, tray, engine });
    events.emit('window-all-closed');
    expect(did.includes('quit')).toBe(quits);
    const told = notifications.map((one) => one.options.title);
    expect(told).toEqual(quits || platform === 'darwin' ? [] : ['Longshore goes on']);
    events.emit('window-all-closed');
    expect(notifications).toHaveLength(told.length);
  });
});
