import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostCookie } from '../http/host-cookie.ts';
import { isId } from '../ids.ts';

/** The cookie of a browser's session (contract/users-and-auth.md §6): the session's id and a secret, of which only a hash is stored. */
export interface SessionSecret {
  readonly sessionId: string;
  readonly secret: string;
}

export const newSessionSecret = (): string => randomBytes(32).toString('base64url');

/** A plain hash is enough: the secret is random, so it cannot be guessed. */
export const hashSessionSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const secretMatches = (secret: string, hash: Buffer): boolean => timingSafeEqual(hashSessionSecret(secret), hash);

/** Name and attributes of the cookie, by the scheme of the service's public address. */
export interface SessionCookie {
  /** The value for `Set-Cookie`. `seconds` is how long the browser keeps it. */
  set(value: SessionSecret, seconds: number): string;
  /** The value for `Set-Cookie` that removes it. */
  clear(): string;
  /** The session's secret in a `Cookie` header; null if there is none, or one that was not made here. */
  read(header: string | undefined): SessionSecret | null;
}

export function sessionCookie(publicUrl: string): SessionCookie {
  const cookie = hostCookie(publicUrl, 'longshore');
  return {
    set: ({ sessionId, secret }, seconds) => cookie.set(`${sessionId}.${secret}`, seconds),
    clear: cookie.clear,
    read(header) {
      const [sessionId, secret, ...more] = cookie.read(header)?.split('.') ?? [];
      if (sessionId === undefined || secret === undefined || more.length > 0 || !isId(sessionId)) return null;
      return { sessionId, secret };
    },
  };
}
