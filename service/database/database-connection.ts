import type pg from 'pg';

/** Where the database is. Plain data, so that other processes can be told. */
export interface DatabaseConnection extends pg.ClientConfig {
  /** Of a database with copies: all its servers, of which one is the primary. `connectionString` is that of the first. */
  readonly servers?: readonly DatabaseServer[];
}

export interface DatabaseServer {
  /** For people: host and port. */
  readonly name: string;
  readonly connectionString: string;
}
