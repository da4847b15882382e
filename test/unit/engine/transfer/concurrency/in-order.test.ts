import { describe, expect, test } from 'vitest';
import { createInOrder, mayBegin, type OpenFile } from '#engine/transfer/concurrency/in-order.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

describe('whether another large file may begin', () => {
  test.each([
    ['nothing is open', { open: 0, waiting: 0, concurrency: 1 }, true],
    ['fewer chunks wait than there are connections', { open: 1, waiting: 3, concurrency: 4 }, true],
    ['each connection has another chunk waiting', { open: 1, waiting: 4, concurrency: 4 }, false],
    ['many end at once, and are all put together', { open: 8, waiting: 0, concurrency: 4 }, false],
  ])('%s: %j %s', (_, line, may) => expect(mayBegin(line)).toBe(may));
});

describe('large files', () => {
  /** Files that ask to begin one after the other, each with so many chunks. */
  function setUp(concurrency: () => number, files: readonly number[]) {
    const line = createInOrder(concurrency);
    const opened: (OpenFile | undefined)[] = [];
    files.forEach((chunks, index) => {
      line.enter(chunks, never).then(
        (file) => {
          opened[index] = file;
        },
        () => {},
      );
    });
    return { line, opened, begun: () => opened.flatMap((file, index) => (file ? [index] : [])) };
  }

  test('begin in order, the next when those before leave connections without work', async () => {
    const { opened, begun } = setUp(() => 2, [3, 3, 3]);
    await settle();
    expect(begun()).toEqual([0]);
    opened[0]!.chunkBegan();
    await settle();
    expect(begun()).toEqual([0]);
    opened[0]!.chunkBegan();
    await settle();
    expect(begun()).toEqual([0, 1]);
    opened[0]!.chunkBegan();
    opened[0]!.leave();
    await settle();
    expect(begun()).toEqual([0, 1]);
  });

  test('that fail make room with all that waited of them, once', async () => {
    const { opened, begun } = setUp(() => 2, [5, 5, 5]);
    await settle();
    opened[0]!.leave();
    opened[0]!.leave();
    await settle();
    expect(begun()).toEqual([0, 1]);
  });

  test('begin when the line grows wider', async () => {
    let concurrency = 1;
    const { line, begun } = setUp(() => concurrency, [1, 1, 1]);
    await settle();
    expect(begun()).toEqual([0]);
    concurrency = 3;
    line.changed();
    await settle();
    expect(begun()).toEqual([0, 1, 2]);
  });

  test('that are stopped while they wait hold nobody up', async () => {
    const line = createInOrder(() => 1);
    const first = await line.enter(2, never);
    const stop = new AbortController();
    const second = line.enter(2, stop.signal).catch(() => 'stopped');
    let third = false;
    const waits = line.enter(2, never).then(() => {
      third = true;
    });
    stop.abort(new Error('stopped'));
    expect(await second).toBe('stopped');
    expect(third).toBe(false);
    first.leave();
    await waits;
  });
});
