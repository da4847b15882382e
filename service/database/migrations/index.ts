import type { Migration } from 'kysely/migration';
import * as accounts from './0001-accounts.ts';
import * as packages from './0002-packages.ts';

/** Every migration, in order. Names are permanent once released; a change is a new migration. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-packages': packages,
};
