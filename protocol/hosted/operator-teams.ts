import { type Static, Type } from 'typebox';
import { namePattern } from '../names.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { TeamParams } from './common.ts';
import { Next, operatorCommon, operatorPage } from './operator.ts';
import { QuotaLimit, Quotas } from './quotas.ts';

/** Teams as operators see them: contract/operator.md §4. */

const Count = Type.Integer({ minimum: 0, examples: [3] });

export const OperatedTeam = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Harbour Films'] }),
    subdomain: Type.String({ examples: ['harbour'] }),
    state: Literals(['active', 'inactive']),
    created_at: DateTime,
    owners: Type.Array(Type.String(), { description: 'E-mail addresses: the first three.', examples: [['mia@example.com']] }),
    members: Count,
    packages: { ...Count, description: 'That have files.' },
    bytes: { ...Bytes, description: 'That finalized packages take.' },
    quotas: Quotas,
  },
  { title: 'OperatedTeam' },
);
export type OperatedTeam = Static<typeof OperatedTeam>;

const about = {
  ...operatorCommon,
  params: TeamParams,
  reply: { status: 200, body: OperatedTeam },
  errors: ['not_allowed', 'not_found'],
} as const;

export const operatorTeamRoutes = defineRoutes({
  listOperatedTeams: {
    ...operatorCommon,
    method: 'GET',
    path: '/v1/operator/teams',
    summary: 'Lists all Teams of the service, the newest first.',
    query: Type.Object({
      search: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the name or of the subdomain, or the whole id.' })),
      state: Type.Optional(Literals(['active', 'inactive'])),
      sort: Type.Optional(
        Literals(['usage'], { description: 'Those with limits alone, the one that has used the largest share of a limit first.' }),
      ),
      ...operatorPage,
    }),
    reply: { status: 200, body: Type.Object({ records: Type.Array(OperatedTeam), next: Next }) },
    errors: ['not_allowed'],
  },
  suspendTeam: {
    ...about,
    method: 'POST',
    path: '/v1/operator/teams/{team_id}/suspend',
    summary: "Turns a Team inactive. The reason stands in the Team's audit log. A Team that is inactive stays as it is.",
    body: Type.Object({
      reason: Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: namePattern,
        description: "The Team's owners and admins can read it.",
        examples: ['The invoice of October is open.'],
      }),
    }),
    example: { reason: 'The invoice of October is open.' },
  },
  setTeamQuotas: {
    ...about,
    method: 'PUT',
    path: '/v1/operator/teams/{team_id}/quotas',
    summary: 'Limits what a Team may store, and send in a month. Null: as much as there is.',
    body: Type.Object({ storage: QuotaLimit, traffic: QuotaLimit }),
    example: { storage: 5_000_000_000_000, traffic: null },
  },
  reactivateTeam: {
    ...about,
    method: 'POST',
    path: '/v1/operator/teams/{team_id}/reactivate',
    summary: 'Turns a Team active again: each API key is what it was before.',
  },
});
