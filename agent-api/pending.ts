import type { AgentRouteName } from '#protocol/agent/routes.ts';

/** Endpoints that are declared and not served yet: they answer 501. Work on one takes it off this list. */
export const pendingRoutes = [
  'listAutomations',
  'createPortalUploadAutomation',
  'createTeamUploadAutomation',
  'createPortalDownloadAutomation',
  'createAllPortalsDownloadAutomation',
  'getAutomation',
  'updateAutomation',
  'deleteAutomation',
  'dryRunAutomation',
  'listMounts',
  'createMount',
  'getMount',
  'updateMount',
  'deleteMount',
] as const satisfies readonly AgentRouteName[];

export type PendingRouteName = (typeof pendingRoutes)[number];
export type ServedRouteName = Exclude<AgentRouteName, PendingRouteName>;
