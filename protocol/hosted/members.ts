import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { roles } from '../roles.ts';
import { defineRoutes } from '../route.ts';
import { Email, Id, Literals, Name } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Who belongs to a Team, and in which role: decisions "Accounts". */

export const RoleName = Literals(roles);

export const Membership = Type.Object(
  {
    id: Id,
    user_id: Id,
    name: Type.String({ examples: ['Jonas Weber'] }),
    email: Type.String({ examples: ['jonas@example.com'] }),
    role: { ...RoleName, examples: ['member'] },
  },
  { title: 'Membership' },
);
export type Membership = Static<typeof Membership>;

export const AddMember = Type.Object({
  email: Email,
  role: RoleName,
  name: Type.Optional(Name),
  password: Type.Optional(
    Type.String({
      minLength: limits.passwordLength.min,
      maxLength: limits.passwordLength.max,
      description: 'The first password of a person who has no user here yet; ignored for one who has.',
    }),
  ),
});
export type AddMember = Static<typeof AddMember>;

const MemberParams = Type.Object({ member_id: Id });
const common = { tag: 'Members', credentials: teamCredentials } as const;

export const memberRoutes = defineRoutes({
  listMembers: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/members',
    summary: 'Lists the members of a Team.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(Membership) },
    errors: teamErrors,
  },
  addMember: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/members',
    summary: 'Adds a person to a Team. Only owners add owners.',
    params: TeamParams,
    body: AddMember,
    reply: { status: 201, body: Membership },
    errors: [...teamErrors, 'already_exists', 'over_limit'],
    example: { email: 'jonas@example.com', role: 'member', name: 'Jonas Weber' },
  },
  updateMember: {
    ...common,
    method: 'PUT',
    path: '/v1/members/{member_id}',
    summary: "Changes a member's role. A Team keeps at least one owner.",
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
    summary: 'Removes a member from a Team. A Team keeps at least one owner.',
    params: MemberParams,
    reply: { status: 204 },
    errors: [...teamErrors, 'state_conflict'],
  },
});
