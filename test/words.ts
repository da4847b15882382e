import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * Part of `npm run check`: names of files and of what they declare keep to the field's words, so that a newcomer's
 * search lands. docs/glossary.md says what our words mean.
 */

/** Words that no name has, and what is said in their place. */
const refused: Readonly<Record<string, string>> = {
  gatherer: 'batcher',
  gather: 'batch',
  shipment: 'batch',
  shipper: 'batch put',
  company: 'batch',
  turnstile: 'drain gate',
  lane: 'concurrency, size class or transfer I/O',
  lanes: 'concurrency',
  mover: 'byte transport',
  movers: 'byte transport',
  shelf: 'store',
  chronicle: 'event log',
  alarm: 'waker',
  litter: 'ignored names',
  tidy: 'cleanup',
  debt: 'cleanup',
  owe: 'mark for cleanup',
  admit: 'path guard',
  fence: 'safe root or path scope',
  fenced: 'restricted',
  door: 'agent handle or connection',
  doors: 'agent connection',
  occasion: 'event',
  announce: 'fan out',
  perseverance: 'retry until done',
  tongue: 'locale',
  hopeless: 'is permanent',
  spoiled: 'corrupted',
};

/** Words that are the field's within a name, but say nothing as a whole one. */
const refusedAlone: Readonly<Record<string, string>> = {
  place: 'route, cursor, bounds: what it is a place of',
  book: 'registry or cache',
  held: 'what it is: pinned, paused, guarded',
  noted: 'scan checkpoint',
  desk: 'actions',
  doing: 'actions',
  later: 'lazy',
  early: 'prefetch',
  standing: 'state, status or limit',
  many: 'batch',
  together: 'batch',
  group: 'batch',
};

const project = fileURLToPath(new URL('..', import.meta.url));

interface Finding {
  readonly at: string;
  readonly name: string;
  readonly word: string;
  readonly better: string;
}

/** `DownloadGatherer2` → download, gatherer. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
}

/** What is wrong with a name, if anything. */
export function refusalOf(name: string): { readonly word: string; readonly better: string } | null {
  const words = wordsOf(name);
  if (words.length === 1 && Object.hasOwn(refusedAlone, words[0]!)) return { word: words[0]!, better: refusedAlone[words[0]!]! };
  const word = words.find((one) => Object.hasOwn(refused, one));
  return word === undefined ? null : { word, better: refused[word]! };
}

/** The names that a source declares, with the offset of each: variables, functions, types, parameters, members. */
export function declaredNames(file: string, source: string): { readonly name: string; readonly offset: number }[] {
  const names: { name: string; offset: number }[] = [];
  const add = (node: { type: string; name?: unknown; start: number } | null | undefined): void => {
    if (node?.type === 'Identifier' || node?.type === 'PrivateIdentifier') names.push({ name: String(node.name), offset: node.start });
  };
  const pattern = (node: unknown): void => {
    const one = node as { type: string; [key: string]: unknown } | null;
    if (!one) return;
    if (one.type === 'Identifier') add(one as never);
    else if (one.type === 'ObjectPattern')
      for (const property of one.properties as { value?: unknown; argument?: unknown }[]) pattern(property.value ?? property.argument);
    else if (one.type === 'ArrayPattern') for (const element of one.elements as unknown[]) pattern(element);
    else if (one.type === 'AssignmentPattern') pattern(one.left);
    else if (one.type === 'RestElement') pattern(one.argument);
    else if (one.type === 'TSParameterProperty') pattern(one.parameter);
  };
  const callable = (node: { id?: unknown; params?: unknown }): void => {
    add(node.id as never);
    for (const parameter of (node.params ?? []) as unknown[]) pattern(parameter);
  };
  const member = (node: { key?: unknown; computed?: boolean }): void => {
    if (!node.computed) add(node.key as never);
  };
  const visitor = new Visitor({
    VariableDeclarator: (node) => pattern(node.id),
    FunctionDeclaration: (node) => callable(node),
    FunctionExpression: (node) => callable(node),
    ArrowFunctionExpression: (node) => callable(node),
    ClassDeclaration: (node) => add(node.id as never),
    TSInterfaceDeclaration: (node) => add(node.id as never),
    TSTypeAliasDeclaration: (node) => add(node.id as never),
    MethodDefinition: (node) => member(node),
    PropertyDefinition: (node) => member(node),
    TSPropertySignature: (node) => member(node),
    TSMethodSignature: (node) => member(node),
  });
  visitor.visit(parseSync(file, source).program);
  return names;
}

function findings(): Finding[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], { cwd: project, encoding: 'utf8' });
  return files
    .split('\n')
    .filter(Boolean)
    .flatMap((file) => {
      let source: string;
      try {
        source = readFileSync(`${project}/${file}`, 'utf8');
      } catch {
        return [];
      }
      const found: Finding[] = [];
      for (const part of file.split('/').map((one) => basename(one).replace(/(\.test)?\.tsx?$/, ''))) {
        const refusal = refusalOf(part);
        if (refusal) found.push({ at: file, name: part, ...refusal });
      }
      const seen = new Set<string>();
      for (const { name, offset } of declaredNames(file, source)) {
        const refusal = refusalOf(name);
        if (!refusal || seen.has(name)) continue;
        seen.add(name);
        found.push({ at: `${file}:${source.slice(0, offset).split('\n').length}`, name, ...refusal });
      }
      return found;
    });
}

if (import.meta.main) {
  const all = findings();
  for (const { at, name, word, better } of all) console.error(`${at}: “${name}” says “${word}”: say ${better}.`);
  if (all.length > 0) {
    console.error(
      `${all.length} ${all.length === 1 ? 'name' : 'names'} that a search with the field’s words would miss; test/words.ts has the table.`,
    );
    process.exitCode = 1;
  }
}
