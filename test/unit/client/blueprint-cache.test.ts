import { describe, expect, test } from 'vitest';
import { createBlueprintCache } from '#client/blueprint-cache.ts';

describe('a cache of blueprints', () => {
  const make = (end: number, clock = { now: 0 }) => {
    const asked: string[] = [];
    const cache = createBlueprintCache({
      end,
      now: () => clock.now,
      fetch: async (start, count) => {
        asked.push(`${start}+${count}`);
        return Array.from({ length: count }, (_, at) => ({ url: `u${start + at}`, method: 'PUT' as const, headers: {}, body: '' }));
      },
    });
    return { cache, asked, clock };
  };

  test('asks once for those who come together', async () => {
    const { cache, asked } = make(250);
    const urls = await Promise.all([0, 1, 2, 3].map((index) => cache.take(index)));
    expect(urls.map(({ url }) => url)).toEqual(['u0', 'u1', 'u2', 'u3']);
    expect(asked).toEqual(['0+100']);
    expect((await cache.take(240)).url).toBe('u240');
    expect(asked).toEqual(['0+100', '240+10']);
  });

  test('gives none out twice, and none that is old or discarded', async () => {
    const { cache, asked, clock } = make(3);
    await cache.take(0);
    await cache.take(0);
    expect(asked).toEqual(['0+3', '0+3']);
    cache.discard();
    await cache.take(1);
    clock.now = 31 * 60_000;
    await cache.take(2);
    expect(asked).toEqual(['0+3', '0+3', '1+2', '2+1']);
  });

  test('a service that gives too few is told apart', async () => {
    const cache = createBlueprintCache({ end: 5, now: () => 0, fetch: async () => [] });
    await expect(cache.take(0)).rejects.toMatchObject({ code: 'wrong_answer' });
  });

  test('a failure is everybody’s who waits, and the next one asks anew', async () => {
    let fail = true;
    const cache = createBlueprintCache({
      end: 1,
      now: () => 0,
      fetch: async () => {
        if (fail) throw new Error('away');
        return [{ url: 'u0', method: 'PUT', headers: {}, body: '' }];
      },
    });
    await Promise.all([expect(cache.take(0)).rejects.toThrow('away'), expect(cache.take(0)).rejects.toThrow('away')]);
    fail = false;
    expect((await cache.take(0)).url).toBe('u0');
  });
});
