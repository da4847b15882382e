import { describe, expect, it } from 'vitest';
import { type TestReport, verdictOf } from '#test/support/run/summary.ts';

const report = (changes: Partial<TestReport> = {}): TestReport => ({
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
  ...changes,
});

describe('the last line of npm test', () => {
  it.each<[string, TestReport | null, number, string, number]>([
    ['all passed', report(), 0, '5 passed, 0 failed', 0],
    ['some skipped', report({ numPendingTests: 2, numTodoTests: 1 }), 0, '5 passed, 0 failed, 3 skipped', 0],
    [
      'one failed',
      report({ numFailedTests: 1, testResults: [{ status: 'failed', assertionResults: [{ status: 'failed' }] }] }),
      1,
      '5 passed, 1 failed',
      1,
    ],
    ['a file that could not be loaded', report({ testResults: [{ status: 'failed', assertionResults: [] }] }), 1, '5 passed, 1 failed', 1],
    ['an error outside tests', report(), 1, '5 passed, 1 failed', 1],
    ['no test at all', report({ numPassedTests: 0, testResults: [] }), 0, '0 passed, 1 failed', 1],
    ['only skipped ones', report({ numPassedTests: 0, numPendingTests: 4 }), 0, '0 passed, 1 failed, 4 skipped', 1],
    ['no report', null, 1, '0 passed, 1 failed', 1],
  ])('%s', (_, given, code, line, exitCode) => {
    expect(verdictOf(given, code)).toEqual({ line, exitCode });
  });
});
