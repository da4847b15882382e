import { type Static, Type } from 'typebox';
import { roles } from '../roles.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Email, Id, Literals, Name } from '../schema.ts';
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
