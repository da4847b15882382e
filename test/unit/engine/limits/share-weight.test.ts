import { expect, test } from 'vitest';
import { shareWeight } from '#engine/limits/share-weight.ts';

const MB = 1_000_000;

test.each([
  ['a usual one', { priority: 'normal', bytesLeft: 600 * MB }, 6 * MB, 2],
  ['one that comes first', { priority: 'high', bytesLeft: 600 * MB }, 6 * MB, 4],
  ['one that comes last', { priority: 'low', bytesLeft: 600 * MB }, 6 * MB, 1],
  ['a small one, which is through in seconds', { priority: 'normal', bytesLeft: 4 * MB }, 6 * MB, 16],
  ['one that ten seconds are just enough for', { priority: 'low', bytesLeft: 60 * MB }, 6 * MB, 8],
  ['one that is no small one for so slow a line', { priority: 'normal', bytesLeft: 4 * MB }, 50_000, 2],
] as const)('%s counts %j', (_, transfer, rate, weight) => expect(shareWeight(transfer, rate)).toBe(weight));
