import { parseCLI } from 'vitest/node';

export interface TestArguments {
  /** What the runner is given. */
  readonly passed: readonly string[];
  /** Whether all tests run (support/level.ts). */
  readonly whole: boolean;
  readonly help: boolean;
}

export const usage = `npm test                   every behaviour, in its first variant
npm test -- --all          all tests in all variants, as .ci/run and the CI have it
npm test -- FILE… [-t …]   these files, or tests of this name, with all that is in them
npm run test:unit          what needs no built pages, no database and no network
npm run soak               all tests, some for long: many seeds, hundreds of kills, and once more without the fast ways

Other arguments go to the runner (vitest run --help). LONGSHORE_TEST_CPU=1 tells what each file costs.`;

/** Takes apart what follows `npm test --`. Whoever names files or tests is after these, and has all of them. */
export function testArguments(args: readonly string[]): TestArguments {
  const passed = args.filter((arg) => arg !== '--all' && arg !== '--help');
  const { filter, options } = parseCLI(['vitest', 'run', ...passed], { allowUnknownOptions: true });
  const named = filter.length > 0 || options.testNamePattern !== undefined;
  return { passed, whole: named || args.includes('--all'), help: args.includes('--help') };
}
