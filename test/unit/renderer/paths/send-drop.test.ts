import { describe, expect, it } from 'vitest';
import type { AgentClient } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import type { BrowserEntry } from '#renderer/paths/dropped.ts';
import { readEntries } from '#renderer/paths/drops/read-entries.ts';
import { createDropSender } from '#renderer/paths/drops/send-drop.ts';

/** An agent in memory; `fail` may throw before or after a request's bytes are taken. */
function fakeAgent(fail: (name: string, request: never, when: 'before' | 'after') => void = () => {}) {
  const files = new Map<string, string>();
  const calls: string[] = [];
  const call = async (name: string, request: { query?: { path: string; offset: number; size: number }; body?: unknown }) => {
    calls.push(name);
    fail(name, request as never, 'before');
    if (name === 'createDrop') return { id: 'd1', path: '/data/drops/d1/files', bytes: 0 };
    if (name === 'deleteDrop') return undefined;
    const { path, offset, size } = request.query!;
    if (name === 'getDroppedFile') return { bytes: files.get(path)?.length ?? 0, whole: false };
    const there = files.get(path) ?? '';
    if (there.length !== offset)
      throw AgentCallError.answered(409, JSON.stringify({ code: errorCatalogue.transfer_conflict.code, message: '' }));
    files.set(path, there + (await (request.body as Blob).text()));
    fail(name, request as never, 'after');
    return { bytes: files.get(path)!.length, whole: files.get(path)!.length === size };
  };
  return { client: { call } as unknown as Pick<AgentClient, 'call'>, files, calls };
}

const file = (name: string, text: string): BrowserEntry => ({
  isFile: true,
  isDirectory: false,
  name,
  file: (found) => found(new File([text], name, { lastModified: 0 })),
});
const folder = (name: string, entries: readonly BrowserEntry[]): BrowserEntry => ({
  isFile: false,
  isDirectory: true,
  name,
  createReader() {
    // As browsers do: some at a time, and none at the end.
    const left = [...entries];
    return { readEntries: (found) => found(left.splice(0, 2)) };
  },
});
const never = new AbortController().signal;
const options = (progress: number[] = []) => ({
  onProgress: (bytes: number) => void progress.push(bytes),
  sleep: async () => {},
  sliceBytes: 4,
});

describe('what a browser was given', () => {
  it('keeps what has one name and comes from several folders', async () => {
    const tree = await readEntries(
      [
        file('a.mov', '1'),
        folder('Day', [file('a.mov', '2')]),
        file('A.mov', '3'),
        file('a.mov', '4'),
        folder('day', []),
        file('a (2).mov', '5'),
      ],
      never,
    );
    expect(tree.tops).toEqual(['a.mov', 'Day', 'A (3).mov', 'a (4).mov', 'day (2)', 'a (2).mov']);
    expect(tree.files.map(({ path }) => path).sort()).toEqual(['A (3).mov', 'Day/a.mov', 'a (2).mov', 'a (4).mov', 'a.mov']);
    expect(tree.folders).toEqual(['day (2)']);
  });

  it('is read whole, with its empty folders', async () => {
    const tree = await readEntries(
      [folder('A', [file('1', 'x'), file('2', 'yy'), folder('B', [file('3', 'z')]), folder('C', [])]), file('n', '')],
      never,
    );
    expect(tree.files.map(({ path }) => path).sort()).toEqual(['A/1', 'A/2', 'A/B/3', 'n']);
    expect(tree).toMatchObject({ tops: ['A', 'n'], folders: ['A/C'], bytes: 4 });
  });

  it('is refused whole where a name in it fits in no package, or it cannot be read', async () => {
    await expect(readEntries([folder('A', [file('a:b', 'x')])], never)).rejects.toMatchObject({ kind: 'name', path: 'A/a:b' });
    const gone: BrowserEntry = { isFile: true, isDirectory: false, name: 'gone', file: (_, failed) => failed(new Error('gone')) };
    await expect(readEntries([folder('A', [gone])], never)).rejects.toMatchObject({ kind: 'unreadable', path: 'A/gone' });
  });

  it('is sent in slices, and its paths at the agent are told', async () => {
    const { client, files } = fakeAgent();
    const progress: number[] = [];
    const tree = await readEntries([folder('A', [file('1', '123456789'), file('empty', '')]), file('n', 'x')], never);
    expect(await createDropSender(client, tree, options(progress)).send(never)).toEqual([
      '/data/drops/d1/files/A',
      '/data/drops/d1/files/n',
    ]);
    expect([...files].sort()).toEqual([
      ['A/1', '123456789'],
      ['A/empty', ''],
      ['n', 'x'],
    ]);
    expect(progress.at(-1)).toBe(10);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  it('goes on at the agent’s own count after a connection broke', async () => {
    let breaks = 3;
    const { client, files, calls } = fakeAgent((name, _, when) => {
      if (name === 'putDroppedFile' && when === 'after' && breaks-- > 0) throw AgentCallError.offline(new Error('gone'));
    });
    const tree = await readEntries([file('n', '1234567890')], never);
    await createDropSender(client, tree, options()).send(never);
    expect(files.get('n')).toBe('1234567890');
    // Three slices, none of them twice, and the end asked once more.
    expect(calls.filter((one) => one === 'getDroppedFile')).toHaveLength(3);
  });

  it('gives up on an agent that stays away, and goes on from there when it is tried again', async () => {
    let away = true;
    const { client, files, calls } = fakeAgent((name, _, when) => {
      if (away && name !== 'createDrop' && calls.length > 2 && when === 'before') throw AgentCallError.offline(new Error('away'));
    });
    const sender = createDropSender(client, await readEntries([file('n', '1234567890')], never), options());
    await expect(sender.send(never)).rejects.toMatchObject({ kind: 'offline' });
    expect(files.get('n')).toBe('1234');
    away = false;
    await sender.send(never);
    expect(files.get('n')).toBe('1234567890');
    expect(calls.filter((one) => one === 'createDrop')).toHaveLength(1);
  });

  it('is not tried again where there is no room', async () => {
    const full = AgentCallError.answered(507, JSON.stringify({ code: errorCatalogue.drop_no_room.code, message: '' }));
    const { client, calls } = fakeAgent((name) => {
      if (name === 'createDrop') throw full;
    });
    await expect(createDropSender(client, await readEntries([file('n', 'x')], never), options()).send(never)).rejects.toBe(full);
    expect(calls).toEqual(['createDrop']);
  });

  it('is deleted at the agent when it is taken away', async () => {
    const stop = new AbortController();
    const { client, calls } = fakeAgent((name) => {
      if (name === 'putDroppedFile') stop.abort(new Error('cancelled'));
    });
    const sender = createDropSender(client, await readEntries([file('n', '1234567890')], never), options());
    const sending = sender.send(stop.signal);
    await expect(sending.then(() => stop.signal.throwIfAborted())).rejects.toThrow();
    sender.discard();
    expect(calls.at(-1)).toBe('deleteDrop');
  });
});
