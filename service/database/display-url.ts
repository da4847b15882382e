/** A database address for display: without user, password and options. */
export function displayUrlOf(databaseUrl: string): string {
  try {
    const { host, pathname } = new URL(databaseUrl);
    return `${host}${pathname}`;
  } catch {
    return 'the given address (it is not of the form postgres://user:password@host:port/database)';
  }
}
