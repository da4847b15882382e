import type { PathRules } from '#providers/ports.ts';

/**
 * Names that a provider cannot hold are changed by one rule, which can be read and turned back: a character is written as
 * `_xHHHH_`, its UTF-16 code in hex, as XML names and spreadsheets do. An underscore with which a name looks so by itself
 * is written in that way too, so no two names become one.
 */
const anyEscape = /_x([0-9A-F]{4})_/g;
const escapeRest = /^x[0-9A-F]{4}_/;

const escapeUnit = (unit: string): string => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/** A character may be a pair of UTF-16 units. */
const escapeCharacter = (character: string): string => character.split('').map(escapeUnit).join('');

export function render(characters: readonly string[], isEscaped: readonly boolean[]): string {
  let text = '';
  for (let index = characters.length - 1; index >= 0; index--) {
    const character = characters[index]!;
    const escapes = isEscaped[index] || (character === '_' && escapeRest.test(text));
    text = (escapes ? escapeCharacter(character) : character) + text;
  }
  return text;
}

/** The name or path of which `safeName` or `safePath` made this one. */
export const originalName = (name: string): string =>
  name.replace(anyEscape, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Which characters have to be escaped. All as they are, where no change helps. */
function escapesOf(rules: PathRules, characters: readonly string[]): boolean[] {
  const isGood = (isEscaped: readonly boolean[]): boolean => rules.problem(render(characters, isEscaped)) === null;
  const none = characters.map(() => false);
  if (isGood(none)) return none;
  const refused = characters.map((character) => rules.problem(`x${character}x`) !== null);
  // What is wrong may be where a character stands: at the end, the beginning, or both.
  const last = refused.with(-1, true);
  const candidates = [refused, last, refused.with(0, true), last.with(0, true)];
  return candidates.find(isGood) ?? none;
}

/** Letters, and characters that may be composed of others: what a provider that ignores case may take for another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant
const hasVariants = /[A-Za-z]|[^\u0000-\u007f]/;

/**
 * A name (one step of a path) as the provider can hold it, then other spellings for one that differs from another name in
 * its case alone: with its first letter escaped, its first two, and so on. The last spelling is nobody else's.
 */
export function* safeNames(rules: PathRules, name: string): Generator<string> {
  const characters = [...name];
  if (characters.length === 0) return yield name;
  const isEscaped = escapesOf(rules, characters);
  yield render(characters, isEscaped);
  for (const [index, character] of characters.entries()) {
    if (isEscaped[index] || !hasVariants.test(character)) continue;
    isEscaped[index] = true;
    yield render(characters, isEscaped);
  }
}

/** A name as the provider can hold it. Where no change helps it stays, and `rules.problem` says what is wrong. */
export const safeName = (rules: PathRules, name: string): string => safeNames(rules, name).next().value as string;

export const safePath = (rules: PathRules, path: string): string =>
  path
    .split('/')
    .map((step) => safeName(rules, step))
    .join('/');

/** The same for all paths that a provider which ignores case may take for one. */
export const foldedPath = (path: string): string => path.normalize('NFC').toLowerCase();
