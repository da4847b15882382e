import { expect, test } from 'vitest';
import { batchSizeAt } from '#engine/transfer/batch-size.ts';
import type { FileRecord } from '#engine/transfer/record.ts';

const files = (...sizes: number[]): FileRecord[] => sizes.map((size) => ({ size }) as FileRecord);
const fits = ({ size }: FileRecord): boolean => size < 100;

test('those go together that follow one another and fit, as many as a request takes', () => {
  expect(batchSizeAt(files(10, 20, 30, 100, 10), 0, { bytes: 1_000, fits })).toBe(3);
  expect(batchSizeAt(files(10, 20, 30, 100, 10), 2, { bytes: 1_000, fits })).toBe(1);
  expect(batchSizeAt(files(10, 20, 30, 100, 10), 3, { bytes: 1_000, fits })).toBe(0);
  expect(batchSizeAt(files(50, 30, 20, 1), 0, { bytes: 100, fits })).toBe(3);
  expect(batchSizeAt(files(1), 1, { bytes: 100, fits })).toBe(0);
});

test('they are 128 at most', () => {
  const many = files(...Array.from({ length: 200 }, () => 1));
  expect(batchSizeAt(many, 0, { bytes: 1_000, fits })).toBe(128);
  expect(batchSizeAt(many, 100, { bytes: 1_000, fits })).toBe(100);
});
