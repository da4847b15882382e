import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBatcher } from '#client/batcher.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp({ maxItems = 10, maxWeight = 1_000 } = {}) {
  const batches: number[][] = [];
  let running = 0;
  const batched = createBatcher<number, string>({
    maxItems,
    maxWeight,
    weightOf: (item) => item,
    linger: soon,
    async run(items) {
      expect(++running).toBe(1);
      batches.push([...items]);
      await soon();
      running--;
      if (items.includes(13)) throw new Error('thirteen');
      return items.map(String);
    },
  });
  return { batched, batches };
}

describe('what is asked for one by one', () => {
  test('goes in one batch, and each gets its own answer', async () => {
    const { batched, batches } = setUp();
    expect(await Promise.all([1, 2, 3].map(batched))).toEqual(['1', '2', '3']);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('while a batch is under way makes up the next', async () => {
    const { batched, batches } = setUp({ maxItems: 2 });
    const first = [batched(1), batched(2)];
    await soon();
    const later = [batched(3)];
    await Promise.all([...first, ...later]);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('fails together where the batch fails, and the next is none the worse', async () => {
    const { batched } = setUp();
    const settled = await Promise.allSettled([batched(1), batched(13)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batched(2)).toBe('2');
  });

  test('is never more, nor heavier, than allowed, and keeps its order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 20, max: 90 }), { maxLength: 40 }), async (items) => {
        const { batched, batches } = setUp({ maxItems: 5, maxWeight: 100 });
        expect(await Promise.all(items.map(batched))).toEqual(items.map(String));
        expect(batches.flat()).toEqual(items);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(5);
          if (batch.length > 1) expect(batch.reduce((sum, item) => sum + item, 0)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
