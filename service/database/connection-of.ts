import { StartError } from '../start-error.ts';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';

/** All that Longshore does wants a server that takes writes. */
const wanted = ['any', 'read-write', 'primary'];

/**
 * The settings for connections to the database that an operator names. Of several servers (`postgres://a,b/database`) the one is
 * used that is the primary, also where that is another one later. Errors: `StartError`.
 */
export function connectionOf(databaseUrl: string): DatabaseConnection {
  if (mayShowSecrets(databaseUrl)) {
    throw new StartError(
      'option_invalid',
      '--database-url has an @ where no host follows: in a user or a password, write / as %2F, ? as %3F, # as %23, @ as %40 and , as %2C.',
    );
  }
  const { servers, attributes } = partsOf(databaseUrl);
  if (!wanted.includes(attributes)) {
    throw new StartError(
      'option_invalid',
      `--database-url asks for a server by target_session_attrs=${attributes}. Longshore writes, so it needs the primary: leave that out, or give read-write.`,
    );
  }
  if (servers.length === 1 && attributes === 'any') return { connectionString: databaseUrl };
  if (servers.some(({ name }) => name.startsWith(':'))) {
    throw new StartError('option_invalid', '--database-url names a server without a name: look for a comma too many between its hosts.');
  }
  return { connectionString: servers[0]!.connectionString, servers };
}

/** The names of all servers in an address, for people. */
export const serverNames = (databaseUrl: string): readonly string[] => partsOf(databaseUrl).servers.map(({ name }) => name);

/**
 * Whether a part of the password may stand where a host or a database is read: one with a `/`, `?` or `#` that is not encoded ends
 * the host there, and what is left of it has the `@`.
 */
export function mayShowSecrets(databaseUrl: string): boolean {
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^[a-z]+:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?/is.exec(databaseUrl) ?? [];
  if (path.includes('@') || fragment.includes('@')) return true;
  // A value may have one, as `user=mia@example.com`; a name of an option never does.
  return !authority.includes('@') && query.split('&').some((option) => /^[^=]*@/.test(option) || /^[^=]*=[^@]*[/][^@]*@/.test(option));
}

interface Parts {
  readonly servers: readonly DatabaseServer[];
  readonly attributes: string;
}

/** As libpq reads it. `URL` takes no list with ports. */
function partsOf(databaseUrl: string): Parts {
  const [, scheme = '', authority = '', path = '', query = ''] = /^([a-z]+:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  const hosts = parameters.get('host')?.split(',');
  if (hosts) {
    const ports = parameters.get('port')?.split(',') ?? [];
    const servers = hosts.map((host, index) => {
      const port = ports.length > 1 ? ports[index] : ports[0];
      const own = new URLSearchParams(parameters);
      own.set('host', host);
      if (port) own.set('port', port);
      return { name: named(host, port), connectionString: `${scheme}${authority}${path}?${own}` };
    });
    return { servers, attributes };
  }
  const user = authority.slice(0, authority.lastIndexOf('@') + 1);
  const servers = authority
    .slice(user.length)
    .split(',')
    .map((at) => {
      const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(at)!;
      return { name: named(host, port), connectionString: `${scheme}${user}${at}${path}${query && `?${query}`}` };
    });
  return { servers, attributes };
}

const named = (host: string, port: string | undefined): string => `${host}:${port || '5432'}`;
