import { expect, it } from 'vitest';
import { filesToLookAt, type SeenFiles } from '#service/handovers/looks.ts';

const ids = (count: number, name = 'f') => Array.from({ length: count }, (_, index) => `${name}${index}`);
const seen = (some: Readonly<Record<string, boolean>>): SeenFiles =>
  new Map(Object.entries(some).map(([id, moves]) => [id, { bytes: 1, moves }]));

it('looks at files that move, then at those that it has not looked at for longest', () => {
  const still = Object.fromEntries(ids(10).map((id) => [id, false]));
  expect(filesToLookAt(ids(10), seen({ ...still, f9: true, f4: true }))).toEqual(['f4', 'f9', 'f0', 'f1', 'f2', 'f3', 'f5', 'f6']);
});

it('looks at new ones at once, some in a call, and at none that is whole', () => {
  expect(filesToLookAt([...ids(30, 'new'), 'old'], seen({ gone: true, old: false }))).toEqual([...ids(24, 'new'), 'old']);
  expect(filesToLookAt([], seen({ gone: true }))).toEqual([]);
});
