import { LRUCache } from 'lru-cache';
import type { TokenHolder, Tokens } from '#engine/tokens/tokens.ts';
import { covers, type Need } from '#protocol/agent/scopes.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import type { PageEntry } from './page-entry.ts';
import { sameSecret, shownToken } from './token.ts';

/**
 * Who calls, and what this caller may do (docs/decisions/0027). On loopback a caller without a token is the person at
 * this machine. Beyond loopback, or with `--require-token`, every call needs a token: the agent's own, the page's, or
 * an application's.
 */
export type Caller =
  /** A program or page of this machine: no token was shown and none is needed. */
  | { readonly kind: 'local' }
  /** Shows the agent's own token, or that of its page. */
  | { readonly kind: 'owner'; readonly local: boolean }
  | { readonly kind: 'application'; readonly holder: TokenHolder };

interface AccessPolicy {
  /** Whether a call without a token is refused. */
  readonly tokenNeeded: boolean;
  /** Whether its callers are at this machine: it listens on loopback only, or on a Unix socket. */
  readonly local: boolean;
  /** The agent's own token; `null` where it has none. */
  readonly token: string | null;
  readonly tokens: Pick<Tokens, 'holder'>;
  readonly pages: Pick<PageEntry, 'knows'>;
}

/** The caller that this header identifies. `null`: a token is required and missing. `wrong`: the token is not valid. */
export function callerOf(authorization: string | undefined, policy: AccessPolicy): Caller | 'wrong' | null {
  const { tokenNeeded, local, token, tokens, pages } = policy;
  if (authorization === undefined) return tokenNeeded ? null : { kind: 'local' };
  const shown = shownToken(authorization);
  if ((token !== null && sameSecret(shown, token)) || pages.knows(shown)) return { kind: 'owner', local };
  const holder = tokens.holder(shown);
  return holder ? { kind: 'application', holder } : 'wrong';
}

/** `not_allowed` where the caller's token does not cover what the call needs. */
export function checkNeed(caller: Caller, need: Need): void {
  if (caller.kind !== 'application' || covers(caller.holder.scopes, need)) return;
  const detail =
    need === 'owner'
      ? 'Tokens are made, listed and deleted by the person at this machine, or with the agent’s own token.'
      : `This call needs the scope "${need}", and this token has ${caller.holder.scopes.map((scope) => `"${scope}"`).join(', ')}.`;
  throw new AgentError('not_allowed', { detail });
}

/**
 * Whether the caller is restricted to the allowed folders. Callers that can choose any file of this machine anyway are
 * not.
 */
export function isRestricted(caller: Caller): boolean {
  return caller.kind === 'application' || (caller.kind === 'owner' && !caller.local);
}

/** Counts wrong tokens by address. */
interface WrongTokens {
  /** Counts one wrong token. Returns the error to answer with: 401, or 429 above the limit. */
  count(address: string): ApiError;
}

const window = 60_000;

/**
 * Limits wrong tokens by address. A valid token is always accepted: 32 random bytes cannot be guessed, and a program
 * with an old token must not lock out the other programs of its machine.
 */
export function createWrongTokens(max: number, addresses = 10_000): WrongTokens {
  const counts = new LRUCache<string, { count: number }>({ max: addresses, ttl: window });
  return {
    count(address) {
      const known = counts.get(address) ?? { count: 0 };
      known.count += 1;
      if (known.count === 1) counts.set(address, known);
      if (known.count <= max) return new AgentError('agent_token_required');
      return new AgentError('rate_limited', { seconds: Math.max(1, Math.ceil(counts.getRemainingTTL(address) / 1_000)) });
    },
  };
}
