import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Name } from '../schema.ts';
import { AuthResult, MailedToken, Password } from './accounts.ts';
import { RoleName } from './members.ts';

/**
 * Calls for the recipient of a mailed invitation: contract/teams-and-members.md §4. The token in the path is the
 * credential.
 */

export const Invitation = Type.Object(
  {
    team: Type.Object({
      name: Type.String({ examples: ['Harbour Films'] }),
      imprint_url: Type.Optional(Type.String({ description: "The Team's imprint.", examples: ['https://example.com/imprint'] })),
      privacy_url: Type.Optional(Type.String({ description: "The Team's privacy policy.", examples: ['https://example.com/privacy'] })),
    }),
    inviter: Type.Object({ name: Type.String({ examples: ['Mia Sandberg'] }) }),
    email: Type.String({ description: 'The address that is invited.', examples: ['jonas@example.com'] }),
    role: { ...RoleName, examples: ['member'] },
    expires_at: DateTime,
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const AcceptInvitation = Type.Object({
  name: Type.Optional({ ...Name, description: 'Needed without a user token.' }),
  password: Type.Optional({ ...Password, description: 'Needed without a user token.' }),
});
export type AcceptInvitation = Static<typeof AcceptInvitation>;

const InvitationParams = Type.Object({ token: MailedToken });
const errors = ['not_found', 'token_expired', 'token_used', 'team_inactive'] as const;

export const invitationRoutes = defineRoutes({
  getInvitation: {
    method: 'GET',
    path: '/v1/invitations/{token}',
    summary: 'What somebody is invited to.',
    tag: 'Members',
    credentials: ['none'],
    params: InvitationParams,
    reply: { status: 200, body: Invitation },
    errors,
  },
  acceptInvitation: {
    method: 'POST',
    path: '/v1/invitations/{token}/accept',
    summary:
      "Accepts an invitation: as the signed-in user of the invited address, with an empty body, or, where the address has no user, by a name and a password of one's own.",
    tag: 'Members',
    credentials: ['user', 'none'],
    params: InvitationParams,
    body: AcceptInvitation,
    reply: { status: 200, body: AuthResult },
    errors: [...errors, 'not_allowed', 'already_exists', 'state_conflict'],
    example: { name: 'Jonas Weber', password: 'four words are easy to keep' },
  },
});
