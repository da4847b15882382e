import { serverNames } from './connection-of.ts';

/** A database address for display: without user, password and options. */
export function displayUrlOf(databaseUrl: string): string {
  const names = serverNames(databaseUrl);
  if (names.length > 1) return names.join(', ');
  try {
    const { host, pathname } = new URL(databaseUrl);
    return `${host}${pathname}`;
  } catch {
    return 'the given address (it is not of the form postgres://user:password@host:port/database)';
  }
}
