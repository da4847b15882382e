import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { roles } from '../roles.ts';
import { defineRoutes } from '../route.ts';
import { Cursor, DateTime, Email, Id, KeysetPage, Literals, Name } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Members of a Team and their roles: contract/teams-and-members.md §3. */

export const RoleName = Literals(roles);

export const Membership = Type.Object(
  {
    id: Id,
    user_id: Type.Optional({ ...Id, description: 'Of a member. Whether somebody who is invited has a user is not told.' }),
    name: Type.String({ examples: ['Jonas Weber'] }),
    email: Type.String({ examples: ['jonas@example.com'] }),
    role: { ...RoleName, examples: ['member'] },
    state: Literals(['invited', 'active'], { description: 'Invited until the holder of the address accepts.', examples: ['active'] }),
    expires_at: Type.Optional({ ...DateTime, description: 'Of an invitation: until when it can be accepted.' }),
  },
  { title: 'Membership' },
);
export type Membership = Static<typeof Membership>;

/** A member as the list with search shows them. */
export const Member = Type.Object(
  {
    ...Membership.properties,
    created_at: { ...DateTime, description: 'Since when they are in the Team, or invited.' },
    last_seen_at: Type.Optional({
      ...DateTime,
      description: 'When they last used the service signed in, to the minute; unset if never. Shown to those who manage members.',
    }),
    mfa: Type.Optional(
      Type.Boolean({ description: 'Whether their sign-in asks for a second factor. Shown to those who manage members.', examples: [true] }),
    ),
    teamspaces: Type.Array(Type.Object({ id: Id, name: Type.String({ examples: ['Northlight'] }) }), {
      description: 'Those Teamspaces of the Team that they are in, and that the caller sees.',
    }),
  },
  { title: 'Member' },
);
export type Member = Static<typeof Member>;

const MemberQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: limits.nameLength, description: 'A part of the name or of the address, regardless of case.' }),
  ),
  role: Type.Optional(RoleName),
  state: Type.Optional(Membership.properties.state),
  space_id: Type.Optional({ ...Id, description: 'Members of this Teamspace only.' }),
  limit: Type.Integer({ minimum: 1, maximum: limits.membersPageSize, default: limits.pageSize }),
  after: Type.Optional(Cursor),
});
export type MemberQuery = Static<typeof MemberQuery>;

export const AddMember = Type.Object({
  email: Email,
  role: RoleName,
  name: Type.Optional({ ...Name, description: 'What to call the person until they accept. They choose their own name then.' }),
});
export type AddMember = Static<typeof AddMember>;

const MemberParams = Type.Object({ member_id: Id });
const common = { tag: 'Members', credentials: teamCredentials } as const;

export const memberRoutes = defineRoutes({
  listMembers: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/members',
    summary: 'Lists the members of a Team; for those who manage members also who is invited.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(Membership) },
    errors: teamErrors,
  },
  findMembers: {
    ...common,
    method: 'GET',
    path: '/v1.1/teams/{team_id}/members',
    summary:
      'Lists the members of a Team by name, with search and filters, a page at a time; for those who manage members also who is invited.',
    params: TeamParams,
    query: MemberQuery,
    reply: {
      status: 200,
      body: KeysetPage(Member),
    },
    errors: teamErrors,
  },
  exportMembers: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/members/csv',
    summary: 'All members of a Team and who is invited, as a table for spreadsheets.',
    params: TeamParams,
    reply: { status: 200, stream: 'text/csv' },
    errors: teamErrors,
  },
  addMember: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/members',
    summary:
      'Invites a person to a Team by mail, for 7 days. They are in it once they accept. Only owners invite owners. There is no `password`: people choose their own.',
    params: TeamParams,
    body: AddMember,
    reply: { status: 201, body: Membership },
    errors: [...teamErrors, 'already_exists', 'over_limit'],
    example: { email: 'jonas@example.com', role: 'member', name: 'Jonas Weber' },
  },
  resendInvitation: {
    ...common,
    method: 'POST',
    path: '/v1/members/{member_id}/resend',
    summary: 'Mails an invitation again, for 7 days from now. What was mailed before ends.',
    params: MemberParams,
    reply: { status: 204 },
    errors: [...teamErrors, 'state_conflict'],
  },
  updateMember: {
    ...common,
    method: 'PUT',
    path: '/v1/members/{member_id}',
    summary: 'Changes the role of a member, or of somebody invited. A Team keeps at least one owner.',
    params: MemberParams,
    body: Type.Object({ role: RoleName }),
    reply: { status: 200, body: Membership },
    errors: [...teamErrors, 'state_conflict'],
    example: { role: 'integration_manager' },
  },
  removeMember: {
    ...common,
    method: 'DELETE',
    path: '/v1/members/{member_id}',
    summary: 'Removes a member from a Team, or revokes an invitation. A Team keeps at least one owner.',
    params: MemberParams,
    reply: { status: 204 },
    errors: [...teamErrors, 'state_conflict'],
  },
});
