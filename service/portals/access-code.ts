import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { Actor, CredentialOf } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import { addKnownSource, checkAttempt, type GuardedSecret, knownSourceOf } from '../http/guarded-secret.ts';
import { resourceAccess } from '../teams/resource.ts';
import type { PortalRow } from './row.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Constant-time comparison: reveals nothing about either text. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** For all unknown sources combined, 200 wrong codes at once, then one a minute: many people may be sent to one Portal. */
const guardedPortal = ({ id, access_code: code }: Pick<PortalRow, 'id' | 'access_code'>): GuardedSecret => ({
  kind: 'portal',
  name: id,
  answer: code,
  unknownSources: { burstFactor: 20, drainFactor: 30 },
  maxKnownSources: 5_000,
});

/**
 * Admits a sender with the Portal's access code, or anybody if it has no code. Wrong codes are counted by address and
 * by Portal. A known address or device, which gave the right code before, is not blocked by other people's guesses.
 * Errors: `access_code_wrong` (401), `rate_limited` (429).
 */
export async function requireAccessCode(
  parts: Pick<Context, 'attemptLimiter' | 'knownSources' | 'peer' | 'device'>,
  portal: Pick<PortalRow, 'id' | 'has_access_code' | 'access_code'>,
  credential: CredentialOf<'access_code' | 'none'>,
): Promise<void> {
  if (!portal.has_access_code) return;
  if (credential.kind === 'none') throw new ApiError('access_code_wrong');
  const guarded = guardedPortal(portal);
  const known = await knownSourceOf(parts, guarded);
  if (!(await checkAttempt(parts, guarded, known, async () => credential.codes.some((code) => same(portal.access_code, code))))) {
    throw new ApiError('access_code_wrong');
  }
  await addKnownSource(parts, guarded, known);
}

/** Whether a Portal accepts new uploads now. Uploads in progress may still be finished. */
export function isOpen(portal: Pick<PortalRow, 'active' | 'expiry_enabled' | 'expiry'>, now: Date): boolean {
  return portal.active && !(portal.expiry_enabled && portal.expiry !== null && portal.expiry.getTime() <= now.getTime());
}

/**
 * The Portal for a sender: with its access code, without one if it has none, or for a member of its Team who may send
 * packages. Errors: `not_found`, `not_allowed`, those of `admit`, `portal_closed` (403), `team_inactive` (402).
 */
export async function portalForSender(
  context: Context<Actor | CredentialOf<'access_code' | 'none'>>,
  portalId: string,
): Promise<PortalRow & { readonly team_state: 'active' | 'inactive' }> {
  const { db, credential, now } = context;
  const row = await db
    .selectFrom('portals')
    .innerJoin('teams', 'teams.id', 'portals.team_id')
    .selectAll('portals')
    .select('teams.state as team_state')
    .where('portals.id', '=', portalId)
    .executeTakeFirst();
  if (credential.kind === 'api_key' || credential.kind === 'user') {
    await resourceAccess({ ...context, credential }, 'Portal', row?.team_id, 'packages.create');
  }
  if (!row) throw new ApiError('not_found', { resource: 'Portal' });
  if (credential.kind === 'access_code' || credential.kind === 'none') await requireAccessCode(context, row, credential);
  if (row.team_state !== 'active') throw new ApiError('team_inactive');
  if (!isOpen(row, now())) throw new ApiError('portal_closed');
  return row;
}
