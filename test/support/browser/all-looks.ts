import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** How a page stands while it is looked at. */
export interface Look {
  readonly size: 'desk' | 'phone';
  readonly theme: 'light' | 'dark';
  /** In its other language, where it has one. */
  readonly translated: boolean;
}

/** Each size in each theme in each language. */
export const allLooks: readonly Look[] = (['desk', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).flatMap((theme) => [false, true].map((translated): Look => ({ size, theme, translated }))),
);

let lookedAtLast = '';

/**
 * Whether this test has looked at nothing before. A run of the first level looks once a test by all of axe's rules: what a page
 * becomes later in a walk is of the parts that it and others have already.
 */
export function isFirstLook(): boolean {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const test = `${testPath}: ${currentTestName}`;
  const isFirst = test !== lookedAtLast;
  lookedAtLast = test;
  return isFirst;
}

const looksAt = new WeakMap<Page, number>();

/**
 * Whose turn it is: by the name of the test, so that it is the same each time, and for each further look at a page the one that
 * differs most from those before.
 */
export function lookHere(page: Page): number {
  const before = looksAt.get(page) ?? 0;
  looksAt.set(page, before + 1);
  const { currentTestName = '' } = expect.getState();
  const sum = [...currentTestName].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) % 65_521, 0);
  // First the opposite in all three, then the next pair of opposites.
  const [pair, side] = [(sum + Math.floor(before / 2)) % 4, (Math.floor(sum / 4) + before) % 2];
  return side === 0 ? pair : allLooks.length - 1 - pair;
}
