import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a test that `npm test` leaves to `npm test -- --all`: what it runs by itself that proves the same. */
    provedBy?: string;
  }
}

/** What `npm test` by itself sets for its runner. Nothing else does: whoever names a file, or calls the runner, has all of it. */
export const levelVariable = 'LONGSHORE_TEST_LEVEL';
export const firstLevel = 'first';

/** Whether all tests run, and all variants inside of them; else each behaviour in its first variant. */
export const whole = process.env[levelVariable] !== firstLevel;

/**
 * Options of a `test` or `describe` that is left to `--all`, as it is a further variant of what runs always: `test('…', inAll('the
 * first seed'), …)`. `provedBy` says what that is. It is skipped by name, and its reason stands in the run's report.
 */
export const inAll = (provedBy: string, options: TestOptions = {}): TestOptions => ({ ...options, skip: !whole, meta: { provedBy } });

/** Of a matrix the rows that run always: the first, or so many. The others go into a test with `inAll`, or are no tests of their own. */
export const firstOf = <T>(rows: readonly T[], count = 1): readonly T[] => (whole ? rows : rows.slice(0, count));

/** Of a matrix of rows × values one value a row, so that every value comes about and every row does; all of them in a whole run. */
export const inTurn = <T>(values: readonly T[], row: number): readonly T[] =>
  whole ? values : values.slice(row % values.length, (row % values.length) + 1);
