import type { Db } from 'pg-boss';
import { newPool } from '../database/clients.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { Log } from '../log.ts';
import { openChannel } from '../realtime/channel.ts';

/** What pg-boss reaches its tables by. */
export interface JobConnection {
  readonly db: Db;
  /** Called with the kind of each job that is added here or elsewhere and is due; with null when some may have been missed. */
  onJob(listener: (kind: string | null) => void): void;
  close(): Promise<void>;
}

/** Opens a pool of at most `max` connections, each when it is wanted, and one more to listen by once pg-boss asks for that. */
export function openJobConnection(connection: DatabaseConnection, max: number, log: Log): JobConnection {
  const pool = newPool(connection, {
    ...{ max, connectionTimeoutMillis: 10_000, application_name: 'longshore-jobs' },
    // How many jobs of a kind wait changes faster than PostgreSQL counts them. Where it last counted none it would read and sort
    // all that wait for each few that are taken, so that the longest queue is the slowest; there is an index in their order.
    onConnect: (client) => client.query('set enable_sort = off'),
  });
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ reason: error.message }, 'an idle database connection of the jobs broke');
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  const listeners: ((kind: string | null) => void)[] = [];
  const tell = (kind: string | null) => {
    for (const listener of listeners) listener(kind);
  };
  return {
    db: {
      executeSql: (text, values) => pool.query(text, values),
      async listen(name, onMessage, onConnected) {
        const channel = openChannel(
          name,
          connection,
          {
            onMessage(kind) {
              onMessage(kind);
              tell(kind);
            },
            onConnected() {
              onConnected();
              tell(null);
            },
          },
          log,
        );
        return channel;
      },
    },
    onJob: (listener) => void listeners.push(listener),
    close: () => pool.end(),
  };
}
