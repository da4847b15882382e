import { describe, expect, test } from 'vitest';
import { createBlueprintBook } from '#client/blueprints.ts';

describe('a book of blueprints', () => {
  const make = (end: number, clock = { now: 0 }) => {
    const asked: string[] = [];
    const book = createBlueprintBook({
      end,
      now: () => clock.now,
      fetch: async (start, count) => {
        asked.push(`${start}+${count}`);
        return Array.from({ length: count }, (_, at) => ({ url: `u${start + at}`, method: 'PUT' as const, headers: {}, body: '' }));
      },
    });
    return { book, asked, clock };
  };

  test('asks once for those who come together', async () => {
    const { book, asked } = make(250);
    const urls = await Promise.all([0, 1, 2, 3].map((index) => book.take(index)));
    expect(urls.map(({ url }) => url)).toEqual(['u0', 'u1', 'u2', 'u3']);
    expect(asked).toEqual(['0+100']);
    expect((await book.take(240)).url).toBe('u240');
    expect(asked).toEqual(['0+100', '240+10']);
  });

  test('gives none out twice, and none that is old or discarded', async () => {
    const { book, asked, clock } = make(3);
    await book.take(0);
    await book.take(0);
    expect(asked).toEqual(['0+3', '0+3']);
    book.discard();
    await book.take(1);
    clock.now = 31 * 60_000;
    await book.take(2);
    expect(asked).toEqual(['0+3', '0+3', '1+2', '2+1']);
  });

  test('a service that gives too few is told apart', async () => {
    const book = createBlueprintBook({ end: 5, now: () => 0, fetch: async () => [] });
    await expect(book.take(0)).rejects.toMatchObject({ code: 'wrong_answer' });
  });

  test('a failure is everybody’s who waits, and the next one asks anew', async () => {
    let fail = true;
    const book = createBlueprintBook({
      end: 1,
      now: () => 0,
      fetch: async () => {
        if (fail) throw new Error('away');
        return [{ url: 'u0', method: 'PUT', headers: {}, body: '' }];
      },
    });
    await Promise.all([expect(book.take(0)).rejects.toThrow('away'), expect(book.take(0)).rejects.toThrow('away')]);
    fail = false;
    expect((await book.take(0)).url).toBe('u0');
  });
});
