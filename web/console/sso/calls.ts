import { defineCalls } from '../app/api.ts';

export const ssoCalls = defineCalls({
  getSso: { method: 'GET', path: '/v1/teams/{team_id}/sso', reply: { status: 200 } },
  setSso: { method: 'PUT', path: '/v1/teams/{team_id}/sso', reply: { status: 200 } },
  deleteSso: { method: 'DELETE', path: '/v1/teams/{team_id}/sso', reply: { status: 204 } },
  testSso: { method: 'POST', path: '/v1/teams/{team_id}/sso/discovery', reply: { status: 200 } },
  startSsoTrial: { method: 'POST', path: '/v1/teams/{team_id}/sso/trial', reply: { status: 200 } },
  addSsoDomain: { method: 'POST', path: '/v1/teams/{team_id}/sso/domains', reply: { status: 201 } },
  checkSsoDomain: { method: 'POST', path: '/v1/teams/{team_id}/sso/domains/{domain_id}/check', reply: { status: 200 } },
  removeSsoDomain: { method: 'DELETE', path: '/v1/teams/{team_id}/sso/domains/{domain_id}', reply: { status: 204 } },
});

export const ssoKey = (teamId: string) => ['team', teamId, 'sso'] as const;
