import { randomUUID, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { passwordMatches } from '../accounts/passwords.ts';
import { toWire } from '../accounts/times.ts';
import type { HandlersOf } from '../handler.ts';
import type { OpenedLink } from './reads.ts';
import { endOf, standing } from './states.ts';

/** A read token lasts this long at most; its link can be opened again. */
const readTokenMilliseconds = 7 * 24 * 3600 * 1000;

/** Compares in a time that tells nothing but whether they are as long: all secrets are. */
function same(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Opens a link: its secret, then whether it still stands, then its password; and gives a read token (interface §4.3, §5.6). */
export const openLink: HandlersOf<'openLink'>['openLink'] = async ({ params }, context) => {
  const { links, credential, tokens, guesses, now } = context;
  const link = await links.read(params.link_id);
  // A link that does not exist and a wrong secret are the same answer.
  if (!link || !same(link.secret, credential.secret)) throw new ApiError('not_found', { resource: 'link' });
  const stands = standing(link, now());
  if (!stands.open) throw new ApiError(stands.error, stands.details);
  if (link.password_hash !== null) {
    const { password_hash: hash } = link;
    const { password } = credential;
    if (password === null || password === '') throw new ApiError('link_password_wrong');
    if (!(await guesses.judge([{ name: `link ${params.link_id}` }], () => passwordMatches(hash, password)))) {
      throw new ApiError('link_password_wrong');
    }
  }
  const end = endOf(link);
  const tokenEnd = Math.min(now().getTime() + readTokenMilliseconds, end?.getTime() ?? Number.POSITIVE_INFINITY);
  const claims = { packageId: link.package_id, variant: 'read', tokenId: randomUUID(), linkId: params.link_id, userId: null } as const;
  return {
    id: params.link_id,
    name: link.name,
    expiry: toWire(end),
    package_id: link.package_id,
    package_size: Number(link.size),
    package_token: await tokens.sign('package', claims, new Date(tokenEnd)),
    recipient_email: link.email,
    sender_email: link.sender,
    used_up: link.access_limit > 0 && link.accesses >= link.access_limit,
    branding: brandingOf(link),
  };
};

/** How the Portal looks that the package came in through; as the default where it came by none. */
function brandingOf({ portalName, portalColor, portalLogo, portalBackground }: OpenedLink): LinkInfo['branding'] {
  if (portalName === null) return { primary_color: '' };
  return { primary_color: portalColor ?? '', name: portalName, logo_url: portalLogo ?? '', background_url: portalBackground ?? '' };
}
