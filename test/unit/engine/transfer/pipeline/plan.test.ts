import { describe, expect, test } from 'vitest';
import { type PlanRules, plan } from '#engine/transfer/pipeline/plan.ts';
import type { FileRecord } from '#engine/transfer/record.ts';
import { seededRandom } from '#test/support/faults/seeds.ts';

const MiB = 1024 * 1024;
/** By their sizes; a file's id is its place, from 1. */
const filesOf = (...sizes: number[]): FileRecord[] => sizes.map((size, index) => ({ id: index + 1, size }) as FileRecord);
const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
const large = 2 * MiB;
/** Files of up to 100 bytes share. */
const rules = (files: number, bytes: number): PlanRules => ({ shares: ({ size }) => size <= 100, most: { files, bytes } });

const planned = (files: readonly FileRecord[], by: PlanRules): [string, number[]][] =>
  plan(files, by).map((batch) => [batch.sizeClass, batch.files.map(({ id }) => id)]);

describe('a page of files', () => {
  test.each<[string, number[], PlanRules, [string, number[]][]]>([
    ['nothing', [], rules(128, 1_000), []],
    ['one file', [10], rules(128, 1_000), [['small', [1]]]],
    ['small ones in a row', [10, 20, 30], rules(128, 1_000), [['small', [1, 2, 3]]]],
    [
      'small ones with a large one between',
      [10, large, 30],
      rules(128, 1_000),
      [
        ['small', [1, 3]],
        ['large', [2]],
      ],
    ],
    [
      'one that does not share, and is not large',
      [10, 101, 30, MiB, MiB + 1],
      rules(128, 1_000),
      [
        ['small', [1, 3]],
        ['small', [2]],
        ['small', [4]],
        ['large', [5]],
      ],
    ],
    ['as many bytes as fit', [50, 30, 20], rules(128, 100), [['small', [1, 2, 3]]]],
    [
      'one byte more than fits',
      [50, 30, 21, 5],
      rules(128, 100),
      [
        ['small', [1, 2]],
        ['small', [3, 4]],
      ],
    ],
    [
      'nothing that may share',
      [1, 1, large],
      rules(1, 1_000),
      [
        ['small', [1]],
        ['small', [2]],
        ['large', [3]],
      ],
    ],
    [
      'no batches at all',
      [1, 1],
      rules(0, 1_000),
      [
        ['small', [1]],
        ['small', [2]],
      ],
    ],
  ])('%s', (_, sizes, by, batches) => expect(planned(filesOf(...sizes), by)).toEqual(batches));

  test('more files than one batch takes', () => {
    expect(plan(filesOf(...ones(300)), rules(128, 1_000)).map(({ files }) => files.length)).toEqual([128, 128, 44]);
  });
});

test('each file once, bounds held, in the order of the first ones; and planned in two pages it is the same', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const files = filesOf(
      ...Array.from({ length: Math.floor(random() * 60) }, () => (random() < 0.3 ? large : Math.floor(random() * 140))),
    );
    const by = rules(Math.floor(random() * 9), 50 + Math.floor(random() * 400));
    const batches = plan(files, by);
    const ids = batches.map((batch) => batch.files.map(({ id }) => id));
    expect(ids.flat().sort((a, b) => a - b)).toEqual(files.map(({ id }) => id));
    expect(ids.map(([first]) => first)).toEqual(ids.map(([first]) => first).sort((a, b) => a! - b!));
    for (const batch of batches) {
      if (batch.files.length === 1) continue;
      expect(batch.files.every(by.shares)).toBe(true);
      expect(batch.files.length).toBeLessThanOrEqual(by.most.files);
      expect(batch.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(by.most.bytes);
    }
    const half = Math.floor(files.length / 2);
    const shared = (all: readonly FileRecord[]): FileRecord[] => all.filter(by.shares);
    const before = plan(files.slice(0, half), by).flatMap((batch) => batch.files);
    const inTwo = plan([...shared(before), ...shared(files.slice(half))], by);
    expect(inTwo).toEqual(plan(shared(files), by));
  }
});
