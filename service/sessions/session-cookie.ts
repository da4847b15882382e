import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
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

/**
 * `__Host-` binds the cookie to this host, to TLS and to the whole path, so that no neighbouring host can set it. Browsers
 * take such a cookie over TLS and from their own machine only; a service that is offered without TLS elsewhere has one
 * without that protection.
 */
export function sessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:') || isOwnMachine(new URL(publicUrl).hostname);
  const name = isSecure ? '__Host-longshore' : 'longshore';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    set: ({ sessionId, secret }, seconds) => `${name}=${sessionId}.${secret}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read(header) {
      if (header === undefined || header.length > 16_384) return null;
      const pair = header.split(/; */).find((one) => one.startsWith(`${name}=`));
      const [sessionId, secret, ...more] = pair?.slice(name.length + 1).split('.') ?? [];
      if (sessionId === undefined || secret === undefined || more.length > 0 || !isId(sessionId)) return null;
      return { sessionId, secret };
    },
  };
}

const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
