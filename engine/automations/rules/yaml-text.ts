import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { growsTooMuch, lineOfTooMuch } from './yaml-bounds.ts';
import { noSuchReference, problemText } from './yaml-problems.ts';

/** A YAML text that was read, and where in it each value stands. */
export interface YamlText {
  readonly value: unknown;
  /** The line, from 1, of the value at a path of keys and positions; that of the nearest one around it where there is none. */
  lineOf(path: readonly (string | number)[]): number;
}

/** What is wrong with a YAML text, and where. */
export class YamlFault extends Error {
  readonly line: number;
  /** @param message a sentence without the line */
  constructor(line: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'YamlFault';
    this.line = line;
  }
}

/**
 * Reads one YAML document. Values are texts, numbers, yes-or-no (`true`, `false`), lists and mappings; a time or a date
 * is a text. An empty text is an empty mapping.
 *
 * @param asWritten every value is a text, with the letters that it is written in
 * @throws YamlFault
 */
export function readYaml(text: string, { asWritten = false }: { readonly asWritten?: boolean } = {}): YamlText {
  const long = lineOfTooMuch(text);
  if (long !== null) throw new YamlFault(long, 'This is too long: up to here there are more names, values or references than are read.');
  const counter = new LineCounter();
  const document = parseDocument(text, {
    ...(asWritten && { schema: 'failsafe' }),
    lineCounter: counter,
    prettyErrors: false,
    version: '1.2',
    resolveKnownTags: false,
    stringKeys: true,
  });
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw new YamlFault(lineAt(error.pos[0]), problemText(error), { cause: error });
  const unknown = firstUnknownReference(document);
  if (unknown !== null) throw new YamlFault(lineAt(unknown), noSuchReference);
  const lineOf = (path: readonly (string | number)[]): number => {
    let [node, line]: [Node | null, number] = [document.contents, 1];
    for (const step of path) {
      if (!isCollection(node)) break;
      const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
      const next = node.get(step, true);
      const start = (isNode(pair?.key) ? pair.key : isNode(next) ? next : null)?.range?.[0];
      if (start === undefined) break;
      line = lineAt(start);
      node = isNode(next) ? next : null;
    }
    return line;
  };
  if (growsTooMuch(document)) throw new YamlFault(1, 'It refers to itself too often.');
  return { value: document.toJS({ maxAliasCount: -1 }) ?? {}, lineOf };
}

/** Where it stands; `null` where each reference has its value. One walk: there may be many of both. */
function firstUnknownReference(document: Document.Parsed): number | null {
  const marked = new Set<string>();
  let found: number | null = null;
  visit(document, {
    Alias(_key, { source, range }) {
      if (marked.has(source)) return undefined;
      found = range?.[0] ?? 0;
      return visit.BREAK;
    },
    Value(_key, { anchor }) {
      if (anchor !== undefined) marked.add(anchor);
    },
  });
  return found;
}
