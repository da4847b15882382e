import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong on the page as it stands, one line each; by all its rules, or by those named. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // It stays in the page until that is loaded again.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = {
    resultTypes: ['violations'],
    // Neither where an element stands, which its own words tell, nor the style sheets, which only a rule wants that is off.
    selectors: false,
    preload: { assets: ['media'] },
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
  };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ': ' + html)))`);
}
