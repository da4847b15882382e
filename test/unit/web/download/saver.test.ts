import { blake3 } from '@napi-rs/blake-hash';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import type { File as ListedFile } from '#protocol/hosted/files.ts';
import { type MemoryFolder, memoryFolder } from '#test/support/browser/in-memory-folder.ts';
import type { DownloadClient } from '#web/download/api.ts';
import { createHashers } from '#web/download/save/hashers.ts';
import type { SaveProgress } from '#web/download/save/messages.ts';
import type { NotedFile, SaveNotes } from '#web/download/save/notes.ts';
import { createSaver } from '#web/download/save/saver.ts';

const chunkSize = 4;
const hash = (bytes: Uint8Array): Buffer => blake3(Buffer.from(bytes));

function listed(whole: string, content: string, change: Partial<ListedFile> = {}): ListedFile {
  const slash = whole.lastIndexOf('/');
  const bytes = Buffer.from(content);
  const chunks: Buffer[] = [];
  for (let at = 0; at < Math.max(1, bytes.length); at += chunkSize) chunks.push(hash(bytes.subarray(at, at + chunkSize)));
  return {
    id: whole,
    kind: 'file',
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    last_modified: '2026-11-20T18:04:11.000Z',
    size: bytes.length,
    chunk_size: chunkSize,
    digest: `blake3:${hash(Buffer.concat(chunks)).toString('hex')}`,
    virus_detected: false,
    ...change,
  };
}

function memoryNotes(): SaveNotes & { readonly saved: Map<string, NotedFile> } {
  const noted = new Map<string, NotedFile>();
  return {
    saved: noted,
    save: async () => null,
    files: async () => new Map(noted),
    putSave: async () => undefined,
    putFile: async (file) => void noted.set(file.fileId, file),
    dropFile: async (_, id) => void noted.delete(id),
    drop: async () => noted.clear(),
    isPersistent: () => true,
  };
}

/** A package of these contents, and a browser that saves it. */
function stage(contents: Readonly<Record<string, string>>, records?: readonly ListedFile[], folder: MemoryFolder = memoryFolder()) {
  const asked: string[] = [];
  const told: SaveProgress[] = [];
  const notes = memoryNotes();
  const faults: { api: HostedErrorName | null; storage: (() => Response | Error) | null; onSleep: () => void } = {
    api: null,
    storage: null,
    onSleep: () => undefined,
  };
  const api = {
    baseUrl: 'https://x.example',
    as: () => api,
    async call(_: string, { params }: { params: { file_id: string } }) {
      if (faults.api) throw new ServiceError(faults.api, {}, { answered: 403 });
      return { method: 'GET', url: `https://storage.example/${params.file_id}` };
    },
  } as unknown as DownloadClient;
  const fetcher = (async (input: string, { headers }: { headers: { range: string } }) => {
    const fault = faults.storage?.();
    if (fault instanceof Error) throw fault;
    if (fault) return fault;
    const name = input.replace('https://storage.example/', '');
    const [from, to] = headers.range.replace('bytes=', '').split('-').map(Number);
    asked.push(`${name} ${from}`);
    return new Response(Buffer.from(contents[name]!).subarray(from!, to! + 1), { status: 206 });
  }) as unknown as typeof fetch;
  const all = records ?? Object.entries(contents).map(([path, content]) => listed(path, content));
  const begin = () =>
    createSaver(
      {
        api,
        fetcher,
        notes,
        hashers: createHashers(),
        gate: pLimit(5),
        sleep: async (_, signal) => {
          faults.onSleep();
          signal.throwIfAborted();
        },
        random: () => 0.5,
        now: () => 0,
        online: () => true,
        onProgress: (progress) => told.push(progress),
      },
      { linkId: 'l1', packageId: 'p1', baseUrl: 'https://x.example', tokens: ['t'], folder: folder.handle, records: all },
    );
  return { begin, folder, notes, asked, faults, last: () => told.at(-1)!, told };
}

const contents = { 'a/one.txt': 'one of them', 'a/b/two.txt': 'two', 'none.txt': '' };

describe('saving a package', () => {
  it('writes every file into its folder, and leaves no notes', async () => {
    const { begin, folder, notes, last } = stage(contents, [
      ...Object.entries(contents).map(([path, content]) => listed(path, content)),
      listed('empty', '', { kind: 'directory' }),
      listed('all.zip', '', { kind: 'zip_mac' }),
    ]);
    await (await begin()).run();
    expect(folder.contents()).toEqual({ ...contents, 'empty/': '' });
    expect(last()).toMatchObject({ phase: { kind: 'done' }, files: 3, totalFiles: 3, bytes: 14, totalBytes: 14, failed: [], unchecked: 0 });
    expect(notes.saved.size).toBe(0);
  });

  it('writes over nothing, and fetches nothing that is there', async () => {
    const { begin, folder, asked, last } = stage({ 'same.txt': 'the same', 'other.txt': 'ours', 'size.txt': 'this' });
    folder.put('same.txt', 'the same');
    folder.put('other.txt', 'somebody else’s');
    folder.put('size.txt', 'that');
    await (await begin()).run();
    expect(folder.contents()).toEqual({
      'same.txt': 'the same',
      'other.txt': 'somebody else’s',
      'other (2).txt': 'ours',
      'size.txt': 'that',
      'size (2).txt': 'this',
    });
    expect(last()).toMatchObject({ phase: { kind: 'done' }, renamed: 2 });
    expect(asked.sort()).toEqual(['other.txt 0', 'size.txt 0']);
  });

  it('is through when only what has a virus is left', async () => {
    const { begin, folder, notes, last } = stage({ 'a.txt': 'a', 'ill.txt': 'ill' }, [
      listed('a.txt', 'a'),
      listed('ill.txt', 'ill', { virus_detected: true }),
    ]);
    await (await begin()).run();
    expect(folder.contents()).toEqual({ 'a.txt': 'a' });
    expect(last()).toMatchObject({ phase: { kind: 'done' }, failed: [{ path: 'ill.txt', fault: 'virus' }] });
    expect(notes.saved.size).toBe(0);
  });

  it('says what came without a digest', async () => {
    const { begin, last } = stage({ 'a.txt': 'a' }, [listed('a.txt', 'a', { digest: undefined as unknown as string })]);
    await (await begin()).run();
    expect(last()).toMatchObject({ phase: { kind: 'done' }, unchecked: 1 });
  });

  it('tries again what passes by itself, however often', async () => {
    const { begin, folder, faults, last } = stage({ 'a.txt': 'a' });
    let failures = 0;
    faults.storage = () =>
      ++failures < 20 ? new TypeError('Failed to fetch') : failures < 30 ? new Response('', { status: 503 }) : (null as never);
    await (await begin()).run();
    expect(folder.contents()).toEqual({ 'a.txt': 'a' });
    expect(last()).toMatchObject({ phase: { kind: 'done' }, bytes: 1 });
    expect(failures).toBeGreaterThan(29);
  });

  it('never counts back while what was lost comes again', async () => {
    const { begin, faults, told, last } = stage({ 'long.txt': '0123456789ab' });
    let answers = 0;
    // Of each range some comes, less each time, and the line breaks.
    faults.storage = () => {
      saver.tell();
      if (++answers > 9) return null as never;
      const pieces = [answers <= 3 ? '012' : '0', null];
      return new Response(
        new ReadableStream({
          pull(controller) {
            const piece = pieces.shift();
            if (piece) controller.enqueue(Buffer.from(piece));
            else controller.error(new TypeError('network error'));
          },
        }),
        { status: 206 },
      );
    };
    const saver = await begin();
    await saver.run();
    const counted = told.map(({ bytes }) => bytes);
    expect(counted).toEqual(counted.toSorted((a, b) => a - b));
    expect(counted).toContain(6);
    expect(last()).toMatchObject({ phase: { kind: 'done' }, bytes: 12 });
  });

  it('keeps what came before a pause, in another visit too', async () => {
    const { begin, folder, notes, asked, faults, last } = stage({ 'long.txt': '0123456789ab' });
    const saver = await begin();
    let answers = 0;
    // The first range comes; then the line is dead, and the person pauses.
    faults.storage = () => (++answers === 1 ? (null as never) : new TypeError('Failed to fetch'));
    faults.onSleep = () => saver.pause();
    await saver.run();
    expect(last()).toMatchObject({ phase: { kind: 'paused' }, bytes: 4, files: 0 });
    expect([...notes.saved.get('long.txt')!.ranges.keys()]).toEqual([0]);
    faults.storage = null;
    const later = await begin();
    later.tell();
    expect(last()).toMatchObject({ bytes: 4 });
    await later.run();
    expect(last()).toMatchObject({ phase: { kind: 'done' }, bytes: 12 });
    expect(folder.contents()).toEqual({ 'long.txt': '0123456789ab' });
    expect(asked.sort()).toEqual(['long.txt 0', 'long.txt 4', 'long.txt 8']);
  });

  it('fetches a range again that no longer lies there as it was noted', async () => {
    const { begin, folder, notes, asked } = stage({ 'long.txt': '01234567' });
    folder.put('long.txt', 'xxxx4567');
    const ranges = new Map(
      [0, 1].map((index) => [index, hash(Buffer.from('01234567').subarray(index * 4, index * 4 + 4)).toString('hex')]),
    );
    notes.saved.set('long.txt', { linkId: 'l1', fileId: 'long.txt', name: 'long.txt', ranges, whole: null });
    await (await begin()).run();
    expect(folder.contents()).toEqual({ 'long.txt': '01234567' });
    expect(asked).toEqual(['long.txt 0']);
  });

  it('leaves behind what fails alone, and brings it when told', async () => {
    const wrong = listed('bad.txt', 'other bytes', { size: 3 });
    const records = [listed('good.txt', 'good'), wrong, listed('program.lnk', 'x'), listed('ill.txt', 'ill', { virus_detected: true })];
    const { begin, folder, faults, last } = stage({ 'good.txt': 'good', 'bad.txt': 'bad', 'program.lnk': 'x', 'ill.txt': 'ill' }, records);
    const saver = await begin();
    await saver.run();
    expect(folder.contents()).toEqual({ 'good.txt': 'good' });
    expect(last().phase).toEqual({ kind: 'done' });
    expect(
      last()
        .failed.map(({ path, fault }) => [path, fault])
        .sort(),
    ).toEqual([
      ['bad.txt', 'damaged'],
      ['ill.txt', 'virus'],
      ['program.lnk', 'name'],
    ]);
    faults.storage = () => new Response('<Error><Code>NoSuchKey</Code></Error>', { status: 404 });
    await saver.run();
    expect(last().failed.find(({ path }) => path === 'bad.txt')).toMatchObject({ fault: 'missing' });
  });

  it.each([
    ['full', new DOMException('', 'QuotaExceededError')],
    ['refused', new DOMException('', 'NotAllowedError')],
    ['gone', new DOMException('', 'NotFoundError')],
  ] as const)('stops when the disk says %s, and goes on afterwards', async (why, trouble) => {
    const { begin, folder, last } = stage(contents);
    const saver = await begin();
    folder.trouble = trouble;
    await saver.run();
    expect(last().phase).toEqual({ kind: 'halted', why });
    folder.trouble = null;
    await saver.run();
    expect(last().phase).toEqual({ kind: 'done' });
    expect(folder.contents()).toEqual(contents);
  });

  it.each([
    ['link_inactive', 'expired'],
    ['link_used_up', 'credential'],
  ] as const)('stops when the service says %s', async (error, why) => {
    const { begin, faults, last } = stage(contents);
    faults.api = error;
    await (await begin()).run();
    expect(last().phase).toEqual({ kind: 'halted', why });
  });
});
