import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { mailLanguages } from '../mail-languages.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Email, Id, Literals, Name } from '../schema.ts';
import { MailedToken, Password, User } from './accounts.ts';
import { secondFactorFields } from './mfa.ts';

/** A user's own account: contract/users-and-auth.md §3. */

const PresentPassword = Type.String({ minLength: 1, maxLength: limits.passwordLength.max });
const UserParams = Type.Object({ user_id: Id });

const UpdateUser = Type.Object({
  name: Type.Optional(Name),
  time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'A name of the IANA time zone database.' })),
  language: Type.Optional(Literals(mailLanguages, { description: 'Of mail to this user.' })),
  preferred_team_id: Type.Optional(Id),
});

const EmailAddress = Type.Object(
  {
    email: Type.String(),
    pending: Type.Optional(
      Type.Object(
        { email: Type.String(), expires_at: DateTime },
        { description: 'The wanted one, until it is confirmed, cancelled or too old.' },
      ),
    ),
  },
  { title: 'EmailAddress' },
);

const EmailChange = Type.Object(
  { email: Type.String({ description: 'The wanted one.', examples: ['mia@example.com'] }), expires_at: DateTime },
  { title: 'EmailChange' },
);

const common = { tag: 'Accounts', credentials: ['user'], params: UserParams } as const;

export const userRoutes = defineRoutes({
  updateUser: {
    ...common,
    method: 'PUT',
    path: '/v1/users/{user_id}',
    summary: "Changes a user's name, language, time zone or preferred Team. What is left out stays as it is.",
    body: UpdateUser,
    reply: { status: 200, body: User },
    errors: ['not_found', 'not_allowed'],
    example: { name: 'Mia Sandberg', time_zone: 'Europe/Berlin' },
  },
  changePassword: {
    ...common,
    method: 'POST',
    path: '/v1/users/{user_id}/password',
    summary: "Changes a user's password. Every user token issued before ends.",
    body: Type.Object({ current_password: PresentPassword, password: Password, ...secondFactorFields }),
    reply: { status: 204 },
    errors: ['wrong_password', 'mfa_required', 'mfa_wrong', 'not_found', 'not_allowed'],
    example: { current_password: 'correct horse battery staple', password: 'four words are easy to keep' },
  },
  changeEmail: {
    ...common,
    method: 'PUT',
    path: '/v1/users/{user_id}/email',
    summary: 'Mails a way to confirm another e-mail address to it. The user keeps the present one until then.',
    body: Type.Object({ email: Email, password: PresentPassword, ...secondFactorFields }),
    reply: { status: 200, body: User },
    errors: ['wrong_password', 'mfa_required', 'mfa_wrong', 'already_exists', 'not_found', 'not_allowed'],
    example: { email: 'mia.sandberg@example.com', password: 'correct horse battery staple' },
  },
  getEmail: {
    ...common,
    method: 'GET',
    path: '/v1/users/{user_id}/email',
    summary: "A user's e-mail address, and the one that waits for its confirmation.",
    reply: { status: 200, body: EmailAddress },
    errors: ['not_found', 'not_allowed'],
  },
  resendEmailChange: {
    ...common,
    method: 'POST',
    path: '/v1/users/{user_id}/email/resend',
    summary: 'Mails the confirmation of the wanted address again. What was mailed before ends.',
    reply: { status: 202, body: Type.Object({}) },
    errors: ['not_found', 'not_allowed'],
  },
  cancelEmailChange: {
    ...common,
    method: 'DELETE',
    path: '/v1/users/{user_id}/email/pending',
    summary: 'Ends the change of address that waits for its confirmation, where there is one.',
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed'],
  },
  getEmailChange: {
    method: 'GET',
    path: '/v1/email_changes/{token}',
    summary: 'Which address waits for its confirmation by this token.',
    tag: 'Accounts',
    credentials: ['none'],
    params: Type.Object({ token: MailedToken }),
    reply: { status: 200, body: EmailChange },
    errors: ['not_found', 'token_expired', 'token_used'],
  },
  confirmEmailChange: {
    method: 'POST',
    path: '/v1/email_changes/{token}/confirm',
    summary: 'Gives the user the address that the token was mailed to. Every user token issued before ends. API keys stay.',
    tag: 'Accounts',
    credentials: ['none'],
    params: Type.Object({ token: MailedToken }),
    reply: { status: 204 },
    errors: ['not_found', 'token_expired', 'token_used', 'already_exists'],
  },
});
