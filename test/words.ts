import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * Part of `npm run check`: names of files, of what they declare, and of classes and ids of pages keep to the field's
 * words, so that a newcomer's search lands. docs/glossary.md says what our words mean. And no test leaves variables of its
 * process to the next file.
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
  anew: 'reset or retry',
  coat: 'encoding',
  coats: 'encodings',
  ways: 'actions, options or what they are ways of',
  hearing: 'announcement',
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
  marks: 'hash set',
  turns: 'yielder or queue',
};

/** Words that say nothing in a class or an id of a page either. */
const refusedInClasses: Readonly<Record<string, string>> = {
  place: 'route, view, link: what it is a place of',
  places: 'navigation, views',
  way: 'action or option',
  held: 'paused, loaded',
};

/** Words that say too little where bytes move, in local names too. */
const refusedInCore: Readonly<Record<string, string>> = {
  told: 'notified, counted, or what was told',
  untold: 'without what was not told',
  begun: 'started, partial or opened',
  kept: 'stored, reused, done or a maximum',
  again: 'retry, repeated, or the action itself',
  news: 'update or changed',
};
const core = /^(engine|storage|client|providers|filesystem|net)\//;

/** Names that the database and its job queue have stored, so a rename would lose them. */
const stored: Readonly<Record<string, readonly string[]>> = {
  'service/database/schema/files.ts': ['place'],
  'service/files/writes.ts': ['place'],
  'service/portals/package-totals.ts': ['place'],
  'service/jobs/kinds.ts': ['occasion'],
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

/** What is wrong with a name that this file declares, if anything. */
export function refusalOf(name: string, local = false, file = ''): { readonly word: string; readonly better: string } | null {
  const words = wordsOf(name);
  const inCore = core.test(file) ? words.find((one) => Object.hasOwn(refusedInCore, one)) : undefined;
  if (inCore !== undefined) return { word: inCore, better: refusedInCore[inCore]! };
  if (!local && words.length === 1 && Object.hasOwn(refusedAlone, words[0]!)) return { word: words[0]!, better: refusedAlone[words[0]!]! };
  const word = words.find((one) => Object.hasOwn(refused, one));
  return word === undefined ? null : { word, better: refused[word]! };
}

/** What is wrong with a class or an id of a page, if anything. */
export function refusalOfClass(name: string): { readonly word: string; readonly better: string } | null {
  const word = wordsOf(name).find((one) => Object.hasOwn(refusedInClasses, one));
  return word === undefined ? refusalOf(name, true) : { word, better: refusedInClasses[word]! };
}

interface DeclaredName {
  readonly name: string;
  readonly offset: number;
  /** Declared within a function, so nobody outside reads it. */
  readonly local: boolean;
}

/** The names that a source declares: variables, functions, types, parameters, members. */
export function declaredNames(file: string, source: string): DeclaredName[] {
  const names: DeclaredName[] = [];
  let functions = 0;
  const add = (node: unknown, local = functions > 0): void => {
    const { type, name, start } = (node ?? {}) as { type?: string; name?: unknown; start: number };
    if (type === 'Identifier' || type === 'PrivateIdentifier') names.push({ name: String(name), offset: start, local });
  };
  const pattern = (node: unknown, local?: boolean): void => {
    const one = node as { type: string; [key: string]: unknown } | null;
    if (!one) return;
    if (one.type === 'Identifier') add(one, local);
    else if (one.type === 'ObjectPattern')
      for (const property of one.properties as { value?: unknown; argument?: unknown }[])
        pattern(property.value ?? property.argument, local);
    else if (one.type === 'ArrayPattern') for (const element of one.elements as unknown[]) pattern(element, local);
    else if (one.type === 'AssignmentPattern') pattern(one.left, local);
    else if (one.type === 'RestElement') pattern(one.argument, local);
    else if (one.type === 'TSParameterProperty') pattern(one.parameter, false);
  };
  const enter = (node: { id?: unknown; params?: unknown }): void => {
    add(node.id);
    functions++;
    for (const parameter of (node.params ?? []) as unknown[]) pattern(parameter, true);
  };
  const leave = (): void => {
    functions--;
  };
  const member = (node: { key?: unknown; computed?: boolean }): void => {
    if (!node.computed) add(node.key, false);
  };
  const visitor = new Visitor({
    VariableDeclarator: (node) => pattern(node.id),
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    ClassDeclaration: (node) => add(node.id),
    TSInterfaceDeclaration: (node) => add(node.id),
    TSTypeAliasDeclaration: (node) => add(node.id),
    MethodDefinition: member,
    PropertyDefinition: member,
    TSPropertySignature: member,
    TSMethodSignature: member,
  });
  visitor.visit(parseSync(file, source).program);
  return names;
}

/** Classes of a style sheet, or ids of elements in a source: `.tool-bar {`, `id="content"`. */
export function pageNames(file: string, source: string): { readonly name: string; readonly offset: number }[] {
  const pattern = file.endsWith('.css') ? /\.([a-z][\w-]*)(?=[^{}]*\{)/gi : /\bid="([^"]+)"/g;
  return [...source.matchAll(pattern)].map((match) => ({ name: match[1]!, offset: match.index }));
}

const setting = /\bprocess\.env(?:\[[^\]]+\]|\.\w+)\s*(?:\?\?|\|\|)?=(?!=)|\bdelete process\.env\b|\bObject\.assign\(process\.env\b/;

/**
 * Where a test file leaves something in the variables of its process, which it shares with those that come after it: it sets
 * one by itself, or by `vi.stubEnv` and never takes it back. -1: nowhere.
 */
export function environmentLeft(file: string, source: string): number {
  if (!/\.test\.tsx?$/.test(file)) return -1;
  return source.includes('vi.unstubAllEnvs') ? source.search(setting) : source.search(new RegExp(`${setting.source}|\\bvi\\.stubEnv\\(`));
}

function findingsIn(file: string, source: string): Finding[] {
  const found: Finding[] = [];
  const seen = new Set<string>();
  const add = (name: string, offset: number, refusal: ReturnType<typeof refusalOf>): void => {
    if (!refusal || seen.has(name) || stored[file]?.includes(name)) return;
    seen.add(name);
    found.push({ at: `${file}:${source.slice(0, offset).split('\n').length}`, name, ...refusal });
  };
  const left = environmentLeft(file, source);
  if (left >= 0)
    add('process.env', left, { word: 'the same to the files that follow', better: 'vi.stubEnv, and vi.unstubAllEnvs at the end' });
  for (const part of file.split('/').map((one) => basename(one).replace(/(\.test)?\.(tsx?|css)$/, ''))) {
    const refusal = refusalOf(part, false, file);
    if (refusal) found.push({ at: file, name: part, ...refusal });
  }
  if (!file.endsWith('.css'))
    for (const { name, offset, local } of declaredNames(file, source)) add(name, offset, refusalOf(name, local, file));
  if (!file.endsWith('.ts')) for (const { name, offset } of pageNames(file, source)) add(name, offset, refusalOfClass(name));
  return found;
}

function findings(): Finding[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.css'], {
    cwd: project,
    encoding: 'utf8',
  });
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
      return findingsIn(file, source);
    });
}

if (import.meta.main) {
  const all = findings();
  for (const { at, name, word, better } of all) console.error(`${at}: “${name}” says “${word}”: say ${better}.`);
  if (all.length > 0) {
    console.error(`${all.length} to mend; test/words.ts has the tables, and says why.`);
    process.exitCode = 1;
  }
}
