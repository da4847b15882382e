import type { Role } from '#protocol/roles.ts';
import type { CredentialKind } from '#protocol/route.ts';

/**
 * What a request has proved, one union (interface §5). It is resolved once, before the handler, and only into a
 * kind that the route takes; handlers get it narrowed to those kinds.
 */
export type Credential =
  | UserCredential
  | ApiKeyCredential
  | PackageCredential<'write'>
  | PackageCredential<'read'>
  | PackageCredential<'manage'>
  | { readonly kind: 'transfer'; readonly transferId: string; readonly packageId: string }
  | { readonly kind: 'access_code'; readonly code: string }
  | LinkCredential
  | { readonly kind: 'gateway'; readonly gatewayId: string }
  | { readonly kind: 'none' };

/** A signed-in person (X-User-Token). Roles differ by Team, so they are looked up per Team. */
export interface UserCredential {
  readonly kind: 'user';
  readonly userId: string;
}

/** An active API key. It stands for the user who made it, in its own Team only, with that user's role. */
export interface ApiKeyCredential {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly teamId: string;
  readonly userId: string;
  readonly role: Role;
}

/**
 * A package token (interface §5.3). That it is of the package in the request's path is already checked.
 * `linkId` and `tokenId` stand in a read token: the link it came from, and the token's own id, by which a
 * link's downloads are counted. `userId` is who made a management token.
 */
export interface PackageCredential<Variant extends 'write' | 'read' | 'manage'> {
  readonly kind: `package:${Variant}`;
  readonly packageId: string;
  readonly tokenId: string;
  readonly linkId: string | null;
  readonly userId: string | null;
}

/** A link's secret and its password, as sent: the link's own handler compares them. */
export interface LinkCredential {
  readonly kind: 'link';
  readonly secret: string;
  readonly password: string | null;
}

/** Somebody with a role in Teams: a signed-in user, or an API key that stands for one. */
export type Actor = UserCredential | ApiKeyCredential;

export type CredentialOf<K extends CredentialKind> = Extract<Credential, { readonly kind: K }>;
