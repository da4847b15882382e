import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

/** Reads which scripts stand in a built page, as sources of a Content-Security-Policy; null while there is no such file. */
export type InlineScripts = (path: string) => Promise<readonly string[] | null>;

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

/** A policy names a script by the digest of its text. */
export const inlineScriptsOf = (html: string): string[] =>
  [...html.matchAll(inlineScript)].map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);

/** Reads a page anew when it was built anew. */
export function createInlineScripts(): InlineScripts {
  const known = new Map<string, { readonly builtAt: number; readonly scripts: readonly string[] }>();
  return async (path) => {
    const builtAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (builtAt === null) return null;
    const before = known.get(path);
    if (before?.builtAt === builtAt) return before.scripts;
    const scripts = inlineScriptsOf(await readFile(path, 'utf8'));
    known.set(path, { builtAt, scripts });
    return scripts;
  };
}
