import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { DayOrDateTime } from './packages.ts';

/** What a Team sent and received, counted: contract/teams-and-members.md §8. */

export const usageKinds = ['member', 'teamspace', 'portal'] as const;

const Count = Type.Integer({ minimum: 0, examples: [12] });

export const UsageRecord = Type.Object(
  {
    id: Type.Optional({ ...Id, description: 'Of the user, Teamspace or Portal. Absent for packages of none, or of one that is gone.' }),
    name: Type.String({ description: "A user's name, and so on. Empty where there is no id.", examples: ['Mia Sandberg'] }),
    email: Type.Optional(Type.String({ description: 'Of a user.', examples: ['mia@example.com'] })),
    sent_packages: Count,
    sent_bytes: Bytes,
    received_packages: { ...Count, description: 'Through Portals.' },
    received_bytes: Bytes,
    downloaded_packages: { ...Count, description: 'Those of them of which a download was started, by a link.' },
  },
  { title: 'UsageRecord' },
);
export type UsageRecord = Static<typeof UsageRecord>;

const query = Type.Object({
  by: Literals(usageKinds, { description: 'What is counted for. `member`: who sent; `portal`: what came in.' }),
  from: Type.Optional({ ...DayOrDateTime, description: 'Packages that were finalized from then on. Left out: 30 days before `to`.' }),
  to: Type.Optional({ ...DayOrDateTime, description: 'A day is included. Left out: now.' }),
});

const common = { tag: 'Teams', credentials: teamCredentials, params: TeamParams, method: 'GET', errors: teamErrors, query } as const;

export const usageRoutes = defineRoutes({
  getUsage: {
    ...common,
    path: '/v1/teams/{team_id}/usage',
    summary: 'What was sent and received in a time, for each member, Teamspace or Portal, the most bytes first. Owners and admins only.',
    reply: { status: 200, body: Type.Object({ from: DateTime, to: DateTime, records: Type.Array(UsageRecord) }) },
  },
  exportUsage: {
    ...common,
    path: '/v1/teams/{team_id}/usage/export.csv',
    summary: 'The same as CSV. What a spreadsheet would run as a formula begins with an apostrophe.',
    reply: { status: 200, stream: 'text/csv' },
  },
});
