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
}

/**
 * Compiles an automation's patterns into a function of a path inside the watched folder, with `/` between folders:
 * contract/agent.md §10. A pattern without `/` is held against the names of the file and of each folder above it, one
 * with `/` against the path from the watched folder on. A pattern that matches a folder matches all that is in it;
 * one that ends with `/` matches only folders. What is excluded is never sent, whatever includes it.
 *
 * @param platform decides whether upper and lower case differ, as they do in this system's folders
 */
export function compilePatterns(
  { include = [], exclude = [], notReady = [] }: PatternSet,
  platform: NodeJS.Platform = process.platform,
): (path: string) => PatternVerdict {
  const foldsCase = platform === 'win32' || platform === 'darwin';
  const included = compileAny(include, foldsCase);
  const excluded = compileAny(exclude, foldsCase);
  const named = compileAny(notReady, foldsCase);
  return (path) => {
    const name = path.normalize('NFC');
    const refusedBy = excluded(name);
    if (refusedBy !== null) return { sent: false, ready: true, by: refusedBy };
    const by = included(name);
    if (by === null && include.length > 0) return { sent: false, ready: true, by: '' };
    const waitsBy = named(name) ?? builtIn(name);
    return waitsBy === null ? { sent: true, ready: true, by: by ?? '' } : { sent: true, ready: false, by: waitsBy };
  };
}

/** The case of names that programs give while they write differs from system to system, but for random ones. */
const builtInOf = (caseSensitive: boolean) =>
  compileAny(
    notReadyNames.filter((name) => (name.caseSensitive ?? false) === caseSensitive).map(({ pattern }) => pattern),
    !caseSensitive,
  );
const [builtInFolded, builtInExact] = [builtInOf(false), builtInOf(true)];
const builtIn = (path: string): string | null => builtInFolded(path) ?? builtInExact(path);

/** Which of the patterns matches first; null where none does. */
function compileAny(patterns: readonly string[], foldsCase: boolean): (path: string) => string | null {
  if (patterns.length === 0) return () => null;
  const sources = patterns.map((pattern) => pathToRe2(pattern.normalize('NFC')));
  // Names may hold line breaks.
  const compile = (source: string): RE2JS => RE2JS.compile(`(?s)^(?:${source})$`, foldsCase ? RE2JS.CASE_INSENSITIVE : 0);
  // One expression for all of them costs a path that none matches no more than one pattern does.
  const any = compile(sources.join('|'));
  const single = new Map<number, RE2JS>();
  return (path) => {
    if (!any.matches(path)) return null;
    const index = sources.findIndex((source, at) => {
      if (!single.has(at)) single.set(at, compile(source));
      return single.get(at)!.matches(path);
    });
    return patterns[index] ?? null;
  };
}

function pathToRe2(pattern: string): string {
  const folderOnly = pattern.endsWith('/');
  const inside = folderOnly ? pattern.slice(0, -1) : pattern;
  const below = folderOnly ? '/.*' : '(?:/.*)?';
  if (inside.startsWith('/')) return `${globToRe2(inside.slice(1))}${below}`;
  return inside.includes('/') ? `${globToRe2(inside)}${below}` : `(?:.*/)?${globToRe2(inside)}${below}`;
}
