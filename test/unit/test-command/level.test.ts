import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { allLooks, lookHere } from '#test/support/browser/all-looks.ts';
import { firstOf, inAll, inTurn, whole } from '#test/support/level.ts';
import { testArguments, usage } from '#test/support/run/arguments.ts';
import { leftOut } from '#test/support/run/left-out.ts';
import { leftToAll } from '#test/support/run/left-to-all.ts';

const project = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, project), 'utf8');
const isThere = (file: string): boolean => existsSync(new URL(`test/${file}.test.ts`, project));

describe('what is left to --all', () => {
  it('runs wherever something lands: .ci/run, which the CI calls', () => {
    expect(read('.ci/run')).toMatch(/^npm test -- --all$/m);
    const workflows = readdirSync(new URL('.github/workflows/', project)).map((name) => read(`.github/workflows/${name}`));
    expect(workflows.some((text) => /run: \.ci\/run$/m.test(text))).toBe(true);
    for (const text of [read('.ci/run'), ...workflows]) expect(text).not.toMatch(/npm (run )?test(?! -- --all)\b(?!:unit)/);
    expect(read('test/soak.ts')).toContain("'--all'");
  });

  it('are files that are there, each once, and others that are not left out prove the same', () => {
    const files = leftToAll.map(({ file }) => file);
    expect(new Set(files).size).toBe(files.length);
    expect(files.filter((file) => !isThere(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith('unit/') || file.startsWith('contract/'))).toEqual([]);
    for (const { file, provedBy, by } of leftToAll) {
      expect(provedBy, file).toMatch(/^[A-Z].{10,120}\.$/);
      expect(by.length, file).toBeGreaterThan(0);
      expect(
        by.filter((one) => !isThere(one) || files.includes(one)),
        file,
      ).toEqual([]);
    }
  });

  it('is told by name with what proves the same, and last in one line that counts', () => {
    const tests = [
      { status: 'passed', fullName: 'a thing works' },
      { status: 'skipped', fullName: 'a thing works again', meta: { provedBy: 'the first time' } },
      { status: 'skipped', fullName: 'a thing works with what is not installed' },
      { status: 'passed', fullName: 'a thing works in a whole run', meta: { provedBy: 'the first time' } },
    ];
    const counts = { numPassedTests: 2, numFailedTests: 0, numPendingTests: 2, numTodoTests: 0 };
    const report = { ...counts, testResults: [{ status: 'passed', assertionResults: tests }] };
    const lines = leftOut(report, new URL('test/', project));
    expect(lines.slice(0, -1)).toEqual(['Left to --all: a thing works again (here: the first time)']);
    const files = leftToAll.length;
    const last = new RegExp(
      `^npm test -- --all adds ${files} files with at least \\d{2,} tests, 1 tests of these files, and all variants\\.$`,
    );
    expect(lines.at(-1)).toMatch(last);
    expect(leftOut(null, new URL('test/', project))).toHaveLength(1);
  });
});

describe('npm test', () => {
  it.each<[string, string[], string[], boolean]>([
    ['by itself is the first level', [], [], false],
    ['with --all is all', ['--all'], [], true],
    ['with arguments of the runner is the first level', ['--maxWorkers=2', '--bail', '3'], ['--maxWorkers=2', '--bail', '3'], false],
    ['with files is all of these', ['test/e2e/mails.test.ts'], ['test/e2e/mails.test.ts'], true],
    ['with files after options is all of these', ['--maxWorkers', '2', 'mails'], ['--maxWorkers', '2', 'mails'], true],
    ['with names of tests is all of these', ['-t', 'killed'], ['-t', 'killed'], true],
  ])('%s', (_, given, passed, isWhole) => {
    expect(testArguments(given)).toEqual({ passed, whole: isWhole, help: false });
  });

  it('says by --help which commands there are', () => {
    expect(testArguments(['--help']).help).toBe(true);
    for (const command of ['npm test ', '--all', 'FILE', 'test:unit', 'soak']) expect(usage).toContain(command);
  });
});

describe('a test of a matrix', () => {
  it('has all rows in a whole run, else the first or those whose turn it is', () => {
    expect(firstOf([1, 2, 3])).toEqual(whole ? [1, 2, 3] : [1]);
    expect(firstOf([1, 2, 3], 2)).toEqual(whole ? [1, 2, 3] : [1, 2]);
    expect([0, 1, 2, 3].map((row) => inTurn(['a', 'b'], row))).toEqual(whole ? Array(4).fill(['a', 'b']) : [['a'], ['b'], ['a'], ['b']]);
    expect(inTurn([], 3)).toEqual([]);
    expect(inAll('the other')).toEqual({ skip: !whole, meta: { provedBy: 'the other' } });
  });

  it('is looked at in each size, theme and language by turns, and at a second look the other way round', () => {
    expect(new Set(allLooks.map((look) => Object.values(look).join())).size).toBe(8);
    const { length } = allLooks;
    for (const [index, look] of allLooks.entries()) {
      const other = allLooks[length - 1 - index]!;
      expect([look.size !== other.size, look.theme !== other.theme, look.translated !== other.translated]).toEqual([true, true, true]);
    }
    const page = {} as Page;
    const seen = Array.from({ length }, () => lookHere(page));
    expect(seen.toSorted((a, b) => a - b)).toEqual([...allLooks.keys()]);
    expect(seen[0]! + seen[1]!).toBe(length - 1);
  });
});
