import { ApiError } from '#protocol/errors.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { HandoverClaims } from '../database/schema/handovers.ts';
import type { Context } from '../handler.ts';
import { managePackage, seePackage } from '../packages/access.ts';
import { requireOpenForFiles } from '../packages/package-facts.ts';
import type { PackageRow } from '../packages/row.ts';

export type AnyPackageToken = CredentialOf<'package:write' | 'package:read' | 'package:manage'>;

/**
 * The package of a token, if its holder may still see it, and could transfer it. Errors as of `seePackage`, and
 * `not_allowed`.
 */
export async function requireSight(context: Context<AnyPackageToken>, packageId: string): Promise<PackageRow> {
  const { kind, task, linkId } = context.credential;
  const { row } = await seePackage(context, packageId);
  // That of a gateway's task ends with it; that of a list of packages reads no bytes.
  if (task || (kind === 'package:read' && linkId === null)) {
    throw new ApiError('not_allowed', { detail: 'A transfer with this token is handed over to nobody.' });
  }
  return row;
}

/**
 * The same, if there is something to go on with: with a read token the package is finalized, with others it takes files.
 * Errors also `state_conflict`, `package_expired`.
 */
export async function requireTransferable(context: Context<AnyPackageToken>, packageId: string): Promise<PackageRow> {
  const { credential } = context;
  const seen = await requireSight(context, packageId);
  if (credential.kind === 'package:manage') await managePackage({ db: context.db, credential }, packageId);
  if (credential.kind !== 'package:read') await requireOpenForFiles(context, packageId);
  else if (seen.state !== 'finalized') throw new ApiError('state_conflict', { detail: 'This package is not complete yet.' });
  return seen;
}

/** The credential that a token with these claims would be. */
export function credentialOf(claims: HandoverClaims): AnyPackageToken {
  const { packageId, tokenId, linkId, userId, variant } = claims;
  return { kind: `package:${variant}`, packageId, tokenId, linkId, userId, verified: claims.verified === true, task: null, token: '' };
}

/** The claims of the token that a request came with. */
export function claimsOf({ kind, packageId, tokenId, linkId, userId, verified }: AnyPackageToken): HandoverClaims {
  const variant = kind === 'package:write' ? 'write' : kind === 'package:read' ? 'read' : 'manage';
  return { packageId, variant, tokenId, linkId, userId, ...(verified && { verified: true as const }) };
}
