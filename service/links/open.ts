import { randomUUID } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { passwordMatches } from '../accounts/passwords.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { addKnownSource, checkAttempt, type GuardedSecret, knownSourceOf } from '../http/guarded-secret.ts';
import { sameSecret } from '../same-secret.ts';
import { formatDateTime } from '../wire-times.ts';
import type { OpenedLink } from './reads.ts';
import { proveRecipient } from './recipient-proof.ts';
import { effectiveExpiry, type LinkStatus, linkStatus } from './state-machine.ts';

/** Maximum lifetime of a read token; its link can be opened again. */
const readTokenMilliseconds = 7 * 24 * 3600 * 1000;

/**
 * The same limits as for an account: many people may have received or found the link, and none of them may lock out
 * the others.
 */
const guardedLink = (linkId: string, passwordHash: string): GuardedSecret => ({
  kind: 'link',
  name: linkId,
  answer: passwordHash,
  unknownSources: { burstFactor: 10, drainFactor: 6 },
  maxKnownSources: 1_000,
});

async function anyMatches(hash: string, passwords: readonly string[]): Promise<boolean> {
  for (const password of passwords) if (await passwordMatches(hash, password)) return true;
  return false;
}

/**
 * The link in the request's path, if its secret and password are right and it is open now (contract/links.md §2).
 * Errors: `not_found`, `link_password_wrong`, `rate_limited`, and those of the link's state.
 */
export async function requireLink(context: Context<CredentialOf<'link'>>, linkId: string): Promise<OpenedLink> {
  const { links, credential, now } = context;
  const link = await links.read(linkId);
  // An unknown link and a wrong secret give the same response.
  if (!link || !sameSecret(link.secret, credential.secret)) throw new ApiError('not_found', { resource: 'link' });
  const status = linkStatus(link, now());
  if (!status.open) throw endOf(link, status);
  if (link.password_hash !== null) {
    const { password_hash: hash } = link;
    const { passwords } = credential;
    if (passwords.length === 0) throw new ApiError('link_password_wrong');
    const guarded = guardedLink(linkId, hash);
    const known = await knownSourceOf(context, guarded);
    if (!(await checkAttempt(context, guarded, known, () => anyMatches(hash, passwords)))) throw new ApiError('link_password_wrong');
    await addKnownSource(context, guarded, known);
  }
  return link;
}

/** Opens a link, for whoever proves to be its recipient if it asks for that; returns a read token (contract/links.md §3). */
export const openLink: HandlersOf<'openLink'>['openLink'] = async ({ params }, context) => {
  const { credential, tokens, now } = context;
  const link = await requireLink(context, params.link_id);
  const proof = link.verify_recipient ? await proveRecipient(context, link, credential.code) : null;
  const end = effectiveExpiry(link);
  const tokenEnd = Math.min(now().getTime() + readTokenMilliseconds, end?.getTime() ?? Number.POSITIVE_INFINITY);
  const claims = { packageId: link.package_id, variant: 'read', tokenId: randomUUID(), linkId: params.link_id, userId: null } as const;
  const proven = proof === null ? claims : ({ ...claims, verified: true } as const);
  return {
    id: params.link_id,
    name: link.name,
    expiry: formatDateTime(end),
    package_id: link.package_id,
    package_size: Number(link.size),
    package_token: await tokens.sign('package', proven, new Date(tokenEnd)),
    recipient_email: link.email,
    sender_email: link.sender,
    description: link.description,
    used_up: link.access_limit > 0 && link.accesses >= link.access_limit,
    ...(proof !== null && { proof }),
    branding: brandingOf(link),
    ...(link.imprint_url !== '' && { imprint_url: link.imprint_url }),
    ...(link.privacy_url !== '' && { privacy_url: link.privacy_url }),
  };
};

/** Why it gives nothing: to whoever opens it, deleted files are another matter than files whose time was over. */
function endOf({ deletedAt }: OpenedLink, { error, details }: Extract<LinkStatus, { open: false }>): ApiError {
  return error === 'package_expired' && deletedAt ? new ApiError('package_deleted') : new ApiError(error, details);
}

/** The branding of the Portal that the package was received through, and the Team's for the rest; the default if there is none. */
function brandingOf({ portalName, teamName, portalColor, portalLogo, portalBackground }: OpenedLink): LinkInfo['branding'] {
  if (portalName === null && `${portalColor}${portalLogo}${portalBackground}` === '') return { primary_color: '' };
  return { primary_color: portalColor, name: portalName ?? teamName, logo_url: portalLogo, background_url: portalBackground };
}
