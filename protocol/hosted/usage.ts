import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { DayOrDateTime } from './packages.ts';
import { Quotas } from './quotas.ts';

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

const StorageDay = Type.Object(
  {
    day: Type.String({ format: 'date', examples: ['2026-11-20'] }),
    bytes: Bytes,
    packages: Count,
    cost: Type.Optional(Type.Number({ minimum: 0, description: 'Of this day. Absent without a price.', examples: [1.27] })),
  },
  { title: 'StorageDay' },
);

export const StorageUsage = Type.Object(
  {
    price: Type.Number({ description: 'Of a GiB for a month, as the Team set it; 0 = not said.', examples: [0.02] }),
    currency: Type.String({ description: 'Three letters of ISO 4217; empty = not said.', examples: ['EUR'] }),
    days: Type.Array(StorageDay, {
      description: 'In UTC, the oldest first: what was stored at the end of each, and today what is stored now.',
    }),
    quotas: Quotas,
  },
  { title: 'StorageUsage' },
);
export type StorageUsage = Static<typeof StorageUsage>;

const query = Type.Object({
  by: Literals(usageKinds, { description: 'What is counted for. `member`: who sent; `portal`: what came in.' }),
  from: Type.Optional({ ...DayOrDateTime, description: 'Packages that were finalized from then on. Left out: 30 days before `to`.' }),
  to: Type.Optional({ ...DayOrDateTime, description: 'A day is included. Left out: now.' }),
});

const common = { tag: 'Teams', credentials: teamCredentials, params: TeamParams, method: 'GET', errors: teamErrors, query } as const;

export const usageRoutes = defineRoutes({
  getStorageUsage: {
    ...common,
    path: '/v1/teams/{team_id}/usage/storage',
    summary: 'What the Team had stored on each of the last days, and what that cost. Owners and admins only.',
    query: Type.Object({ days: Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'How many, with today.' }) }),
    reply: { status: 200, body: StorageUsage },
  },
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
