import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Id, KeysetPage, Literals, Name } from '../schema.ts';
import { keysetQuery, pageQuery, sorts, TeamParams, teamCredentials, teamErrors } from './common.ts';
import { DayOrDateTime, IdList, Package, PackageState, packageSorts } from './packages.ts';

/** Teamspaces are groups of a Team's users: contract/teamspaces.md §1. */

export const TeamspaceMembership = Type.Object({ id: Id, user_id: Id }, { title: 'TeamspaceMembership' });
export type TeamspaceMembership = Static<typeof TeamspaceMembership>;

export const Teamspace = Type.Object(
  { id: Id, name: Type.String({ examples: ['Northlight'] }), members: Type.Array(TeamspaceMembership) },
  { title: 'Teamspace' },
);
export type Teamspace = Static<typeof Teamspace>;

const ListedTeamspace = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Northlight'] }),
    members: Type.Optional(Type.Array(TeamspaceMembership, { description: 'Absent where the call asks for none.' })),
  },
  { title: 'ListedTeamspace' },
);

const MemberIds = Type.Array(Id, { maxItems: 1_000, description: 'Ids of memberships of the Team.' });

const TeamspacePackageQuery = Type.Object({
  ...pageQuery(0, limits.teamspacePackagesPageSize),
  sort: Type.Optional(Literals(packageSorts)),
  status: Type.Array(PackageState, { default: ['finalized', 'expired'] }),
  name: Type.Optional(Type.String({ maxLength: limits.nameLength, description: 'A part of the name.' })),
  sender: Type.Optional(Type.String({ maxLength: limits.emailLength })),
  tags: Type.Optional(IdList),
  created_at_start: Type.Optional(DayOrDateTime),
  created_at_end: Type.Optional(DayOrDateTime),
});

export const teamspaceSorts = sorts(['name', 'created_at']);
const SpaceParams = Type.Object({ space_id: Id });
const common = { tag: 'Teamspaces', credentials: teamCredentials, errors: teamErrors } as const;

export const teamspaceRoutes = defineRoutes({
  createTeamspace: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/spaces',
    summary: 'Makes a Teamspace. Owners and admins can use it without being its members.',
    params: TeamParams,
    body: Type.Object({ name: Name, member_ids: Type.Optional(MemberIds) }),
    reply: { status: 201, body: Teamspace },
    errors: [...teamErrors, 'over_limit'],
    example: { name: 'Northlight', member_ids: ['019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'] },
  },
  getTeamspace: {
    ...common,
    method: 'GET',
    path: '/v1/spaces/{space_id}',
    summary: 'Reads a Teamspace with its members.',
    params: SpaceParams,
    reply: { status: 200, body: Teamspace },
  },
  listTeamspaces: {
    ...common,
    method: 'GET',
    path: '/v1.1/teams/{team_id}/spaces',
    summary: 'Lists the Teamspaces of a Team. Pages are counted from 0 here.',
    params: TeamParams,
    query: Type.Object({
      ...keysetQuery(0),
      name: Type.Optional(Type.String({ maxLength: limits.nameLength, description: 'A part of the name.' })),
      sort: Type.Optional(Literals(teamspaceSorts)),
      members: Type.Optional(Type.Boolean({ description: '`false`: without their members, of which each may have 1,000.' })),
    }),
    reply: { status: 200, body: KeysetPage(ListedTeamspace) },
  },
  updateTeamspace: {
    ...common,
    method: 'PUT',
    path: '/v1/spaces/{space_id}',
    summary: 'Renames a Teamspace.',
    params: SpaceParams,
    body: Type.Object({ name: Name }),
    reply: { status: 200, body: Teamspace },
    example: { name: 'Northlight, season 2' },
  },
  deleteTeamspace: {
    ...common,
    method: 'DELETE',
    path: '/v1/spaces/{space_id}',
    summary:
      'Deletes a Teamspace. Its packages and Portals stay closed: from then on owners and admins see them, who find them by the id of the Teamspace, or they pass to another Teamspace by `move_to`. To open a Portal to the whole Team, update it with an empty `teamspace_id`.',
    params: SpaceParams,
    query: Type.Object({
      move_to: Type.Optional(
        Type.String({ maxLength: 64, description: 'Id of a Teamspace of the same Team that takes over the packages and Portals.' }),
      ),
    }),
    reply: { status: 204 },
  },
  listTeamspacePackages: {
    ...common,
    method: 'GET',
    path: '/v1.1/spaces/{space_id}/packages',
    summary: 'Lists the packages of a Teamspace as a plain array. Pages are counted from 0 here.',
    params: SpaceParams,
    query: TeamspacePackageQuery,
    reply: { status: 200, body: Type.Array(Package) },
  },
  addTeamspaceMembers: {
    ...common,
    method: 'POST',
    path: '/v1/spaces/{space_id}/members',
    summary: 'Adds members of the Team to a Teamspace.',
    params: SpaceParams,
    body: Type.Object({ member_ids: MemberIds }),
    reply: { status: 201, body: Type.Array(TeamspaceMembership) },
    errors: [...teamErrors, 'over_limit'],
    example: { member_ids: ['019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'] },
  },
  listTeamspaceMembers: {
    ...common,
    method: 'GET',
    path: '/v1/spaces/{space_id}/members',
    summary: 'Lists the members of a Teamspace.',
    params: SpaceParams,
    reply: { status: 200, body: Type.Array(TeamspaceMembership) },
  },
  removeTeamspaceMember: {
    ...common,
    method: 'DELETE',
    path: '/v1/spaces/{space_id}/members/{teamspace_membership_id}',
    summary: 'Removes a member from a Teamspace.',
    params: Type.Object({ space_id: Id, teamspace_membership_id: Id }),
    reply: { status: 204 },
  },
});
