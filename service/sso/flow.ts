import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { SsoApp } from '#protocol/hosted/sso-sign-in.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';

/**
 * A sign-in through a company between its start and its end. It is a signed token in a cookie, so that only the browser
 * that began it can end it, and strangers who begin many take no room here.
 */
export interface SsoFlow {
  /** It is good once. */
  readonly id: string;
  readonly teamId: string;
  /** The connection as it was at the start (schema/sso.ts). */
  readonly revision: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE, towards the provider. */
  readonly verifier: string;
  /** Where the person wanted to go: a path of this service. */
  readonly next: string;
  /** The program that is to be signed in; null for this browser. */
  readonly app: SsoApp | null;
  /** Nobody is signed in at its end, which says who it would have been. */
  readonly trial: boolean;
}

/** Random, in base64url, with the 43 characters that PKCE asks for. */
const random = (): string => randomBytes(32).toString('base64url');

export const newFlow = (about: Pick<SsoFlow, 'teamId' | 'revision' | 'next' | 'app' | 'trial'>): SsoFlow => ({
  id: newId(),
  state: random(),
  nonce: random(),
  verifier: random(),
  ...about,
});

/** A place of the console. Other addresses, such as those of other sites, are not led to. */
export const ownPath = (path: string | undefined): string => (path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/');

/** Uses up what is good once. False if it was used before. `seconds`: after which it would not be accepted anyway. */
export async function useOnce(
  { db, now }: { readonly db: Kysely<Database>; readonly now: () => Date },
  id: string,
  seconds: number = limits.ssoFlowSeconds,
): Promise<boolean> {
  const inserted = await db
    .insertInto('used_challenges')
    .values({ nonce: id, expires_at: new Date(now().getTime() + seconds * 1_000) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}
