import { type Static, Type } from 'typebox';
import { connectionStates, DirectionValue } from '../hosted/connections.ts';
import { gatewayProviders } from '../providers.ts';
import { defineRoutes } from '../route.ts';
import { Id, Literals } from '../schema.ts';

/** What a Team has at its service, for whoever makes an automation or a mount: contract/agent.md §2. */

export const TeamPortal = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Northlight dailies'] }),
    subdomain: Type.String({ examples: ['northlight'] }),
    active: Type.Boolean(),
  },
  { title: 'TeamPortal' },
);
export type TeamPortal = Static<typeof TeamPortal>;

export const GatewayConnection = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Dailies NAS'] }),
    provider: Literals(gatewayProviders),
    direction: DirectionValue,
    state: Literals(connectionStates, { description: '`offline`: no mount serves it now.' }),
  },
  { title: 'GatewayConnection' },
);
export type GatewayConnection = Static<typeof GatewayConnection>;

const common = {
  tag: 'Session',
  credentials: ['none'],
  method: 'GET',
  params: Type.Object({ team_id: Id }),
  errors: ['session_is_nil', 'not_found', 'not_allowed', 'service_unreachable'],
} as const;

export const teamListRoutes = defineRoutes({
  listTeamPortals: {
    ...common,
    path: '/api/v1/teams/{team_id}/portals',
    summary: 'The Portals of a Team, by name, as the session that is in it sees them.',
    reply: { status: 200, body: Type.Array(TeamPortal) },
  },
  listGatewayConnections: {
    ...common,
    path: '/api/v1/teams/{team_id}/gateway_connections',
    summary: 'The cloud connections of a Team that a mount can be, by name.',
    reply: { status: 200, body: Type.Array(GatewayConnection) },
  },
});
