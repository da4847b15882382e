import type { AccountTables } from './accounts.ts';
import type { AuditTables } from './audit.ts';
import type { FileTables } from './files.ts';
import type { GatewayTables } from './gateways.ts';
import type { HandoverTables } from './handovers.ts';
import type { HttpTables } from './http.ts';
import type { ImageTables } from './images.ts';
import type { ImportTables } from './imports.ts';
import type { IntegrationTables } from './integrations.ts';
import type { IntegrityTables } from './integrity.ts';
import type { InvitationTables } from './invitations.ts';
import type { LinkTables } from './links.ts';
import type { MessageTables } from './messages.ts';
import type { MfaTables } from './mfa.ts';
import type { NoticeTables } from './notices.ts';
import type { OperatorTables } from './operators.ts';
import type { PackageTables } from './packages.ts';
import type { PortalTables } from './portals.ts';
import type { QuotaTables } from './quotas.ts';
import type { SessionTables } from './sessions.ts';
import type { SsoTables } from './sso.ts';
import type { TransferTables } from './transfers.ts';
import type { VirusTables } from './viruses.ts';

/** All tables, composed from one file per resource. Migrations create them; these types describe them to Kysely. */
export interface Database
  extends AccountTables,
    InvitationTables,
    HttpTables,
    HandoverTables,
    PackageTables,
    FileTables,
    LinkTables,
    IntegrationTables,
    PortalTables,
    MessageTables,
    TransferTables,
    ImageTables,
    ImportTables,
    GatewayTables,
    SessionTables,
    MfaTables,
    SsoTables,
    AuditTables,
    NoticeTables,
    OperatorTables,
    QuotaTables,
    VirusTables,
    IntegrityTables {}
