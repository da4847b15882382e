import { mkdir, mkdtemp, realpath, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDropped } from '#engine/folders/find-dropped.ts';
import { measurePaths } from '#engine/folders/measure.ts';
import { listPlaces } from '#engine/folders/places.ts';
import { allowedPath } from '#engine/folders/roots.ts';
import { lateUploadSpeed } from '#engine/transfer/late-speed.ts';
import type { TransferRecord } from '#engine/transfer/record.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';

let folder: string;
const { signal } = new AbortController();
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'longshore-choosing-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(folder, ...parts);
async function file(path: string, size: number): Promise<string> {
  await writeFile(path, '');
  await truncate(path, size);
  return path;
}

describe('measuring what was chosen', () => {
  beforeEach(async () => {
    await mkdir(at('A001/clips'), { recursive: true });
    await file(at('A001/clips/one.mov'), 3_000_000_000);
    await file(at('A001/two.mov'), 500);
    await file(at('notes.txt'), 12);
  });

  it('counts files and bytes, of folders and of files', async () => {
    expect(await measurePaths([at('A001'), at('notes.txt')], { signal })).toEqual({
      paths: [
        { path: at('A001'), kind: 'directory', files: 2, bytes: 3_000_000_500, error: null },
        { path: at('notes.txt'), kind: 'file', files: 1, bytes: 12, error: null },
      ],
      files: 3,
      bytes: 3_000_000_512,
      unreadable: 0,
      complete: true,
    });
  });

  it('says of one that is not there why, and counts the others', async () => {
    const { paths, files } = await measurePaths([at('gone'), 'relative', at('A001')], { signal });
    expect(paths.map(({ kind, error }) => [kind, error?.message ?? ''])).toEqual([
      ['none', expect.stringContaining(at('gone'))],
      ['none', expect.stringContaining('relative')],
      ['directory', ''],
    ]);
    expect(files).toBe(2);
  });

  it('ends at its bounds, and says so', async () => {
    expect(await measurePaths([at('A001')], { signal, mostEntries: 1 })).toMatchObject({ files: 1, complete: false });
    let now = 0;
    const slow = await measurePaths([at('A001'), at('notes.txt')], { signal, now: () => (now += 5_000) });
    expect(slow).toMatchObject({ complete: false });
    expect(slow.paths).toHaveLength(2);
  });

  it('ends when nobody waits for it', async () => {
    const stop = new AbortController();
    stop.abort(new Error('gone'));
    await expect(measurePaths([at('A001')], { signal: stop.signal })).rejects.toThrow('gone');
  });

  it('tells nothing of what may not be seen', async () => {
    const guard = (path: string): string => allowedPath(path, [at('A001')]);
    const { paths, bytes } = await measurePaths([at('notes.txt'), at('A001/two.mov')], { signal, guard });
    expect(paths.map(({ kind }) => kind)).toEqual(['none', 'file']);
    expect(bytes).toBe(500);
  });
});

describe('finding what was dropped', () => {
  const time = new Date('2026-11-19T17:40:00.123Z');
  beforeEach(async () => {
    await mkdir(at('media/day/A001/clips'), { recursive: true });
    await file(at('media/day/one.mov'), 700);
    await utimes(at('media/day/one.mov'), time, time);
    await file(at('media/day/A001/clips/two.mov'), 900);
    await file(at('outside.mov'), 5);
  });
  const dropped = (change: object = {}) =>
    ({ kind: 'file', name: 'one.mov', size: 700, last_modified: time.toISOString(), ...change }) as const;
  const find = (entries: Parameters<typeof findDropped>[0], more = {}) => findDropped(entries, { allowed: [at('media')], signal, ...more });

  it('knows a file by name, size and time', async () => {
    expect(await find([dropped(), dropped({ size: 701 }), dropped({ last_modified: '2026-11-19T17:40:00.124Z' })])).toEqual({
      paths: [at('media/day/one.mov'), null, null],
      complete: true,
    });
  });

  it('knows a folder by its name and what is in it', async () => {
    const whole = { kind: 'directory' as const, name: 'A001', files: [{ path: 'clips/two.mov', size: 900 }] };
    expect((await find([whole, { ...whole, files: [{ path: 'clips/two.mov', size: 901 }] }])).paths).toEqual([at('media/day/A001'), null]);
  });

  it('looks, and tells, in the allowed folders alone', async () => {
    await symlink(at('outside.mov'), at('media/day/A001/link.mov'));
    const files = [
      { path: '../../../outside.mov', size: 5 },
      { path: 'link.mov', size: 5 },
    ];
    const entries = files.map((one) => ({ kind: 'directory' as const, name: 'A001', files: [one] }));
    expect((await find(entries)).paths).toEqual([null, null]);
    expect((await find([dropped()], { allowed: [at('media/day/A001')] })).paths).toEqual([null]);
  });

  it('stops at its bounds', async () => {
    expect(await find([dropped({ size: 1 })], { mostEntries: 2 })).toEqual({ paths: [null], complete: false });
  });
});

describe('places', () => {
  it('are each told once, as what they are first', async () => {
    await mkdir(at('home/work'), { recursive: true });
    const places = (restricted: boolean) =>
      listPlaces({
        allowed: [at('home/work')],
        recent: [at('home/work'), at('home'), at('gone'), folder],
        restricted,
        home: at('home'),
        user: 'nobody-here',
        platform: 'linux',
        fileSystem: { ...nodeFileSystem, list: () => [] },
      });
    expect(await places(false)).toEqual([
      { path: at('home'), kind: 'home', allowed: false },
      { path: at('home/work'), kind: 'allowed', allowed: true },
      { path: folder, kind: 'recent', allowed: false },
    ]);
    expect(await places(true)).toEqual([{ path: at('home/work'), kind: 'allowed', allowed: true }]);
  });

  it('are mounted drives where another disk begins', async () => {
    const disks: Record<string, number> = { '/media': 1, '/media/CARD': 7, '/media/empty': 1 };
    const fileSystem = {
      ...nodeFileSystem,
      list: (path: string) => (path === '/media' ? ['CARD', 'empty'] : []),
      stat: (path: string) => (path in disks ? { dev: disks[path], isDirectory: () => true } : null) as never,
      realPath: (path: string) => path,
      space: () => ({ total: 100, free: 40, type: 0 }),
    };
    const places = await listPlaces({
      allowed: ['/media/CARD'],
      recent: [],
      restricted: false,
      home: '/none',
      user: 'mia',
      platform: 'linux',
      fileSystem,
    });
    expect(places).toEqual([{ path: '/media/CARD', kind: 'volume', allowed: true, free_bytes: 40 }]);
  });
});

it('the speed of late is that of the last uploads while they moved', () => {
  const upload = (id: string, totalBytes: number, elapsed: number, waiting: number) =>
    [id, { id, kind: 'upload', totalBytes, timeSpent: { elapsed, waiting } } as unknown as TransferRecord] as const;
  const records = new Map([upload('a', 100_000_000, 11_000, 1_000), upload('b', 300_000_000, 10_000, 0), upload('small', 10, 9_000, 0)]);
  const lists = { page: () => [...records.keys(), 'gone'] };
  expect(lateUploadSpeed({ lists, find: (id) => records.get(id) ?? null })).toBe(20_000_000);
  expect(lateUploadSpeed({ lists: { page: () => ['small'] }, find: (id) => records.get(id) ?? null })).toBeNull();
});
