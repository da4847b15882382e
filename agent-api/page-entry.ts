import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { enterPlace } from '#protocol/agent/page-entry.ts';

/** Single-use addresses that sign a browser in without typing the token, and the page tokens that replace them. */
export interface PageEntry {
  /** An address in the page (`#/enter?code=…`). Valid once, and until `expiresAt` (milliseconds since 1970). */
  issue(to?: string): { readonly route: string; readonly expiresAt: number };
  /** The page token for a code; `null` where the code is unknown, used or expired. */
  trade(code: string): string | null;
  /** Whether this is a token of a page that signed in with a code. */
  knows(token: string): boolean;
}

const codeLife = 60_000;
const mostCodes = 100;
/** Maximum number of signed-in pages. Beyond it the least recently used page must sign in again. */
const mostPages = 1_000;

const random = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
/** Stored and looked up as digests, so that the lookup time reveals nothing about the secrets. */
const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');

/** Everything is in memory: after a restart of the agent a page must sign in again. */
export function createPageEntry(now: () => number = Date.now): PageEntry {
  const codes = new LRUCache<string, number>({ max: mostCodes });
  const pages = new LRUCache<string, true>({ max: mostPages });
  return {
    issue(to = '') {
      const code = random('lsc_');
      const expiresAt = now() + codeLife;
      codes.set(digestOf(code), expiresAt);
      const query = new URLSearchParams({ code, ...(to === '' ? {} : { to }) });
      return { route: `${enterPlace}?${query}`, expiresAt };
    },
    trade(code) {
      const digest = digestOf(code);
      const expiresAt = codes.get(digest);
      codes.delete(digest);
      if (expiresAt === undefined || expiresAt <= now()) return null;
      const token = random('lsp_');
      pages.set(digestOf(token), true);
      return token;
    },
    knows: (token) => pages.get(digestOf(token)) === true,
  };
}
