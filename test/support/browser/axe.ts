import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { soaking } from '../faults/seeds.ts';
import { whole } from '../level.ts';
import { isFirstLook } from './all-looks.ts';
import { devtoolsOf } from './reused-tab.ts';
import { sparedRules } from './spared-rules.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds wrong on the page as it stands, one line each; by all its rules, or by those named. In a run of the first level by
 * all its rules once a test.
 */
export const axeFindings = async (page: Page, rules?: readonly string[]): Promise<string[]> =>
  whole || rules || isFirstLook() ? axeFindingsHere(page, rules) : [];

/**
 * The same however often it is asked. A rule is not run where a cheaper look (spared-rules.ts) leaves no doubt that it would find
 * nothing; in a soak each one is.
 */
export async function axeFindingsHere(page: Page, rules?: readonly string[]): Promise<string[]> {
  const spared = soaking ? [] : await sparedRules(page, rules);
  if (!rules) return runAxe(page, { rules: Object.fromEntries(spared.map((rule) => [rule, { enabled: false }])) });
  const left = rules.filter((rule) => !spared.includes(rule));
  return left.length === 0 ? [] : axeFindingsByRules(page, left);
}

/** The same by axe alone. */
export const axeFindingsByRules = (page: Page, rules: readonly string[]): Promise<string[]> =>
  runAxe(page, { runOnly: { type: 'rule', values: rules } });

async function runAxe(page: Page, which: object): Promise<string[]> {
  // It stays in the page until that is loaded again.
  if (!(await page.evaluate('"axe" in window'))) await bringAxe(page);
  const options = {
    resultTypes: ['violations'],
    // Neither where an element stands, which its own words tell, nor the style sheets, which only a rule wants that is off.
    selectors: false,
    preload: { assets: ['media'] },
    ...which,
  };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ': ' + html)))`);
}

/**
 * As a script of its own, which the tab's process has compiled once for all its pages: Playwright's `evaluate` hands it to
 * `eval`, and each page compiles its half megabyte anew.
 */
async function bringAxe(page: Page): Promise<void> {
  const devtools = devtoolsOf(page) ?? (await page.context().newCDPSession(page));
  await devtools.send('Runtime.evaluate', { expression: source });
}
