import { accountHandlers } from './accounts/handlers.ts';
import { auditHandlers } from './audit/handlers.ts';
import { connectionHandlers } from './connections/handlers.ts';
import { fileHandlers } from './files/handlers.ts';
import { filterHandlers } from './filters/handlers.ts';
import { formHandlers } from './forms/handlers.ts';
import { gatewayHandlers } from './gateways/handlers.ts';
import type { Handlers } from './handler.ts';
import { handoverHandlers } from './handovers/handlers.ts';
import { imageHandlers } from './images/handlers.ts';
import { integrityHandlers } from './integrity/list.ts';
import { invitationHandlers } from './invitations/accept.ts';
import { linkHandlers } from './links/handlers.ts';
import { mfaHandlers } from './mfa/handlers.ts';
import { noticeHandlers } from './notices/handlers.ts';
import { operatorFailureHandlers } from './operator/failures.ts';
import { operatorHandlers } from './operator/handlers.ts';
import { operatorTeamHandlers } from './operator/teams.ts';
import { overviewHandlers } from './overview/handlers.ts';
import { packageHandlers } from './packages/handlers.ts';
import { portalHandlers } from './portals/handlers.ts';
import { realtimeHandlers } from './realtime/handlers.ts';
import { receiptHandlers } from './receipts/handlers.ts';
import { sessionHandlers } from './sessions/handlers.ts';
import { ssoHandlers } from './sso/handlers.ts';
import { tagHandlers } from './tags/handlers.ts';
import { teamHandlers } from './teams/handlers.ts';
import { teamspaceHandlers } from './teamspaces/handlers.ts';
import { transferHandlers } from './transfers/handlers.ts';
import { webhookHandlers } from './webhooks/handlers.ts';

/** The handlers of all endpoints, merged from the resource folders. */
export const handlers: Handlers = {
  ...accountHandlers,
  ...sessionHandlers,
  ...mfaHandlers,
  ...packageHandlers,
  ...noticeHandlers,
  ...overviewHandlers,
  ...fileHandlers,
  ...linkHandlers,
  ...handoverHandlers,
  ...portalHandlers,
  ...formHandlers,
  ...imageHandlers,
  ...tagHandlers,
  ...filterHandlers,
  ...connectionHandlers,
  ...webhookHandlers,
  ...teamHandlers,
  ...ssoHandlers,
  ...auditHandlers,
  ...invitationHandlers,
  ...teamspaceHandlers,
  ...realtimeHandlers,
  ...receiptHandlers,
  ...transferHandlers,
  ...gatewayHandlers,
  ...operatorHandlers,
  ...operatorTeamHandlers,
  ...integrityHandlers,
  ...operatorFailureHandlers,
};
