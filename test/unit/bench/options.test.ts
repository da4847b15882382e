import { describe, expect, it } from 'vitest';
import { parseOptions, parts, UsageError } from '#bench/options.ts';

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

  it('measures all its parts, quickly only the peers, or the one that is named', () => {
    const partsOf = (...args: string[]) => [...parseOptions(args, page)!.parts].sort();
    expect(partsOf()).toEqual(['api', 'clouds', 'far', 'gui', 'million', 'pages', 'peers']);
    expect(partsOf('--quick')).toEqual(['peers']);
    expect(partsOf('--only', 'curl')).toEqual(['peers']);
    for (const part of parts) expect(partsOf('--only', part, '--quick')).toEqual([part]);
  });

  it('takes another size for the one big file', () => {
    expect(parseOptions([], page)!.bigBytes).toBeNull();
    expect(parseOptions(['--big', '20'], page)!.bigBytes).toBe(20 * 2 ** 30);
    expect(parseOptions(['--big', '0.5'], page)!.bigBytes).toBe(2 ** 29);
  });

  it('takes another number of small files', () => {
    expect(parseOptions([], page)!.smallFiles).toBeNull();
    expect(parseOptions(['--small', '2000'], page)!.smallFiles).toBe(2_000);
  });

  it('takes many large files in place of all others', () => {
    expect(parseOptions([], page)!.largeFiles).toBeNull();
    expect(parseOptions(['--large', '100'], page)!.largeFiles).toBe(100);
  });

  it('takes another line', () => {
    expect(parseOptions([], page)!.line).toEqual({ roundTripMs: 80, broken: 0.001, window: 4 * 2 ** 20 });
    expect(parseOptions(['--round-trip', '250', '--broken', '1', '--window', '16'], page)!.line).toEqual({
      roundTripMs: 250,
      broken: 0.01,
      window: 16 * 2 ** 20,
    });
    expect(parseOptions(['--window', 'none'], page)!.line.window).toBe(Number.POSITIVE_INFINITY);
  });

  it('gives nothing when help is wanted', () => {
    expect(parseOptions(['-h'], page)).toBeNull();
  });

  it.each([
    ['no rounds', ['--rounds', '0']],
    ['half a round', ['--rounds', '1.5']],
    ['too many', ['--rounds', '100']],
    ['no time', ['--minutes', '0']],
    ['a file of nothing', ['--big', '0']],
    ['a file that no disk holds', ['--big', '5000']],
    ['no small files', ['--small', '0']],
    ['half a small file', ['--small', '1.5']],
    ['large files and a number of small ones', ['--large', '2', '--small', '2']],
    ['no large files', ['--large', '0']],
    ['a time that is none', ['--minutes', 'soon']],
    ['a line of no length', ['--round-trip', '-1']],
    ['a window that is none', ['--window', '0']],
    ['more than all connections', ['--broken', '101']],
    ['a word', ['--rounds', 'many']],
    ['a broken pattern', ['--only', '(']],
    ['an unknown option', ['--fast']],
    ['a stray word', ['fast']],
  ])('refuses %s', (_, args) => {
    expect(() => parseOptions(args, page)).toThrow(UsageError);
  });
});
