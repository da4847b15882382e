import type { AccountTables } from './accounts.ts';
import type { HttpTables } from './http.ts';

/** Every table, composed from one file per resource. Migrations make them; these types describe them to Kysely. */
export interface Database extends AccountTables, HttpTables {}
