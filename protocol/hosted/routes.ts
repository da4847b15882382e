import { accountRoutes } from './accounts.ts';
import { auditRoutes } from './audit.ts';
import { connectionRoutes } from './connections.ts';
import { downloadRoutes } from './downloads.ts';
import { fileBatchRoutes } from './file-batches.ts';
import { fileRoutes } from './files.ts';
import { filterRoutes } from './filters.ts';
import { formAnswerRoutes } from './form-answers.ts';
import { formRoutes } from './forms.ts';
import { gatewayRoutes } from './gateways.ts';
import { handoverRoutes } from './handovers.ts';
import { imageRoutes } from './images.ts';
import { invitationRoutes } from './invitations.ts';
import { legacyRoutes } from './legacy.ts';
import { linkRoutes } from './links.ts';
import { mailPreviewRoutes } from './mail-preview.ts';
import { memberRoutes } from './members.ts';
import { mfaRoutes } from './mfa.ts';
import { noticeRoutes } from './notices.ts';
import { operatorRoutes } from './operator.ts';
import { operatorFailureRoutes } from './operator-failures.ts';
import { operatorTeamRoutes } from './operator-teams.ts';
import { overviewRoutes } from './overview.ts';
import { packageLifeRoutes } from './package-life.ts';
import { packageRoutes } from './packages.ts';
import { portalPackageRoutes } from './portal-packages.ts';
import { portalRequestRoutes } from './portal-requests.ts';
import { portalRoutes } from './portals.ts';
import { receiptRoutes } from './receipts.ts';
import { sessionRoutes } from './sessions.ts';
import { ssoRoutes } from './sso.ts';
import { ssoSignInRoutes } from './sso-sign-in.ts';
import { tagRoutes } from './tags.ts';
import { teamEventRoutes } from './team-events.ts';
import { teamRoutes } from './teams.ts';
import { teamspaceRoutes } from './teamspaces.ts';
import { cloudTransferRoutes } from './transfers.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';
import { zipRoutes } from './zips.ts';

/** Every endpoint of the hosted API. */
export const hostedRoutes = {
  ...accountRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...teamRoutes,
  ...mfaRoutes,
  ...ssoRoutes,
  ...ssoSignInRoutes,
  ...auditRoutes,
  ...usageRoutes,
  ...mailPreviewRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...packageRoutes,
  ...packageLifeRoutes,
  ...noticeRoutes,
  ...overviewRoutes,
  ...teamEventRoutes,
  ...fileRoutes,
  ...fileBatchRoutes,
  ...zipRoutes,
  ...handoverRoutes,
  ...linkRoutes,
  ...downloadRoutes,
  ...receiptRoutes,
  ...tagRoutes,
  ...portalRoutes,
  ...portalPackageRoutes,
  ...portalRequestRoutes,
  ...formRoutes,
  ...formAnswerRoutes,
  ...imageRoutes,
  ...connectionRoutes,
  ...cloudTransferRoutes,
  ...gatewayRoutes,
  ...filterRoutes,
  ...webhookRoutes,
  ...teamspaceRoutes,
  ...operatorRoutes,
  ...operatorTeamRoutes,
  ...operatorFailureRoutes,
  ...legacyRoutes,
} as const;

export type HostedRoutes = typeof hostedRoutes;
export type HostedRouteName = keyof HostedRoutes;
