import type pg from 'pg';
import { StartError } from '../start-error.ts';

/**
 * The settings for connections to the database that an operator names. Errors: `StartError` where it names several servers: the
 * driver connects to one, and would take the list for a name that no server has.
 */
export function connectionOf(databaseUrl: string): pg.ClientConfig {
  const { hosts, parameters } = partsOf(databaseUrl);
  const attrs = parameters.get('target_session_attrs') ?? 'any';
  if (hosts.length > 1) {
    throw new StartError(
      'option_invalid',
      `--database-url names several servers (${hosts.join(', ')}). Longshore connects to one: name an address that always leads to the primary, as HAProxy, PgBouncer or a floating address has it (docs/operating.md, "A PostgreSQL with a copy"), or the primary alone.`,
    );
  }
  if (attrs !== 'any') {
    throw new StartError(
      'option_invalid',
      `--database-url asks for a server by target_session_attrs=${attrs}, which Longshore cannot choose by. Name an address that always leads to the primary, and leave target_session_attrs out.`,
    );
  }
  return { connectionString: databaseUrl };
}

/** As libpq reads it. `URL` takes no list with ports. */
function partsOf(databaseUrl: string): { readonly hosts: readonly string[]; readonly parameters: URLSearchParams } {
  const [, authority = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  const hosts = parameters.get('host') ?? authority.slice(authority.lastIndexOf('@') + 1);
  return { hosts: hosts.split(','), parameters };
}
