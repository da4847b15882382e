import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channels } from '#main/electron/channels.ts';
import { runDesktop } from '#main/electron/desktop.ts';
import type { Updater } from '#main/electron/updates.ts';
import { AgentError } from '#protocol/errors.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';
import { type FakeDesktopOptions, fakeDesktop, fakeShellEngine, settled } from '#test/support/engine/fake-electron.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-shell-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(given: FakeDesktopOptions = {}) {
  const desktop = fakeDesktop({ dataDir: await mkdtemp(join(folder, 'data-')), ...given });
  await runDesktop(desktop.parts);
  await settled();
  const call = (channel: string, ...args: unknown[]): Promise<unknown> =>
    desktop.handlers.get(channel)!({ senderFrame: { url: 'http://127.0.0.1:8090/', parent: null } }, ...args);
  return { ...desktop, call };
}

const half = sampleTransfer({ bytes: 500, total_bytes: 1_000, bytes_per_second: 2_000_000 });

describe('tray and taskbar', () => {
  it('show how far everything is together, and are quiet when it is done', async () => {
    const { engine, trays, windows, tick } = await run();
    expect(trays[0]!.menu[0]).toMatchObject({ label: 'Nothing is being transferred', enabled: false });
    engine.emit({ type: 'transfer.added', transfer: half });
    engine.emit({ type: 'transfer.added', transfer: sampleTransfer({ id: 'other', bytes: 0, total_bytes: 1_000, bytes_per_second: 0 }) });
    await settled();
    tick();
    expect(trays[0]!.menu[0]).toMatchObject({ label: '2 transfers, 25 %' });
    expect(trays[0]!.tip).toBe('Longshore: 2 transfers, 25 %, 2.00 MB/s');
    expect(windows[0]!.progress).toBe(0.25);
    for (const id of ['other', half.id]) engine.emit({ type: 'transfer.removed', transfer_id: id });
    await settled();
    tick();
    expect(trays[0]!.tip).toBe('Longshore: Nothing is being transferred');
    expect(windows[0]!.progress).toBe(-1);
  });

  it.each([
    ['win32', 2],
    // There it would look full.
    ['linux', -1],
  ] as const)('have a bar without a share on %s while the total grows', async (platform, progress) => {
    const { engine, windows, tick } = await run({ platform });
    engine.emit({ type: 'transfer.added', transfer: { ...half, total_grows: true } });
    await settled();
    tick();
    expect(windows[0]!.progress).toBe(progress);
  });

  it('do not go back when one of several is complete', async () => {
    const { engine, windows, tick } = await run();
    const other = sampleTransfer({ id: 'other', bytes: 900, total_bytes: 1_000, bytes_per_second: 0 });
    for (const transfer of [half, other]) engine.emit({ type: 'transfer.added', transfer });
    await settled();
    tick();
    expect(windows[0]!.progress).toBe(0.7);
    engine.emit({ type: 'transfer.changed', transfer: { ...other, state: 'complete', bytes: 1_000 } });
    await settled();
    tick();
    expect(windows[0]!.progress).toBe(0.75);
    engine.emit({ type: 'transfer.changed', transfer: { ...half, state: 'complete', bytes: 1_000 } });
    engine.emit({ type: 'transfer.added', transfer: { ...half, id: 'next' } });
    await settled();
    tick();
    expect(windows[0]!.progress).toBe(0.5);
  });

  it('begin with what moved before, and read anew where events were lost', async () => {
    const engine = fakeShellEngine();
    engine.moving.push(half);
    const { trays, tick } = await run({ engine });
    tick();
    expect(trays[0]!.tip).toContain('1 transfer, 50 %');
    engine.moving.length = 0;
    engine.emit({ type: 'events.lost' });
    await settled();
    tick();
    expect(trays[0]!.tip).toBe('Longshore: Nothing is being transferred');
  });

  it('pause, resume, open, send, get and quit', async () => {
    const { engine, trays, tick, windows, did } = await run();
    const click = (label: string): void => {
      const entry = trays[0]!.menu.find((one) => one.label === label)!;
      (entry.click as () => void)();
    };
    click('Pause all transfers');
    engine.state.paused = true;
    tick();
    expect(trays[0]!.menu[0]!.label).toBe('All transfers are paused');
    click('Resume all transfers');
    expect(engine.did).toEqual(['pause all', 'resume all']);
    click('Open Longshore');
    expect(windows[0]!.did).toContain('focus');
    windows[0]!.webContents.emit('did-finish-load');
    click('Send files…');
    expect(windows[0]!.did.at(-1)).toBe('send longshore:go #/send');
    click('Get files…');
    expect(windows[0]!.did.at(-1)).toBe('send longshore:go #/get');
    click('Quit Longshore');
    expect(did).toContain('quit');
  });
});

describe('notifications', () => {
  it('tell of each end once, of a failure with its reason, and lead to it', async () => {
    const { engine, notifications, windows } = await run();
    windows[0]!.webContents.emit('did-finish-load');
    const change = (transfer: typeof half): void => engine.emit({ type: 'transfer.changed', transfer });
    change(half);
    change({ ...half, state: 'complete' });
    change({ ...half, state: 'complete', receipt: true });
    const download = sampleTransfer({ id: 'd/1', kind: 'download', state: 'queued', name: 'Plates <b>1</b>' });
    change(download);
    change({ ...download, state: 'error', error: { code: 1, message: 'The disk is full.', retryable: true } });
    change({ ...sampleTransfer({ id: 'x' }), state: 'queued' });
    change({ ...sampleTransfer({ id: 'x' }), state: 'cancelled' });
    change({ ...sampleTransfer({ id: 'old' }), state: 'complete' });
    await settled();
    expect(notifications.map(({ options }) => [options.title, options.body])).toEqual([
      ['Sent', half.name],
      ['Receiving failed', 'Plates ‹b›1‹/b›: The disk is full.'],
    ]);
    notifications[1]!.emit('click');
    expect(windows[0]!.did.at(-1)).toBe('send longshore:go #/transfers/d%2F1');
  });

  it('say why in the language of the settings', async () => {
    const { engine, notifications } = await run({ engine: fakeShellEngine({ language: 'de' }) });
    const { code, message } = new AgentError('path_not_found', { path: '/media/gone' });
    engine.emit({ type: 'transfer.changed', transfer: half });
    engine.emit({ type: 'transfer.changed', transfer: { ...half, state: 'error', error: { code, message, retryable: false } } });
    await settled();
    expect(notifications.map(({ options }) => [options.title, options.body])).toEqual([
      ['Senden fehlgeschlagen', `${half.name}: Unter /media/gone gibt es keine Datei und keinen Ordner.`],
    ]);
  });

  it('are not for people who look at the page already', async () => {
    const { engine, notifications, windows } = await run();
    const end = async (id: string): Promise<void> => {
      engine.emit({ type: 'transfer.added', transfer: { ...half, id } });
      engine.emit({ type: 'transfer.changed', transfer: { ...half, id, name: id, state: 'complete' } });
      await settled();
    };
    windows[0]!.focused = true;
    await end('seen');
    windows[0]!.focused = false;
    await end('behind another window');
    windows[0]!.focused = true;
    windows[0]!.emit('closed');
    await end('closed');
    expect(notifications.map(({ options }) => options.body)).toEqual(['behind another window', 'closed']);
  });

  it('are for people who want them', async () => {
    const { engine, notifications } = await run({ engine: fakeShellEngine({ notifications: false }) });
    engine.emit({ type: 'transfer.added', transfer: half });
    engine.emit({ type: 'transfer.changed', transfer: { ...half, state: 'complete' } });
    await settled();
    expect(notifications).toEqual([]);
  });
});

describe('sleep', () => {
  it('is held off while something moves, but not on a battery that is low or that nobody knows', async () => {
    const { engine, power, tick, call } = await run();
    const held = (): number => {
      tick();
      return power.held.size;
    };
    expect(held()).toBe(0);
    engine.emit({ type: 'transfer.added', transfer: half });
    await settled();
    expect([held(), held()]).toEqual([1, 1]);
    power.onBattery = true;
    expect(held()).toBe(0);
    await call(channels.reportBattery, 0.8);
    expect(held()).toBe(1);
    await call(channels.reportBattery, 0.19);
    expect(held()).toBe(0);
    power.onBattery = false;
    expect(held()).toBe(1);
    engine.emit({ type: 'transfer.changed', transfer: { ...half, state: 'paused' } });
    await settled();
    expect(held()).toBe(0);
  });
});

describe('settings', () => {
  it('are followed at the start and when the page says that they changed', async () => {
    const { engine, theme, trays, menus, call } = await run({ engine: fakeShellEngine({ appearance: 'dark' }) });
    expect(theme.themeSource).toBe('dark');
    expect(menus[0]!.map((one) => one.label)).toEqual(['File', 'Edit', 'View', 'Help']);
    engine.state.settings = { ...engine.state.settings, appearance: 'light', language: 'de-AT' };
    await call(channels.applySettings);
    expect(theme.themeSource).toBe('light');
    expect(menus.at(-1)!.map((one) => one.label)).toEqual(['Datei', 'Bearbeiten', 'Ansicht', 'Hilfe']);
    expect(trays[0]!.menu[0]!.label).toBe('Nichts wird übertragen');
  });

  it('put the packaged app among those that start at log-in, hidden, and take it away', async () => {
    const configHome = await mkdtemp(join(folder, 'config-'));
    const desktop = fakeDesktop({ dataDir: configHome, packaged: true, engine: fakeShellEngine({ start_at_login: true }) });
    await runDesktop({ ...desktop.parts, configHome });
    const file = join(configHome, 'autostart/longshore.desktop');
    expect(await readFile(file, 'utf8')).toContain('Exec="/opt/Longshore/longshore" --hidden\n');
    desktop.engine.state.settings = { ...desktop.engine.state.settings, start_at_login: false };
    const handler = desktop.handlers.get(channels.applySettings)!;
    await handler({ senderFrame: { url: 'http://127.0.0.1:8090/', parent: null } });
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const mac = await run({ packaged: true, platform: 'darwin', engine: fakeShellEngine({ start_at_login: true }) });
    expect(mac.did).toContain('login {"openAtLogin":true,"path":"/opt/Longshore/longshore","args":["--hidden"]}');
  });

  it('are followed whoever changes them: another page, or a program by the API', async () => {
    const configHome = await mkdtemp(join(folder, 'config-'));
    const desktop = fakeDesktop({ dataDir: configHome, packaged: true });
    await runDesktop({ ...desktop.parts, configHome });
    await settled();
    const { engine, theme, menus, notifications } = desktop;
    const set = async (change: Partial<typeof engine.state.settings>): Promise<void> => {
      engine.state.settings = { ...engine.state.settings, ...change };
      engine.emit({ type: 'settings.changed', settings: engine.state.settings });
      await settled();
    };
    await set({ start_at_login: true, appearance: 'dark', language: 'de' });
    expect(await readFile(join(configHome, 'autostart/longshore.desktop'), 'utf8')).toContain('--hidden');
    expect(theme.themeSource).toBe('dark');
    expect(menus.at(-1)!.map((one) => one.label)).toEqual(['Datei', 'Bearbeiten', 'Ansicht', 'Hilfe']);
    const menusThen = menus.length;
    await set({ notifications: false, history_days: 1 });
    engine.emit({ type: 'transfer.changed', transfer: half });
    engine.emit({ type: 'transfer.changed', transfer: { ...half, state: 'complete' } });
    await set({ start_at_login: false });
    expect(notifications).toEqual([]);
    await expect(readFile(join(configHome, 'autostart/longshore.desktop'))).rejects.toMatchObject({ code: 'ENOENT' });
    // What the desktop does nothing for has built no menu anew.
    expect(menus.length).toBe(menusThen + 1);
    engine.state.settings = { ...engine.state.settings, appearance: 'light' };
    engine.emit({ type: 'events.lost' });
    await settled();
    expect(theme.themeSource).toBe('light');
  });

  it('that the system refuses are told to the page that asks, and tried again', async () => {
    const refusing = { fail: true };
    const desktop = fakeDesktop({ dataDir: await mkdtemp(join(folder, 'data-')), packaged: true, platform: 'darwin' });
    Object.assign(desktop.parts.electron.app, {
      setLoginItemSettings: () => {
        if (refusing.fail) throw new Error('The system refuses.');
        desktop.did.push('login');
      },
    });
    await runDesktop(desktop.parts);
    await settled();
    const ask = () => desktop.handlers.get(channels.applySettings)!({ senderFrame: { url: 'http://127.0.0.1:8090/', parent: null } });
    expect(desktop.did).toContain('complaint: The system refuses.');
    await expect(ask()).rejects.toThrow('The system refuses.');
    refusing.fail = false;
    await ask();
    expect(desktop.did.at(-1)).toBe('login');
  });

  it('leave the system alone while the app runs from a checkout', async () => {
    const { did } = await run({ platform: 'darwin', engine: fakeShellEngine({ start_at_login: true }) });
    expect(did.filter((line) => line.startsWith('login'))).toEqual([]);
  });
});

describe('updates', () => {
  it('are looked for now and again, and told of when one is ready', async () => {
    const listeners = new Map<string, (given: never) => void>();
    const asked: unknown[] = [];
    const updater: Updater = {
      autoDownload: false,
      autoInstallOnAppQuit: false,
      allowDowngrade: true,
      on: (event: string, listener: never) => listeners.set(event, listener),
      setFeedURL: (feed) => void asked.push(feed),
      checkForUpdates: async () => {
        asked.push('look');
        throw new Error('The place does not answer.');
      },
    };
    const { notifications, did, tick } = await run({ updater, options: { updateUrl: 'https://builds.example.com' } });
    expect(asked).toEqual([{ provider: 'generic', url: 'https://builds.example.com' }, 'look']);
    tick();
    expect(asked).toHaveLength(3);
    expect([updater.autoInstallOnAppQuit, updater.allowDowngrade]).toEqual([true, false]);
    listeners.get('error')!(new Error('The place does not answer.') as never);
    expect(did.at(-1)).toBe('complaint: The place does not answer.');
    listeners.get('update-downloaded')!({ version: '0.2.0' } as never);
    expect(notifications.map((one) => one.options.body)).toEqual(['Version 0.2.0 is installed when you quit Longshore.']);
  });
});

describe('a page that dies', () => {
  it('is loaded again three times in a minute, then left, and the person is told', async () => {
    const { windows, did } = await run();
    const contents = windows[0]!.webContents;
    for (let death = 0; death < 5; death += 1) contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 11 });
    expect(windows[0]!.did.filter((one) => one.startsWith('load'))).toHaveLength(1 + 3);
    expect(did.filter((line) => line.startsWith('box Longshore’s page ends again and again'))).toHaveLength(2);
    contents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 });
    expect(
      did.filter((line) => line.startsWith('complaint: The window’s process ended') || line.includes("window's process ended")),
    ).toHaveLength(5);
  });

  it('and helpers that die are written down', async () => {
    const { events, did } = await run();
    events.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 5 });
    events.emit('child-process-gone', {}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 });
    expect(did.filter((line) => line.startsWith('complaint'))).toEqual(['complaint: A helper process ended: GPU, crashed, exit code 5.']);
  });
});
