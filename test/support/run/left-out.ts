import { readFileSync } from 'node:fs';
import { leftToAll } from './left-to-all.ts';
import type { TestReport } from './summary.ts';

/** Tests that a file declares, each table of them as one. */
const declared = (source: string): number => source.match(/\b(?:it|test)(?:\.\w+(?:\([^()]*\))?)*\s*\(/g)?.length ?? 0;

/**
 * What `npm test` has left to `--all`, for people: each single test by its name with what has proved the same, and last a line that
 * counts them and whole files.
 *
 * @param report of the run that left them out
 * @param folder of the tests
 */
export function leftOut(report: TestReport | null, folder: URL): string[] {
  const single = (report?.testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, fullName = '', meta }) =>
      meta?.provedBy !== undefined && status !== 'passed' && status !== 'failed' ? [{ fullName, provedBy: meta.provedBy }] : [],
    ),
  );
  const within = leftToAll.map(({ file }) => declared(readFileSync(new URL(`${file}.test.ts`, folder), 'utf8')));
  const tests = within.reduce((sum, count) => sum + count, 0);
  return [
    ...single.map(({ fullName, provedBy }) => `Left to --all: ${fullName} (here: ${provedBy})`),
    `npm test -- --all adds ${leftToAll.length} files with at least ${tests} tests, ${single.length} tests of these files, and all variants.`,
  ];
}
