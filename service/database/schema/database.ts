import type { AccountTables } from './accounts.ts';
import type { FileTables } from './files.ts';
import type { GuessTables } from './guesses.ts';
import type { HttpTables } from './http.ts';
import type { IntegrationTables } from './integrations.ts';
import type { LinkTables } from './links.ts';
import type { MessageTables } from './messages.ts';
import type { PackageTables } from './packages.ts';
import type { PortalTables } from './portals.ts';
import type { ReceiptTables } from './receipts.ts';

/** Every table, composed from one file per resource. Migrations make them; these types describe them to Kysely. */
export interface Database
  extends AccountTables,
    HttpTables,
    PackageTables,
    FileTables,
    LinkTables,
    IntegrationTables,
    PortalTables,
    MessageTables,
    ReceiptTables,
    GuessTables {}
