import type pg from 'pg';

/** How an operator names a PostgreSQL. */
export const postgresUrl = ({ host, port, user, password, database }: pg.ClientConfig): string =>
  `postgres://${user}:${String(password)}@${encodeURIComponent(host!)}:${port}/${database}`;
