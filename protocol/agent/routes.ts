import { apiKeyRoutes } from './api-keys.ts';
import { automationRoutes } from './automations/routes.ts';
import { dropRoutes } from './drops.ts';
import { eventRoutes } from './events.ts';
import { folderRoutes } from './folders.ts';
import { agentHandoverRoutes } from './handovers.ts';
import { itemRoutes } from './items.ts';
import { mountRoutes } from './mounts.ts';
import { pageEntryRoutes } from './page-entry.ts';
import { pathRoutes } from './paths.ts';
import { portalUploadRoutes } from './portal-uploads.ts';
import { previewRoutes } from './previews.ts';
import { sentPackageRoutes } from './sent-package.ts';
import { sessionRoutes } from './session.ts';
import { sessionsRoutes } from './sessions.ts';
import { settingsRoutes } from './settings.ts';
import { ssoSignInsRoutes } from './sso-sign-ins.ts';
import { systemRoutes } from './system.ts';
import { teamListRoutes } from './team-lists.ts';
import { tokenRoutes } from './tokens.ts';
import { transferActionRoutes } from './transfer-actions.ts';
import { transferRoutes } from './transfers.ts';

/** Every endpoint of the agent's local API. */
export const agentRoutes = {
  ...sessionRoutes,
  ...sessionsRoutes,
  ...ssoSignInsRoutes,
  ...teamListRoutes,
  ...apiKeyRoutes,
  ...transferRoutes,
  ...portalUploadRoutes,
  ...previewRoutes,
  ...agentHandoverRoutes,
  ...itemRoutes,
  ...transferActionRoutes,
  ...sentPackageRoutes,
  ...automationRoutes,
  ...mountRoutes,
  ...folderRoutes,
  ...pathRoutes,
  ...dropRoutes,
  ...settingsRoutes,
  ...tokenRoutes,
  ...pageEntryRoutes,
  ...eventRoutes,
  ...systemRoutes,
} as const;

export type AgentRoutes = typeof agentRoutes;
export type AgentRouteName = keyof AgentRoutes;
