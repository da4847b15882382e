import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly help: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds wrong on the page as it stands, one line each; by all its rules, or by those named. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // It stays in the page until that is loaded again.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const result = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResult;
  return result.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${one.help}: ${node.html}`));
}
