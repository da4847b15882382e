import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longest } from '#test/support/run/longest.ts';

test('each file that begins early is there, once', () => {
  const missing = longest.filter((name) => !existsSync(new URL(`../../../${name}.test.ts`, import.meta.url)));
  expect(missing).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});
