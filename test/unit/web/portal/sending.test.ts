import { describe, expect, it } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { takeLock } from '#web/common/locks.ts';
import { createSpeed } from '#web/common/speed.ts';
import { readFailure } from '#web/sending/chunk-sender.ts';
import { fromInput } from '#web/sending/files/read-entries.ts';
import { countMoves, fromStored, type Item } from '#web/sending/item.ts';
import { createProgress } from '#web/sending/progress.ts';
import type { StoredFile } from '#web/sending/store.ts';
import { findAgain } from '#web/sending/unfinished.ts';

const stored = (change: Partial<StoredFile> = {}): StoredFile => ({
  package: 'p1',
  index: 0,
  kind: 'file',
  path: 'A001/audio',
  name: 't1.wav',
  size: 25,
  lastModified: 5,
  root: null,
  finalized: false,
  digest: '',
  ...change,
});
const begun = { fileId: 'f', chunkChecksum: 'blake3', chunkSize: 10, uploadId: 'u' } as const;
const chunk = { etag: 'b3-x', blake3: 'x' };
const chosen = (path: string, text: string, lastModified = 5) => {
  const file = new File([text], path.split('/').at(-1)!, { lastModified });
  Object.defineProperty(file, 'webkitRelativePath', { value: path.includes('/') ? path : '' });
  return file;
};

describe('a file of an earlier visit', () => {
  it.each<[string, Partial<StoredFile>, number[], Item['state'], number]>([
    ['is missing', {}, [], 'missing', 0],
    ['is missing where only its record was made', { ...begun, uploadId: undefined, createBlueprint: null }, [], 'missing', 0],
    ['is missing in part', begun, [0, 2], 'missing', 15],
    ['has only to be finalized', begun, [0, 1, 2], 'waiting', 25],
    ['is through', { finalized: true }, [], 'sent', 25],
    ['is empty and needs nothing', { size: 0 }, [], 'waiting', 0],
    ['is a folder and needs nothing', { kind: 'directory', size: 0 }, [], 'waiting', 0],
  ])('%s', (_, change, chunks, state, sent) => {
    expect(fromStored(stored(change), new Map(chunks.map((index) => [index, chunk])))).toMatchObject({ state, sent });
  });

  it('is found by its path, or by the end of it where nothing else fits', () => {
    const item = (index: number, path: string, name: string) => fromStored(stored({ index, path, name, size: 2 }), undefined);
    const items = [
      item(0, 'A001/audio', 't1.wav'),
      item(1, 'A001/audio', 't2.wav'),
      item(2, 'B001', 't2.wav'),
      item(3, 'A001', 'gone.mov'),
    ];
    const found = (files: File[]) => [...findAgain(items, fromInput(files).entries).keys()].map(({ index }) => index);
    expect(found([chosen('A001/audio/t1.wav', 'ab'), chosen('other.txt', 'ab')])).toEqual([0]);
    expect(found([chosen('audio/t1.wav', 'ab')])).toEqual([0]);
    expect(found([chosen('t1.wav', 'ab')])).toEqual([0]);
    // Of two that fit none is taken, and a part of a path only where size and time are the same.
    expect(found([chosen('t2.wav', 'ab')])).toEqual([]);
    expect(found([chosen('t1.wav', 'abc')])).toEqual([]);
    expect(found([chosen('t1.wav', 'ab', 6)])).toEqual([]);
    // By its whole path it is found though it has changed: it is sent anew.
    expect(found([chosen('A001/audio/t1.wav', 'abc')])).toEqual([0]);
  });
});

it('counts no byte twice, and none back: of an attempt only what is past those before', () => {
  const item = { sent: 20 };
  let moves = 0;
  const attempt = () => countMoves(item, () => moves++);
  const first = attempt();
  // What was confirmed at an earlier visit, and more.
  for (const count of [20, 30, 30]) first(count);
  expect([item.sent, moves]).toEqual([80, 2]);
  first(-30);
  const second = attempt();
  for (const count of [50, 30]) second(count);
  expect([item.sent, moves]).toEqual([80, 2]);
  second(20);
  expect([item.sent, moves]).toEqual([100, 3]);
});

describe('a read that a browser refuses', () => {
  it.each([
    ['NotFoundError', 'source_gone'],
    ['NotReadableError', 'file_changed'],
    ['NotAllowedError', 'source_unreadable'],
    ['SecurityError', 'source_unreadable'],
  ])('%s is %s', (name, code) => {
    const failure = readFailure(new DOMException('', name), 'a.mov');
    expect(failure).toBeInstanceOf(TransferError);
    expect((failure as TransferError).code).toBe(code);
  });
  it('is itself where it is none of those', () => {
    const other = new Error('other');
    expect(readFailure(other, 'a.mov')).toBe(other);
  });
});

describe('a speed', () => {
  it('is told from the last seconds, and begins anew after a pause', () => {
    const speed = createSpeed();
    expect(speed.perSecond()).toBe(0);
    for (let second = 0; second <= 20; second++) speed.note(second * 100, second * 1_000);
    expect(speed.perSecond()).toBe(100);
    for (let second = 21; second <= 40; second++) speed.note(2_000, second * 1_000);
    expect(speed.perSecond()).toBe(0);
    speed.reset();
    speed.note(5_000, 60_000);
    expect(speed.perSecond()).toBe(0);
  });
});

it('no time left is told before there is a speed', () => {
  const speed = createSpeed();
  speed.note(0, 0);
  speed.note(12, 1_000);
  expect([speed.secondsLeft(30_000_000), speed.secondsLeft(0)]).toEqual([null, 0]);
  speed.note(12, 5_000);
  expect(speed.secondsLeft(30_000_000)).toBeNull();
  speed.note(500_000, 10_000);
  expect(speed.secondsLeft(1_000_000)).toBe(20);
  speed.reset();
  expect(speed.secondsLeft(1_000_000)).toBeNull();
});

it('nothing is told of a speed while nothing moves, and again as soon as something does', () => {
  const speed = createSpeed({ stillAfter: 3_000 });
  for (let second = 0; second <= 8; second++) speed.note(second * 100_000, second * 1_000);
  expect([speed.perSecond(), speed.secondsLeft(100_000)]).toEqual([100_000, 1]);
  for (let second = 9; second <= 11; second++) speed.note(800_000, second * 1_000);
  expect([speed.perSecond(), speed.secondsLeft(100_000)]).toEqual([0, null]);
  speed.note(820_000, 12_000);
  expect(speed.secondsLeft(80_000)).toBeGreaterThan(1);
});

describe('how far a package is', () => {
  const progressOf = (items: Item[]) => {
    let now = 0;
    let tick = (): void => undefined;
    const book = createProgress({
      items,
      now: () => now,
      every(_, work) {
        tick = work;
        return () => undefined;
      },
    });
    book.enter({ kind: 'sending' });
    const pass = (milliseconds: number): void => {
      now += milliseconds;
      tick();
    };
    pass(0);
    return { ...book, pass };
  };
  const itemOf = (size: number): Item => ({ ...fromStored(stored({ size })), state: 'sending' });

  it('tells no time left while it waits for room, nor while nothing moves for another reason', () => {
    const [first, second] = [itemOf(1_000_000), itemOf(1_000_000)];
    const { progress, pass } = progressOf([first, second]);
    for (first.sent = 0; first.sent < 900_000; first.sent += 100_000) pass(1_000);
    expect(progress().secondsLeft).toBeGreaterThan(0);
    second.fault = new TransferError('storage_full', 'The storage is full.');
    pass(250);
    expect(progress()).toMatchObject({ serviceFull: true, secondsLeft: null, bytesPerSecond: 0 });
    second.fault = null;
    pass(250);
    expect(progress()).toMatchObject({ serviceFull: false, secondsLeft: expect.any(Number) });
    pass(3_000);
    expect(progress()).toMatchObject({ secondsLeft: null, bytesPerSecond: 0 });
  });
});

describe('a lock', () => {
  it('is held until it is let go; without locks everybody gets one', async () => {
    const held = new Set<string>();
    const locks = {
      async request(name: string, _: object, work: (lock: object | null) => Promise<void> | undefined) {
        if (held.has(name)) return work(null);
        held.add(name);
        await work({});
        held.delete(name);
      },
    } as unknown as LockManager;
    const release = await takeLock('a', locks);
    expect(release).not.toBeNull();
    expect(await takeLock('a', locks)).toBeNull();
    expect(await takeLock('b', locks)).not.toBeNull();
    release!();
    await Promise.resolve();
    await Promise.resolve();
    expect(await takeLock('a', locks)).not.toBeNull();
    expect(await takeLock('a', undefined)).not.toBeNull();
  });
});
