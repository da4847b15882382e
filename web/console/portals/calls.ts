import { defineCalls } from '../app/api.ts';

/** The calls of the views about Portals. */
export const portalCalls = defineCalls({
  listPortals: { method: 'GET', path: '/v1.1/teams/{team_id}/portals', reply: { status: 200 } },
  createPortal: { method: 'POST', path: '/v1/teams/{team_id}/portals', reply: { status: 201 } },
  createInstantPortal: { method: 'POST', path: '/v1/teams/{team_id}/portals/instant', reply: { status: 201 } },
  getPortal: { method: 'GET', path: '/v1/portals/{portal_id}', reply: { status: 200 } },
  updatePortal: { method: 'PUT', path: '/v1/portals/{portal_id}', reply: { status: 200 } },
  previewPortalMail: { method: 'POST', path: '/v1/portals/{portal_id}/mail_preview', reply: { status: 200 } },
  deletePortal: { method: 'DELETE', path: '/v1/portals/{portal_id}', reply: { status: 204 } },
  requestFiles: { method: 'POST', path: '/v1/portals/{portal_id}/requests', reply: { status: 201 } },
});

export const portalsKey = (teamId: string) => ['team', teamId, 'portals'] as const;

/** The address of a Portal's upload page. */
export const pageOf = (subdomain: string): string => `${location.origin}/p/${subdomain}`;
