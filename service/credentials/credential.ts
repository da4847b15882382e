import type { Role } from '#protocol/roles.ts';
import type { CredentialKind } from '#protocol/route.ts';
import type { Task } from './credential-cache.ts';

/**
 * What a request has proved, as one union (contract/conventions.md §9). It is resolved once, before the handler, and
 * only into a kind that the route accepts; handlers get it narrowed to those kinds.
 */
export type Credential =
  | UserCredential
  | ApiKeyCredential
  | PackageCredential<'write'>
  | PackageCredential<'read'>
  | PackageCredential<'manage'>
  | TransferCredential
  | ReportCredential
  | AccessCodeCredential
  | LinkCredential
  | { readonly kind: 'gateway'; readonly gatewayId: string; readonly teamId: string }
  | { readonly kind: 'none' };

/** A signed-in person (X-User-Token, or a browser's cookie). Roles differ by Team, so they are looked up per Team. */
export interface UserCredential {
  readonly kind: 'user';
  readonly userId: string;
  /** The session that the request belongs to; null for a token of an earlier version of the service. */
  readonly sessionId: string | null;
  /** Of a token without a session: the version of its user that it was signed for. */
  readonly version?: number;
  /** The Team through whose company they signed in, and in which alone the session counts; null for a proof of their own. */
  readonly ssoTeamId: string | null;
}

/** An active API key. It acts for the user who created it, only in its own Team, with that user's role. */
interface ApiKeyCredential {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly teamId: string;
  readonly userId: string;
  readonly role: Role;
}

/**
 * A package token (contract/conventions.md §9.3). It has already been checked that it belongs to the package in the
 * request's path. A read token contains `linkId`, the link it was issued for, and `tokenId`, its own id, by which a
 * link's downloads are counted. `userId` is the user for whom a management token was issued.
 */
interface PackageCredential<Variant extends 'write' | 'read' | 'manage'> {
  readonly kind: `package:${Variant}`;
  readonly packageId: string;
  readonly tokenId: string;
  readonly linkId: string | null;
  readonly userId: string | null;
  /** Whether a recipient proved with a mailed code that the link's address is theirs. */
  readonly verified: boolean;
  /** The storage gateway's task that the token is for, as long as the gateway holds it; null for none. */
  readonly task: Task | null;
  /** The token itself, for the record that its holder reads: a newly issued one would expire later. Never to be logged. */
  readonly token: string;
}

/** A transfer token. It has already been checked that it belongs to the transfer in the request's path. */
interface TransferCredential {
  readonly kind: 'transfer';
  readonly transferId: string;
  readonly packageId: string;
  /** The token itself, for the record that its holder reads. Never to be logged. */
  readonly token: string;
}

/** The transfer token in a storage gateway's task: it reports on that task. It holds as long as the task does. */
interface ReportCredential {
  readonly kind: 'transfer:report';
  readonly transferId: string;
  readonly packageId: string;
  readonly taskId: string;
}

/** A Portal's access code, in each possible decoding of the header (resolve.ts). One of them must be right. */
interface AccessCodeCredential {
  readonly kind: 'access_code';
  readonly codes: readonly string[];
}

/** A link's secret, and its password in each possible decoding; empty without a password. The link's handler compares them. */
interface LinkCredential {
  readonly kind: 'link';
  readonly secret: string;
  readonly passwords: readonly string[];
  /** The mailed code, or the proof that an earlier one gave; empty without. Never to be logged. */
  readonly code: string;
}

/** A caller with a role in Teams: a signed-in user, or an API key that acts for one. */
export type Actor = UserCredential | ApiKeyCredential;

export type CredentialOf<K extends CredentialKind> = Extract<Credential, { readonly kind: K }>;
