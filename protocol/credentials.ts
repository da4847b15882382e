import type { CredentialKind } from './route.ts';

/** How a credential is sent. Used for validation messages, OpenAPI and the docs (contract/conventions.md §9). */
interface CredentialSpec {
  /** The request header for it; `null` for a link (its `secret` is a query parameter) and for none. */
  readonly header: string | null;
  /** Its security scheme in the OpenAPI document; kinds that share a header share a scheme. */
  readonly scheme: string | null;
  /** Its name in texts for users. */
  readonly label: string;
  /** How a caller gets one, and what it permits. */
  readonly meaning: string;
}

const packageToken = { header: 'X-Package-Token', scheme: 'packageToken' } as const;
const transferToken = { header: 'X-Transfer-Token', scheme: 'transferToken' } as const;

export const credentialSpecs = {
  user: {
    header: 'X-User-Token',
    scheme: 'userToken',
    label: 'user token',
    meaning: 'From POST /v1/auth. Stands for one user.',
  },
  api_key: {
    header: 'X-API-KEY',
    scheme: 'apiKey',
    label: 'API key',
    meaning: 'Made by POST /v1/teams/{team_id}/api_keys. Carries the permissions of the user who made it.',
  },
  'package:write': {
    ...packageToken,
    label: 'package token (write)',
    meaning: '`access_token` of a new Portal package. Adds files and finalizes.',
  },
  'package:read': {
    ...packageToken,
    label: 'package token (read)',
    meaning: '`package_token` of an opened link. Reads and downloads.',
  },
  'package:manage': {
    ...packageToken,
    label: 'package token (manage)',
    meaning: '`access_token` of a package that was created or listed with an API key or a user token. Manages, does not download.',
  },
  transfer: {
    ...transferToken,
    label: 'transfer token',
    meaning: '`access_token` of a transfer. Reads, retries and cancels that transfer.',
  },
  'transfer:report': {
    ...transferToken,
    label: 'transfer token (report)',
    meaning: "`transfer_token` of a storage gateway's task. Reports on that task.",
  },
  access_code: {
    header: 'X-Access-Code',
    scheme: 'accessCode',
    label: 'access code',
    meaning: "The Portal's access code, URI-encoded, where the Portal has one.",
  },
  link: {
    header: null,
    scheme: 'linkSecret',
    label: 'link secret',
    meaning:
      'The `secret` in the address of a download link; a link with a password takes that in X-Link-Password, one that asks for a mailed code takes it in X-Link-Code.',
  },
  gateway: {
    header: 'X-Gateway-Token',
    scheme: 'gatewayToken',
    label: 'gateway token',
    meaning: '`access_token` of a registered storage gateway.',
  },
  none: { header: null, scheme: null, label: 'none', meaning: 'No credential is needed.' },
} as const satisfies Record<CredentialKind, CredentialSpec>;
