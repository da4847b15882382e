import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goesBefore, moved } from '#engine/transfer/order.ts';

const line = (...places: readonly number[]) => places.map((position) => ({ id: `t${position}`, position }));
const after = (all: ReturnType<typeof line>, changes: ReadonlyMap<string, number>) =>
  all
    .map((one) => ({ ...one, position: changes.get(one.id) ?? one.position }))
    .sort((a, b) => a.position - b.position)
    .map(({ id }) => id);

test.each([
  ['to the front', 9, 0, ['t9', 't2', 't5', 't7']],
  ['to the end', 2, 1_000, ['t5', 't7', 't9', 't2']],
  ["to another's place, up", 9, 5, ['t2', 't9', 't5', 't7']],
  ["to another's place, down", 2, 7, ['t5', 't7', 't2', 't9']],
  ['to its own place', 5, 5, ['t2', 't5', 't7', 't9']],
  ['between two', 9, 6, ['t2', 't5', 't9', 't7']],
])('%s', (_, from, to, order) => {
  const all = line(2, 5, 7, 9);
  expect(after(all, moved(all, `t${from}`, to))).toEqual(order);
});

test('moving keeps the places and the order of all others, for any line', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(250), (places, pick, to) => {
      const all = line(...places);
      const one = all[pick % all.length]!;
      const changes = moved(all, one.id, to);
      const now = all.map(({ id, position }) => changes.get(id) ?? position);
      expect(now.toSorted((a, b) => a - b)).toEqual(places.toSorted((a, b) => a - b));
      const others = (ids: readonly string[]) => ids.filter((id) => id !== one.id);
      expect(others(after(all, changes))).toEqual(others(after(all, new Map())));
      expect(moved(all, one.id, one.position).size).toBe(0);
    }),
  );
});

test('the more urgent goes first, whatever its place', () => {
  expect(goesBefore({ priority: 'high', position: 9 }, { priority: 'normal', position: 1 })).toBe(true);
  expect(goesBefore({ priority: 'low', position: 1 }, { priority: 'normal', position: 9 })).toBe(false);
  expect(goesBefore({ priority: 'low', position: 1 }, { priority: 'low', position: 2 })).toBe(true);
});
