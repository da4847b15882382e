import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Name } from '../schema.ts';

/** Second factors of a user: contract/users-and-auth.md §7. */

const PresentPassword = Type.String({ minLength: 1, maxLength: limits.passwordLength.max });

/** A code of an authenticator app, or a recovery code. */
export const Code = Type.String({
  minLength: 6,
  maxLength: 64,
  description: 'Six digits of the authenticator app, or a recovery code. Spaces and hyphens do not matter.',
  examples: ['492039'],
});

const Base64Url = Type.String({ minLength: 1, maxLength: 16_384, pattern: '^[A-Za-z0-9_-]+$', examples: ['dGhlIGJyb3dzZXIgc2lnbnM'] });

const credentialFields = {
  id: Base64Url,
  rawId: Base64Url,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 32 })),
  clientExtensionResults: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
} as const;

/** What a browser answers when it has proved a passkey, as WebAuthn writes it in JSON. */
export const PasskeyProof = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Type.Optional(Base64Url),
    }),
  },
  { title: 'PasskeyProof', description: 'The `AuthenticationResponseJSON` of WebAuthn.' },
);
export type PasskeyProof = Static<typeof PasskeyProof>;

const NewPasskeyResponse = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON: Base64Url,
      attestationObject: Base64Url,
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
    }),
  },
  { title: 'NewPasskeyResponse', description: 'The `RegistrationResponseJSON` of WebAuthn.' },
);
export type NewPasskeyResponse = Static<typeof NewPasskeyResponse>;

/** A second factor beside the password in the same body; where the user has none, both are left out. */
export const secondFactorFields = { code: Type.Optional(Code), passkey: Type.Optional(PasskeyProof) } as const;

const FreshProof = Type.Object({ password: PresentPassword, ...secondFactorFields });
export type FreshProof = Static<typeof FreshProof>;

const WebAuthnOptions = (title: string) => Type.Object({ options: Type.Record(Type.String(), Type.Unknown()) }, { title });

export const Passkey = Type.Object(
  { id: Id, name: Type.String({ examples: ['Laptop'] }), created_at: DateTime, last_used_at: DateTime },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

export const Mfa = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether a sign-in asks for a second factor.' }),
    totp: Type.Boolean({ description: 'Whether there is an authenticator app.' }),
    passkeys: Type.Array(Passkey),
    recovery_codes_left: Type.Integer({ minimum: 0 }),
  },
  { title: 'Mfa' },
);
export type Mfa = Static<typeof Mfa>;

const RecoveryCodes = Type.Array(Type.String({ examples: ['k7qd-3mzx-w9tc-hb2e'] }), {
  description: 'Each is good once. Shown in this answer only; empty where there are some already.',
});

const common = { tag: 'Accounts', credentials: ['user'] } as const;
const proofErrors = ['wrong_password', 'mfa_required', 'mfa_wrong'] as const;
const proofExample = { password: 'correct horse battery staple', code: '492039' };
const PasskeyParams = Type.Object({ passkey_id: Id });

export const mfaRoutes = defineRoutes({
  getMfa: {
    ...common,
    method: 'GET',
    path: '/v1/mfa',
    summary: "A user's own second factors.",
    reply: { status: 200, body: Mfa },
  },
  startTotp: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/totp',
    summary: 'Begins to add an authenticator app, or to replace the one there is: answers its secret, which counts once it is confirmed.',
    body: FreshProof,
    reply: {
      status: 200,
      body: Type.Object({
        secret: Type.String({ description: 'In Base32, to be typed in.', examples: ['JBSWY3DPEHPK3PXP'] }),
        uri: Type.String({ description: 'For a QR code.', examples: ['otpauth://totp/…'] }),
      }),
    },
    errors: [...proofErrors],
    example: proofExample,
  },
  confirmTotp: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/totp/confirm',
    summary: 'Confirms the authenticator app by a code that it shows. With the first factor of a user the other sign-ins end.',
    body: Type.Object({ code: Code }),
    reply: { status: 200, body: Type.Object({ recovery_codes: RecoveryCodes }) },
    errors: ['mfa_wrong', 'state_conflict'],
    example: { code: '492039' },
  },
  removeTotp: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/totp/remove',
    summary: 'Removes the authenticator app. With the last factor the recovery codes go, too.',
    body: FreshProof,
    reply: { status: 204 },
    errors: [...proofErrors, 'not_found'],
    example: proofExample,
  },
  createRecoveryCodes: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/recovery_codes',
    summary: 'Makes new recovery codes in place of the ones there are.',
    body: FreshProof,
    reply: { status: 200, body: Type.Object({ recovery_codes: RecoveryCodes }) },
    errors: [...proofErrors, 'state_conflict'],
    example: proofExample,
  },
  startPasskey: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/passkeys/challenge',
    summary: 'Begins to add a passkey: answers the options for `navigator.credentials.create`, good for five minutes.',
    body: FreshProof,
    reply: { status: 200, body: WebAuthnOptions('NewPasskeyOptions') },
    errors: [...proofErrors, 'over_limit'],
    example: proofExample,
  },
  addPasskey: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/passkeys',
    summary: 'Adds the passkey that a browser has made. With the first factor of a user the other sign-ins end.',
    body: Type.Object({ name: Name, response: NewPasskeyResponse }),
    reply: { status: 200, body: Type.Object({ passkey: Passkey, recovery_codes: RecoveryCodes }) },
    errors: ['mfa_wrong', 'already_exists', 'over_limit'],
  },
  renamePasskey: {
    ...common,
    method: 'PUT',
    path: '/v1/mfa/passkeys/{passkey_id}',
    summary: 'Renames a passkey.',
    params: PasskeyParams,
    body: Type.Object({ name: Name }),
    reply: { status: 200, body: Passkey },
    errors: ['not_found'],
    example: { name: 'Laptop' },
  },
  removePasskey: {
    ...common,
    method: 'POST',
    path: '/v1/mfa/passkeys/{passkey_id}/remove',
    summary: 'Removes a passkey. With the last factor the recovery codes go, too.',
    params: PasskeyParams,
    body: FreshProof,
    reply: { status: 204 },
    errors: [...proofErrors, 'not_found'],
    example: proofExample,
  },
  createPasskeyChallenge: {
    tag: 'Accounts',
    credentials: ['none'],
    method: 'POST',
    path: '/v1/sessions/passkey/challenge',
    summary: 'The options for `navigator.credentials.get`, good for five minutes and one proof: to sign in, or as the second factor.',
    reply: { status: 200, body: WebAuthnOptions('PasskeyOptions') },
  },
});
