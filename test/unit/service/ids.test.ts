import { expect, test } from 'vitest';
import { isId, newId } from '#service/ids.ts';

test('ids are unlike each other, and in the order in which they were made', () => {
  const ids = Array.from({ length: 2_000 }, newId);
  expect(ids.every(isId)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  // The last 42 bits are random in each, also within a millisecond.
  expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length);
});
