import { expect, test } from 'vitest';
import { createDiskReservations } from '#engine/folders/disk-reservations.ts';

const disks: Record<string, { id: number; free: number | null }> = {
  '/a': { id: 1, free: 100 },
  '/a/b': { id: 1, free: 100 },
  '/c': { id: 2, free: 10 },
  '/net': { id: 3, free: null },
};
const create = () => createDiskReservations((root) => disks[root]!);
const full = (missing: number) =>
  expect.objectContaining({ code: 'disk_full', message: expect.stringContaining(`too little room: ${missing} more bytes are needed`) });

test('what one download will fill is no room for another on the same disk, until it is through', () => {
  const all = create();
  let left = 70;
  all.reserve('one', '/a', () => left);
  expect(() => all.reserve('two', '/a/b', () => 50)).toThrow(full(20));
  all.reserve('three', '/c', () => 10);
  left = 40;
  all.reserve('two', '/a/b', () => 50);
  expect(() => all.reserve('four', '/a', () => 11)).toThrow(full(1));
  all.release('one');
  all.reserve('four', '/a', () => 11);
});

test('asked again it counts itself once, and what is refused is not kept', () => {
  const all = create();
  all.reserve('one', '/a', () => 100);
  all.reserve('one', '/a', () => 100);
  expect(() => all.reserve('one', '/a', () => 101)).toThrow(full(1));
  all.reserve('two', '/a', () => 100);
});

test('a disk that does not tell its room is tried', () => {
  create().reserve('one', '/net', () => 1e15);
});
