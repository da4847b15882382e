import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export interface Look {
  readonly size: 'desk' | 'phone';
  readonly theme: 'light' | 'dark';
}

/**
 * Pairs of looks, the second in another language: each has both sizes, both themes and both languages, and the four together have
 * each size in each theme in each language.
 */
export const pairs: readonly (readonly [Look, Look])[] = (['desk', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((theme): [Look, Look] => [
    { size, theme },
    { size: size === 'desk' ? 'phone' : 'desk', theme: theme === 'light' ? 'dark' : 'light' },
  ]),
);

const looksAt = new WeakMap<Page, number>();

/** Which pair it is: by the name of the test, so that it is the same each time, and one further for each look at a page. */
export function pairHere(page: Page): number {
  const before = looksAt.get(page) ?? 0;
  looksAt.set(page, before + 1);
  const { currentTestName = '' } = expect.getState();
  const sum = [...currentTestName].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) % 65_521, 0);
  return (sum + before) % pairs.length;
}
