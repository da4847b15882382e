import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Events of a Team, for pages that show it live: contract/event-streams.md §4. */

/** What of a package may change. */
export const packageTopics = ['packages', 'links', 'downloads', 'transfers'] as const;
export const teamTopics = [
  ...packageTopics,
  'portals',
  'members',
  'teamspaces',
  'tags',
  'connections',
  'gateways',
  'filters',
  'webhooks',
  'deliveries',
  'audit_log',
  'team',
  'api_keys',
] as const;
export type PackageTopic = (typeof packageTopics)[number];
export type TeamTopic = (typeof teamTopics)[number];

/** Packages that one event names; of more it says only what changed. */
export const namedPackages = 100;

const TeamChange = Type.Object(
  {
    what: Literals(teamTopics, { description: 'Whatever of this kind the caller has read may be different now.' }),
    package_id: Type.Optional({ ...Id, description: `Of which package; absent where more than ${namedPackages} changed.` }),
  },
  { title: 'TeamChange' },
);
export type TeamChange = Static<typeof TeamChange>;

export const TeamEvent = Type.Object(
  {
    type: Literals(['state', 'changed'], {
      description:
        '`state`: anything may have changed before. The first of every stream that does not go on from a position, and after messages were lost.',
    }),
    at: DateTime,
    changes: Type.Array(TeamChange, { description: 'Since the message before; empty in `state`.' }),
  },
  { title: 'TeamEvent' },
);
export type TeamEvent = Static<typeof TeamEvent>;

export const teamEventRoutes = defineRoutes({
  streamTeamEvents: {
    method: 'GET',
    path: '/v1/teams/{team_id}/events',
    summary: 'Server-sent events: what changes in a Team of what the caller may read. Ends after some minutes.',
    tag: 'Teams',
    credentials: teamCredentials,
    params: TeamParams,
    query: Type.Object({
      since: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'The `position` of `GET /v1/users/me`, or the newest `id` of another stream: begins with what changed since. One that is too old is as none.',
        }),
      ),
    }),
    reply: { status: 200, stream: 'text/event-stream', messages: TeamEvent },
    errors: teamErrors,
  },
});
