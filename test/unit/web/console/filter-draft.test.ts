import { expect, it } from 'vitest';
import { compileFilter } from '#service/filters/match.ts';
import { draftOf, linesOf, readyPatterns, rulesOf, withPattern } from '#web/console/filters/draft.ts';

it('has a rule with a pattern on each line, and none without patterns', () => {
  expect(rulesOf({ action: 'include', patterns: ' \n\n' })).toEqual([]);
  const [rule] = rulesOf({ action: 'exclude', patterns: '^\\._\r\n\n  a b ' });
  expect(rule).toEqual({ action: 'exclude', criterion: 'file_name', operator: 'regex_match', values: ['^\\._', '  a b '] });
  expect(rulesOf(draftOf([rule!]))).toEqual([rule]);
  expect(linesOf('a\n \nb')).toEqual(['a', 'b']);
});

it('adds a ready-made pattern once', () => {
  const once = withPattern({ action: 'include', patterns: 'a' }, 'b');
  expect(once.patterns).toBe('a\nb');
  expect(withPattern(once, 'b')).toBe(once);
});

it.each([
  ['video', ['A001.MOV', 'b.mxf'], ['mov', 'a.mov.txt']],
  ['audio', ['mix.wav'], ['wav.zip']],
  ['pictures', ['a.JPEG', 'b.jpg', 'c.tif'], ['jpg']],
  ['documents', ['a.docx', 'b.PDF'], ['a.doc.zip']],
  ['hidden', ['.DS_Store', '._a.mov'], ['a.b']],
] as const)('has a pattern for %s that the service takes', (kind, going, staying) => {
  const goes = compileFilter(rulesOf({ action: 'include', patterns: readyPatterns[kind] }));
  expect([...going, ...staying].filter((name) => goes(name))).toEqual([...going]);
});
