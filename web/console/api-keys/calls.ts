import { defineCalls } from '../app/api.ts';

export const keyCalls = defineCalls({
  listApiKeys: { method: 'GET', path: '/v1/teams/{team_id}/api_keys', reply: { status: 200 } },
  createApiKey: { method: 'POST', path: '/v1/teams/{team_id}/api_keys', reply: { status: 201 } },
  updateApiKey: { method: 'PUT', path: '/v1/api_keys/{api_key_id}', reply: { status: 200 } },
  setApiKeyState: { method: 'PUT', path: '/v1/api_keys/{api_key_id}/{action}', reply: { status: 204 } },
  deleteApiKey: { method: 'DELETE', path: '/v1/api_keys/{api_key_id}', reply: { status: 204 } },
});

export const keysKey = (teamId: string) => ['team', teamId, 'api-keys'] as const;
