import { describe, expect, it } from 'vitest';
import { RowCursor } from '#service/database/row-cursor.ts';

/** A cursor, and what the server would send it. */
function newCursor() {
  const cursor = new RowCursor<number>('select', []);
  const rows = (...some: number[]): void => {
    for (const row of some) cursor.emit('row', row as never);
  };
  return { cursor, rows, end: () => cursor.emit('end'), fail: (message: string) => cursor.emit('error', new Error(message)) };
}

describe('the rows of a statement', () => {
  it('are read while others come, at least so many at a time, each once', async () => {
    const { cursor, rows, end } = newCursor();
    const first = cursor.read(2);
    rows(1);
    rows(2, 3);
    expect(await first).toEqual([1, 2, 3]);
    rows(4, 5);
    expect(await cursor.read(2)).toEqual([4, 5]);
    const last = cursor.read(2);
    rows(6);
    end();
    expect(await last).toEqual([6]);
    expect(await cursor.read(2)).toEqual([]);
    await cursor.close();
  });

  it('end with what the statement fails with, also where some of them have come', async () => {
    const { cursor, rows, fail } = newCursor();
    rows(1);
    const read = cursor.read(2);
    fail('cut');
    await expect(read).rejects.toThrow('cut');
    await cursor.close();
    const early = newCursor();
    early.fail('no table');
    await expect(early.cursor.read(1)).rejects.toThrow('no table');
  });

  it('that nobody reads any more are dropped, and the connection is free when the last has come', async () => {
    const { cursor, rows, end } = newCursor();
    rows(1, 2);
    expect(await cursor.read(1)).toEqual([1, 2]);
    let isClosed = false;
    const closed = cursor.close().then(() => {
      isClosed = true;
    });
    rows(3, 4);
    await Promise.resolve();
    expect(isClosed).toBe(false);
    end();
    await closed;
  });
});
