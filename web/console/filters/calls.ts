import { defineCalls } from '../app/api.ts';

export const filterCalls = defineCalls({
  listFilters: { method: 'GET', path: '/v1/teams/{team_id}/filters', reply: { status: 200 } },
  testFilter: { method: 'POST', path: '/v1/teams/{team_id}/filters/test', reply: { status: 200 } },
  createFilter: { method: 'POST', path: '/v1/teams/{team_id}/filters', reply: { status: 201 } },
  getFilter: { method: 'GET', path: '/v1/filters/{filter_id}', reply: { status: 200 } },
  updateFilter: { method: 'PUT', path: '/v1/filters/{filter_id}', reply: { status: 200 } },
  deleteFilter: { method: 'DELETE', path: '/v1/filters/{filter_id}', reply: { status: 204 } },
});

export const filtersKey = (teamId: string) => ['team', teamId, 'filters'] as const;
