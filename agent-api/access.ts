import { LRUCache } from 'lru-cache';
import type { TokenHolder, Tokens } from '#engine/tokens/tokens.ts';
import { covers, type Need } from '#protocol/agent/scopes.ts';
import { ApiError } from '#protocol/errors.ts';
import { sameSecret, shownToken } from './token.ts';

/**
 * Who calls, and what that caller may do (docs/decisions/0027). On loopback a caller without a token is the person
 * at this machine; beyond it every call shows the agent's own token, or one that was made for an application.
 */
export type Caller =
  /** A program or page of this machine: no token was shown and none is needed. */
  | { readonly kind: 'local' }
  /** Shows the agent's own token. */
  | { readonly kind: 'owner'; readonly local: boolean }
  | { readonly kind: 'application'; readonly holder: TokenHolder };

export interface AccessPolicy {
  /** Whether it listens on loopback only, where no token is needed. */
  readonly loopback: boolean;
  /** The agent's own token; `null` where it has none. */
  readonly token: string | null;
  readonly tokens: Pick<Tokens, 'holder'>;
}

/** Who shows this header; `null` where a token is needed and missing, `wrong` where the one shown is not good. */
export function callerOf(authorization: string | undefined, { loopback, token, tokens }: AccessPolicy): Caller | 'wrong' | null {
  if (authorization === undefined) return loopback ? { kind: 'local' } : null;
  const shown = shownToken(authorization);
  if (token !== null && sameSecret(shown, token)) return { kind: 'owner', local: loopback };
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
  throw new ApiError('not_allowed', { detail });
}

/** Whether the caller keeps to the allowed folders: all but those who can choose any file of this machine anyway. */
export function isFenced(caller: Caller): boolean {
  return caller.kind === 'application' || (caller.kind === 'owner' && !caller.local);
}

/** Wrong tokens by address. */
export interface WrongTokens {
  /** Counts one and gives what to answer: 401, or 429 where there were too many. */
  count(address: string): ApiError;
}

const window = 60_000;

/**
 * Bounds wrong tokens by address. A right one always passes: 32 random bytes are not guessed, and one program with an
 * old token must not keep the others of its machine out.
 */
export function createWrongTokens(max: number, addresses = 10_000): WrongTokens {
  const counts = new LRUCache<string, { count: number }>({ max: addresses, ttl: window });
  return {
    count(address) {
      const known = counts.get(address) ?? { count: 0 };
      known.count += 1;
      if (known.count === 1) counts.set(address, known);
      if (known.count <= max) return new ApiError('agent_token_required');
      return new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil(counts.getRemainingTTL(address) / 1_000)) });
    },
  };
}
