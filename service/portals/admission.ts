import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { Actor, CredentialOf } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import type { GuessSubject } from '../http/guesses.ts';
import { resourceAccess } from '../teams/resource.ts';
import type { PortalRow } from './row.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in a time that tells nothing about either. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** Guesses from all addresses together are counted too, since somebody may have many. */
const portalAllowance = 20;

/**
 * Lets a sender in who knows the Portal's access code, or anybody where it has none. Wrong codes are counted by
 * address and by Portal. When a Portal has had too many, those who gave the right one from their address before
 * still get in. Errors: `access_code_wrong` (401), `rate_limited` (429).
 */
export async function admit(
  { guesses, knownSenders, ip }: Pick<Context, 'guesses' | 'knownSenders' | 'ip'>,
  portal: Pick<PortalRow, 'id' | 'has_access_code' | 'access_code'>,
  credential: CredentialOf<'access_code' | 'none'>,
): Promise<void> {
  if (!portal.has_access_code) return;
  if (credential.kind === 'none') throw new ApiError('access_code_wrong');
  const sender = { portalId: portal.id, ip, accessCode: portal.access_code };
  const known = await knownSenders.has(sender);
  const fromAddress: GuessSubject = { name: `portal ${portal.id} from ${ip}` };
  const fromAll: GuessSubject = { name: `portal ${portal.id}`, allowance: portalAllowance };
  const subjects = known ? [fromAddress] : [fromAddress, fromAll];
  if (!(await guesses.judge(subjects, async () => same(portal.access_code, credential.code)))) throw new ApiError('access_code_wrong');
  if (!known) await knownSenders.add(sender);
}

/** Whether a Portal takes uploads now. One begun before may still be finished. */
export function isOpen(portal: Pick<PortalRow, 'active' | 'expiry_enabled' | 'expiry'>, now: Date): boolean {
  return portal.active && !(portal.expiry_enabled && portal.expiry !== null && portal.expiry.getTime() <= now.getTime());
}

/**
 * The Portal that somebody sends to: with its access code, with nothing where it has none, or as a member of its Team
 * who sends packages. Errors: `not_found`, `not_allowed`, those of `admit`, `portal_closed` (403), `team_inactive` (402).
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
  if (credential.kind === 'access_code' || credential.kind === 'none') await admit(context, row, credential);
  if (row.team_state !== 'active') throw new ApiError('team_inactive');
  if (!isOpen(row, now())) throw new ApiError('portal_closed');
  return row;
}
