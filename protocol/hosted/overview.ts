import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { Download } from './downloads.ts';
import { CloudTransfer } from './transfers.ts';

/** What goes on in a Team: contract/packages.md §11. */

const Count = Type.Integer({ minimum: 0, examples: [3] });
const Amount = Type.Object({ packages: Count, bytes: Bytes });

const OverviewDay = Type.Object(
  { day: Type.String({ format: 'date', examples: ['2026-11-20'] }), sent: Amount, received: Amount },
  { title: 'OverviewDay' },
);

export const TeamOverview = Type.Object(
  {
    days: Type.Array(OverviewDay, { description: 'The last seven days with today as the last: what was finalized.' }),
    storage: { ...Amount, description: 'What the packages that the caller sees take of the storage.' },
    expiring: Type.Object(
      {
        total: Count,
        records: Type.Array(Type.Object({ id: Id, name: Type.String(), size: Bytes, expiry: DateTime }), {
          description: 'The next ones.',
        }),
      },
      { description: 'Finalized packages that expire within seven days.' },
    ),
    transfers: Type.Array(
      Type.Object({
        id: Id,
        package_id: Id,
        package_name: Type.String(),
        cloud_connection_name: CloudTransfer.properties.cloud_connection_name,
        direction: CloudTransfer.properties.direction,
        state: Literals(['pending', 'started']),
        progress: CloudTransfer.properties.progress,
      }),
      { description: 'With connected storage, under way or waiting.' },
    ),
    downloads: Type.Array(Type.Object({ ...Download.properties, package_id: Id, package_name: Type.String() }), {
      description: 'The latest.',
    }),
  },
  { title: 'TeamOverview' },
);
export type TeamOverview = Static<typeof TeamOverview>;

export const overviewRoutes = defineRoutes({
  teamOverview: {
    method: 'GET',
    path: '/v1/teams/{team_id}/overview',
    summary: 'What came and went this week, what expires soon, transfers under way, who downloaded: of packages that the caller sees.',
    tag: 'Packages',
    credentials: teamCredentials,
    params: TeamParams,
    query: Type.Object({
      time_zone: Type.String({ minLength: 1, maxLength: 64, default: 'UTC', description: 'Of the days: a name of the IANA database.' }),
    }),
    reply: { status: 200, body: TeamOverview },
    errors: [...teamErrors],
  },
});
