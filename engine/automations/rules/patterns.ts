import { RE2JS } from 're2js';
import { globToRe2 } from './glob.ts';
import { notReadyNames } from './not-ready-names.ts';

/** What the patterns of an automation say about one path. */
export interface PatternVerdict {
  /** Whether it is to be sent at all. */
  readonly sent: boolean;
  /** Whether its name says that it is whole. False says: look again later. */
  readonly ready: boolean;
  /** The pattern that decided; empty where none did, so also where includes are given and none matches. */
  readonly by: string;
}

export interface PatternSet {
  /** Without any, everything is included. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Names that mean "not yet", besides the known ones (`not-ready-names.ts`). */
  readonly notReady?: readonly string[] | undefined;
  /** The watched folder's own path: what lies above the files counts, too, for names that mean "not yet". */
  readonly folder?: string | undefined;
}

/**
 * Compiles an automation's patterns into a function of a path inside the watched folder, with `/` between folders:
 * contract/agent.md §10. A pattern without `/` is held against the names of the file and of each folder above it, one
 * with `/` against the path from the watched folder on. A pattern that matches a folder matches all that is in it;
 * one that ends with `/` matches only folders. What is excluded is never sent, whatever includes it. A name that means "not
 * yet" and is a path anywhere (two stars, then `/`) is held against the whole path, so that it holds wherever in it the watched folder is.
 *
 * @param platform decides whether upper and lower case differ, as they do in this system's folders
 */
export function compilePatterns(
  { include = [], exclude = [], notReady = [], folder = '' }: PatternSet,
  platform: NodeJS.Platform = process.platform,
): (path: string) => PatternVerdict {
  const foldsCase = platform === 'win32' || platform === 'darwin';
  const cased = (patterns: readonly string[]) => patterns.map((pattern) => ({ pattern, foldsCase }));
  const included = compileAny(cased(include));
  const excluded = compileAny(cased(exclude));
  const names = [...cased(notReady), ...builtIn].flatMap((one) => seenFrom(folder, one));
  const waiting = names.length === builtIn.length ? builtInAlone() : compileAny(names);
  // Most paths match none of these, and are asked one question instead of two.
  const special = exclude.length === 0 ? waiting : compileAny([...cased(exclude), ...names]);
  return (path) => {
    const name = path.normalize('NFC');
    const isSpecial = special.matches(name);
    if (isSpecial && excluded.matches(name)) return new Verdict(false, true, excluded, name);
    if (include.length > 0 && !included.matches(name)) return notIncluded;
    if (isSpecial && waiting.matches(name)) return new Verdict(true, false, waiting, name);
    return include.length > 0 ? new Verdict(true, true, included, name) : everyFile;
  };
}

/** Shared, since most of a hundred thousand paths have one of these. */
const everyFile: PatternVerdict = { sent: true, ready: true, by: '' };
const notIncluded: PatternVerdict = { sent: false, ready: true, by: '' };

/** Which pattern decided is looked up when somebody asks, since mostly nobody does. */
class Verdict implements PatternVerdict {
  readonly sent: boolean;
  readonly ready: boolean;
  readonly #matcher: PatternMatcher;
  readonly #name: string;

  constructor(sent: boolean, ready: boolean, matcher: PatternMatcher, name: string) {
    this.sent = sent;
    this.ready = ready;
    this.#matcher = matcher;
    this.#name = name;
  }

  get by(): string {
    return this.#matcher.first(this.#name);
  }
}

interface CasedPattern {
  readonly pattern: string;
  readonly foldsCase: boolean;
  /** Of which pattern it is a part. */
  readonly of?: string;
}

const anywhere = '**/';

/**
 * A pattern of a path anywhere, and what is left of it inside the folder, where the first of its parts are the folder's own
 * and its parents' names. A folder that it matches as a whole was chosen on purpose.
 */
function seenFrom(folder: string, cased: CasedPattern): CasedPattern[] {
  const { pattern, foldsCase } = cased;
  const above = folder.split(/[\\/]/).filter(Boolean);
  if (!pattern.startsWith(anywhere) || above.length === 0) return [cased];
  const parts = pattern.slice(anywhere.length).split('/');
  const lengths = parts.slice(0, -1).map((_, index) => index + 1);
  const inside = lengths
    .filter((length) => length <= above.length && parts.slice(length).some((part) => part !== ''))
    .filter((length) => {
      const head = { pattern: `/${parts.slice(0, length).join('/')}`, foldsCase };
      return compileAny([head]).matches(above.slice(-length).join('/').normalize('NFC'));
    });
  return [cased, ...inside.map((length) => ({ pattern: `/${parts.slice(length).join('/')}`, foldsCase, of: pattern }))];
}

/** The case of names that programs give while they write differs from system to system, but for random ones. */
const builtIn: readonly CasedPattern[] = notReadyNames.map(({ pattern, caseSensitive = false }) => ({
  pattern,
  foldsCase: !caseSensitive,
}));

interface PatternMatcher {
  matches(path: string): boolean;
  /** The first pattern that matches; empty where none does. */
  first(path: string): string;
}

function compileAny(patterns: readonly CasedPattern[]): PatternMatcher {
  if (patterns.length === 0) return { matches: () => false, first: () => '' };
  const sources = patterns.map(({ pattern, foldsCase }) => `(?${foldsCase ? 'i' : ''}s:${pathToRe2(pattern.normalize('NFC'))})`);
  const compile = (source: string): RE2JS => RE2JS.compile(`^(?:${source})$`);
  // One expression for all of them costs a path that none matches no more than one pattern does.
  const any = compile(sources.join('|'));
  const single = new Map<number, RE2JS>();
  return {
    matches: (path) => any.matches(path),
    first(path) {
      const index = sources.findIndex((source, at) => {
        if (!single.has(at)) single.set(at, compile(source));
        return single.get(at)!.matches(path);
      });
      return patterns[index]?.of ?? patterns[index]?.pattern ?? '';
    },
  };
}

let known: PatternMatcher | undefined;
/** What most automations have: compiled once, as it is a long expression. */
function builtInAlone(): PatternMatcher {
  known ??= compileAny(builtIn);
  return known;
}

function pathToRe2(pattern: string): string {
  const folderOnly = pattern.endsWith('/');
  const inside = folderOnly ? pattern.slice(0, -1) : pattern;
  const below = folderOnly ? '/.*' : '(?:/.*)?';
  if (inside.startsWith('/')) return `${globToRe2(inside.slice(1))}${below}`;
  return inside.includes('/') ? `${globToRe2(inside)}${below}` : `(?:.*/)?${globToRe2(inside)}${below}`;
}
