import { defineCalls } from '../app/api.ts';

export const teamCalls = defineCalls({
  getTeam: { method: 'GET', path: '/v1/teams/{team_id}', reply: { status: 200 } },
  updateTeam: { method: 'PUT', path: '/v1/teams/{team_id}', reply: { status: 200 } },
  previewMail: { method: 'POST', path: '/v1/teams/{team_id}/mail_preview', reply: { status: 200 } },
  createImage: { method: 'POST', path: '/v1/teams/{team_id}/images', reply: { status: 201 } },
});
