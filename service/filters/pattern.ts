import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { patternSteps, unpaired } from './size.ts';

/** Why a filter's value is refused: a sentence without its end, for the message that names the value. */
type PatternProblem = string;

type CheckedPattern =
  | { readonly ok: true; readonly pattern: RE2JS; readonly steps: number }
  | { readonly ok: false; readonly problem: PatternProblem };

/**
 * Compiles one regular expression in RE2's syntax, which matches in time linear in the text's length. Its size is
 * limited first by `budget` (steps; `patternSteps`), since `(a{1000})` repeated a hundred times takes a second to
 * compile. Syntax that RE2 does not support, or that does not parse, is refused with the position (in characters from
 * 1) and the reason.
 */
export function checkPattern(source: string, budget: number): CheckedPattern {
  if (!source.isWellFormed() || source.includes('\0')) return { ok: false, problem: 'holds a character that no file name can have' };
  const steps = patternSteps(source);
  if (steps > budget) return { ok: false, problem: 'makes the filter too large. Use smaller repetitions, or fewer and shorter values' };
  const compiled = compile(source);
  return compiled instanceof RE2JS ? { ok: true, pattern: compiled, steps } : { ok: false, problem: describe(source, compiled) };
}

function compile(source: string): RE2JS | RE2JSException {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSException) return error;
    throw error;
  }
}

function describe(source: string, error: RE2JSException): PatternProblem {
  if (!(error instanceof RE2JSSyntaxException)) return `cannot be used: ${error.message}`;
  const at = errorPosition(source, error.error, error.input);
  const rest = source.slice(at);
  const seen =
    /^\(\?(?:<?[=!]|.)?/.exec(rest)?.[0] ?? (error.input !== null && rest.startsWith(error.input) ? error.input : (rest[0] ?? ''));
  const shown = shorten(seen);
  const position = `at character ${[...source.slice(0, at)].length + 1}${shown === '' ? '' : ` (${shown})`}`;
  return `is not a regular expression that can be used: ${position}, ${reason(seen, error.error)}`;
}

/** A clear reason for the most common syntax that RE2 does not support; otherwise the library's message. */
function reason(fragment: string, error: string): string {
  if (/^\(\?[=!]/.test(fragment)) return 'look-ahead is not supported';
  if (/^\(\?<[=!]/.test(fragment)) return 'look-behind is not supported';
  if (/^\\([1-9]|k)/.test(fragment)) return 'backreferences are not supported';
  if (/^\(\?>/.test(fragment)) return 'atomic groups are not supported';
  return error;
}

const shorten = (text: string): string => (text.length > 20 ? `${text.slice(0, 20)}…` : text);

/** Where the parser stopped, as an index. Its error contains the text it saw there, but not the position. */
function errorPosition(source: string, error: string, fragment: string | null): number {
  const lone = unpaired(source);
  if (error.startsWith('missing closing )') && lone.open >= 0) return lone.open;
  if (error.startsWith('unexpected )') && lone.close >= 0) return lone.close;
  if (error.startsWith('trailing backslash')) return source.length - 1;
  return fragment === null ? 0 : firstFailing(source, error, fragment);
}

/**
 * The text in the parser's error may occur more than once. The shortest prefix that fails in the same way is found by
 * binary search.
 */
function firstFailing(source: string, error: string, fragment: string): number {
  const positions: number[] = [];
  for (let at = source.indexOf(fragment); at >= 0; at = source.indexOf(fragment, at + 1)) positions.push(at);
  let [low, high] = [0, positions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const failed = compile(source.slice(0, positions[middle]! + fragment.length));
    if (failed instanceof RE2JSSyntaxException && failed.error === error && failed.input === fragment) high = middle;
    else low = middle + 1;
  }
  return positions[low] ?? 0;
}
