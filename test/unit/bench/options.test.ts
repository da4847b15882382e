import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from '#bench/options.ts';

const page = '/page.md';

describe('the options of the benchmark', () => {
  it('measures seven rounds and writes the page unless told otherwise', () => {
    expect(parseOptions([], page)).toMatchObject({ rounds: 7, quick: false, huge: false, output: page, install: true, only: null });
  });

  it('runs one round, installs nothing and writes no page when it is quick', () => {
    expect(parseOptions(['--quick'], page)).toMatchObject({ rounds: 1, output: null, install: false });
    expect(parseOptions(['--quick', '--rounds', '3', '--output', '/other.md'], page)).toMatchObject({ rounds: 3, output: '/other.md' });
  });

  it('takes a pattern of peers whatever their case', () => {
    expect(parseOptions(['--only', 'CURL'], page)!.only!.test('curl nginx')).toBe(true);
  });

  it('gives nothing when help is wanted', () => {
    expect(parseOptions(['-h'], page)).toBeNull();
  });

  it.each([
    ['no rounds', ['--rounds', '0']],
    ['half a round', ['--rounds', '1.5']],
    ['too many', ['--rounds', '100']],
    ['no time', ['--minutes', '0']],
    ['a time that is none', ['--minutes', 'soon']],
    ['a word', ['--rounds', 'many']],
    ['a broken pattern', ['--only', '(']],
    ['an unknown option', ['--fast']],
    ['a stray word', ['fast']],
  ])('refuses %s', (_, args) => {
    expect(() => parseOptions(args, page)).toThrow(UsageError);
  });
});
