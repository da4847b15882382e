import { CST, type Document, isAlias, isCollection, isPair, Lexer } from 'yaml';

/** More than anybody writes; the parser takes a second for 100,000, and the square of it for what refers to others. */
export const mostValues = 100_000;
export const mostReferences = 10_000;

/** Below this no text has too many of either: a reference takes two characters and a comma. */
const surelySmall = 3 * mostReferences;

const valueTypes: ReadonlySet<string | null> = new Set(['scalar', 'single-quoted-scalar', 'double-quoted-scalar', 'alias']);

/** The line from which on a text has too many names and values, or references; `null` where it has not. Costs a tenth of parsing it. */
export function lineOfTooMuch(text: string): number | null {
  if (text.length <= surelySmall) return null;
  let [values, references, line] = [0, 0, 1];
  let isContent = false;
  for (const token of new Lexer().lex(text)) {
    // What follows the mark of a scalar is its text, whatever it begins with.
    const type: CST.TokenType | null = isContent ? null : CST.tokenType(token);
    isContent = type === 'scalar';
    if (valueTypes.has(type)) values += 1;
    if (type === 'alias') references += 1;
    if (values > mostValues || references > mostReferences) return line;
    line += token.split('\n').length - 1;
  }
  return null;
}

/** Whether its values, each as often as it is referred to, are too many; one that refers to itself has no end. */
export function growsTooMuch(document: Document.Parsed): boolean {
  const sizes = new Map<string, number>();
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) return sizes.get(node.source) ?? Number.POSITIVE_INFINITY;
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    const { anchor } = (node ?? {}) as { readonly anchor?: string };
    if (anchor !== undefined) sizes.set(anchor, Number.POSITIVE_INFINITY);
    const size = isCollection(node) ? node.items.reduce((sum: number, item) => sum + sizeOf(item), 0) : 1;
    if (anchor !== undefined) sizes.set(anchor, size);
    return size;
  };
  return sizeOf(document.contents) > mostValues;
}
