interface TestResult {
  readonly status: string;
  readonly fullName?: string;
  readonly meta?: { readonly provedBy?: string };
}

/** As much of the test runner's JSON report as a verdict needs. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly TestResult[] }[];
}

export interface Verdict {
  readonly line: string;
  readonly exitCode: number;
}

/**
 * The last line of `npm test`, and its exit code. A file that could not be loaded counts as one failure, as does
 * a runner that failed in no test; no test at all is a failure too.
 */
export function verdictOf(report: TestReport | null, runnerExitCode: number): Verdict {
  const passed = report?.numPassedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  const broken = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const counted = (report?.numFailedTests ?? 0) + broken.length;
  const failed = counted === 0 && (runnerExitCode !== 0 || passed === 0) ? 1 : counted;
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { line, exitCode: failed > 0 ? 1 : 0 };
}
