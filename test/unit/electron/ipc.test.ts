import { describe, expect, it } from 'vitest';
import { channels } from '#main/electron/channels.ts';
import { answerPage, bridgeHandlers, type DesktopPorts, isOwnPage } from '#main/electron/ipc.ts';
import { desktopMessages } from '#main/electron/messages.ts';

const origin = 'http://127.0.0.1:8090';
type Event = Parameters<typeof isOwnPage>[0];
const from = (url: string, parent: unknown = null) => ({ senderFrame: { url, parent } }) as Event;

describe('isOwnPage', () => {
  it.each([
    ['our page', from(`${origin}/`), true],
    ['our page at a place in it', from(`${origin}/#transfers`), true],
    ['another port', from('http://127.0.0.1:8091/'), false],
    ['another scheme', from('https://127.0.0.1:8090/'), false],
    ['another host', from('http://localhost:8090/'), false],
    ['a host that begins like ours', from('http://127.0.0.1:8090.evil.example/'), false],
    ['a file', from('file:///etc/passwd'), false],
    ['an empty page', from('about:blank'), false],
    ['nothing that is an address', from(''), false],
    ['a frame inside our page', from(`${origin}/`, {}), false],
    ['a frame that is gone', { senderFrame: null } as Event, false],
  ])('%s', (_, event, expected) => {
    expect(isOwnPage(event, origin)).toBe(expected);
  });
});

function ports(answer: { canceled: boolean; filePaths: string[] }) {
  const asked: unknown[] = [];
  const shown: string[] = [];
  const batteries: unknown[] = [];
  const given: DesktopPorts = {
    openDialog: async (options) => {
      asked.push(options.properties);
      return answer;
    },
    showInFolder: (path) => shown.push(path),
    applySettings: () => undefined,
    noteBattery: (level) => batteries.push(level),
    messages: () => desktopMessages([]),
  };
  return { given, asked, shown, batteries };
}

describe('the bridge', () => {
  it('gives the chosen paths, or none after a change of mind', async () => {
    expect(await bridgeHandlers(ports({ canceled: false, filePaths: ['/a', '/b'] }).given).pickPaths()).toEqual(['/a', '/b']);
    expect(await bridgeHandlers(ports({ canceled: true, filePaths: [] }).given).pickPaths()).toEqual([]);
  });

  it('gives one folder, or null after a change of mind', async () => {
    const { given, asked } = ports({ canceled: false, filePaths: ['/media'] });
    expect(await bridgeHandlers(given).pickFolder()).toBe('/media');
    expect(asked).toEqual([['openDirectory', 'createDirectory']]);
    expect(await bridgeHandlers(ports({ canceled: true, filePaths: [] }).given).pickFolder()).toBeNull();
  });

  it('shows an absolute path in its folder', async () => {
    const { given, shown } = ports({ canceled: true, filePaths: [] });
    await bridgeHandlers(given).revealFolder('/media/incoming');
    expect(shown).toEqual(['/media/incoming']);
  });

  it.each([[undefined], [7], ['relative'], ['/with\0nul'], [`/${'x'.repeat(40_000)}`], [['/media']]])('refuses %j', async (path) => {
    const { given, shown } = ports({ canceled: true, filePaths: [] });
    await expect(bridgeHandlers(given).revealFolder(path)).rejects.toThrow(TypeError);
    expect(shown).toEqual([]);
  });
});

describe('reportBattery', () => {
  it.each([[0], [0.5], [1], [null]])('takes %j', async (level) => {
    const { given, batteries } = ports({ canceled: true, filePaths: [] });
    await bridgeHandlers(given).reportBattery(level);
    expect(batteries).toEqual([level]);
  });

  it.each([[-0.1], [1.1], ['0.5'], [undefined], [Number.NaN], [{}]])('refuses %j', async (level) => {
    const { given, batteries } = ports({ canceled: true, filePaths: [] });
    await expect(bridgeHandlers(given).reportBattery(level)).rejects.toThrow(TypeError);
    expect(batteries).toEqual([]);
  });
});

describe('answerPage', () => {
  it('answers every channel of the table, to our own page alone', async () => {
    const handlers = new Map<string, (event: Event, ...args: unknown[]) => Promise<unknown>>();
    const { given, shown } = ports({ canceled: true, filePaths: [] });
    answerPage({ handle: (channel, handler) => void handlers.set(channel, handler as never) }, origin, given);
    expect([...handlers.keys()].sort()).toEqual(Object.values(channels).sort());
    for (const handler of handlers.values()) {
      await expect(handler(from('https://evil.example/'), '/media')).rejects.toMatchObject({ code: 'foreign_sender' });
    }
    expect(shown).toEqual([]);
    await handlers.get(channels.revealFolder)!(from(`${origin}/`), '/media');
    expect(shown).toEqual(['/media']);
  });
});
