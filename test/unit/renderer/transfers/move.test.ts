import fc from 'fast-check';
import { expect, it } from 'vitest';
import { goesBefore, moved } from '#engine/transfer/order.ts';
import { moveBetween } from '#renderer/transfers/list/move.ts';
import { runs } from '#test/support/faults/seeds.ts';

const priority = fc.constantFrom('high' as const, 'normal' as const, 'low' as const);

it('brings a transfer to where it was dropped, as the agent then orders them', () => {
  const queue = fc.array(fc.record({ priority, gap: fc.integer({ min: 1, max: 3 }) }), { minLength: 2, maxLength: 9 }).map((all) => {
    let position = 0;
    return all.map(({ priority, gap }, index) => {
      position += gap;
      return { id: `t${index}`, priority, position };
    });
  });
  fc.assert(
    fc.property(queue, fc.nat(), fc.nat(), (line, which, where) => {
      const order = [...line].sort((a, b) => (goesBefore(a, b) ? -1 : 1));
      const one = order[which % order.length]!;
      const before = where % (order.length + 1);
      const move = moveBetween(one, order[before - 1] ?? null, order[before] ?? null);
      if (!move) {
        expect([order.indexOf(one), order.indexOf(one) + 1]).toContain(before);
        return;
      }
      const places = moved(line, one.id, move.position);
      const after = line
        .map((other) => ({
          ...other,
          position: places.get(other.id) ?? other.position,
          priority: other.id === one.id ? (move.priority ?? one.priority) : other.priority,
        }))
        .sort((a, b) => (goesBefore(a, b) ? -1 : 1));
      const expected = order.filter((other) => other !== one);
      expected.splice(before > order.indexOf(one) ? before - 1 : before, 0, one);
      expect(after.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }),
    { numRuns: runs(150, 5_000) },
  );
});

it('keeps the priority wherever it may', () => {
  const at = (id: string, priority: 'high' | 'normal' | 'low', position: number) => ({ id, priority, position });
  expect(moveBetween(at('x', 'normal', 9), at('a', 'high', 1), at('b', 'low', 2))).toBeNull();
  expect(moveBetween(at('x', 'low', 9), at('a', 'high', 1), at('b', 'normal', 2))).toEqual({ position: 2, priority: 'normal' });
  expect(moveBetween(at('x', 'high', 1), at('a', 'normal', 5), null)).toEqual({ position: 5, priority: 'normal' });
});
