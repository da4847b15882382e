import { mayShowSecrets, serverNames } from './connection-of.ts';

const unknown = 'the given address (it is not of the form postgres://user:password@host:port/database)';

/** A database address for display: without user, password and options. */
export function displayUrlOf(databaseUrl: string): string {
  if (mayShowSecrets(databaseUrl)) return unknown;
  const names = serverNames(databaseUrl);
  if (names.length > 1) return names.join(', ');
  try {
    const { host, pathname } = new URL(databaseUrl);
    return `${host}${pathname}`;
  } catch {
    return unknown;
  }
}
