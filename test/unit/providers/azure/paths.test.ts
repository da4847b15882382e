import { expect, test } from 'vitest';
import { azurePaths } from '#providers/azure/paths.ts';

test.each(['a', 'a/b c/ünï.mov', '日本/x', 'a..b', '.hidden', 'x'.repeat(1024)])('%s can be held', (path) => {
  expect(azurePaths.problem(path)).toBeNull();
});

test.each([
  ['a dot at the end', 'a./b'],
  ['a step up', 'a/../b'],
  ['an empty step', 'a//b'],
  ['a slash at the end', 'a/'],
  ['a backslash', 'a\\b'],
  ['a control character', 'a\u0001b'],
  ['a line break', 'a\nb'],
  ['half a character', 'a\ud800b'],
  ['1025 characters', 'x'.repeat(1025)],
  ['255 folders', Array.from({ length: 255 }, () => 'x').join('/')],
])('%s cannot', (_what, path) => {
  expect(azurePaths.problem(path)).toMatch(/^[A-Z].*\.$/);
});
