import { domainToASCII } from 'node:url';
import type { Kysely, Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { daysAfter, formatDateTime } from '../wire-times.ts';

/**
 * What a Team forbids its members (contract/teams-and-members.md §6). A policy holds for what is made and changed from
 * then on, by whichever role and credential; packages and links that there are keep what they have.
 */
export type TeamPolicies = Pick<
  Selectable<Database['teams']>,
  'password_required' | 'public_links_allowed' | 'recipient_domains' | 'max_expiry_days' | 'verify_recipient_required'
>;

export const policyColumns = [
  'teams.password_required',
  'teams.public_links_allowed',
  'teams.recipient_domains',
  'teams.max_expiry_days',
  'teams.verify_recipient_required',
] as const;

/** With `lock`, the policies stay as they are until the transaction ends. */
export async function readPolicies(db: Kysely<Database>, teamId: string, lock = false): Promise<TeamPolicies> {
  let query = db.selectFrom('teams').select(policyColumns).where('id', '=', teamId);
  if (lock) query = query.forShare();
  return await query.executeTakeFirstOrThrow();
}

/** A domain as it is compared: in ASCII and small letters; null for what is no domain. */
export function normalDomain(domain: string): string | null {
  const ascii = domainToASCII(domain.trim().replace(/^@/, ''));
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(ascii) ? ascii : null;
}

/** Those of the addresses that the Team does not send to. */
export function foreignAddresses({ recipient_domains: domains }: Pick<TeamPolicies, 'recipient_domains'>, addresses: readonly string[]) {
  if (domains.length === 0) return [];
  return addresses.filter((address) => {
    const domain = normalDomain(address.slice(address.lastIndexOf('@') + 1));
    return domain === null || !domains.includes(domain);
  });
}

const refused = (detail: string): ApiError => new ApiError('not_allowed', { detail });

/** Refuses recipients outside the allowed domains. `field` is what the caller named them in. */
export function requireRecipients(team: TeamPolicies, addresses: readonly string[], field: string): void {
  const [foreign] = foreignAddresses(team, addresses);
  if (foreign === undefined) return;
  throw refused(`${field}: this Team sends only to addresses of ${listOf(team.recipient_domains)}, and not to ${foreign}.`);
}

/** Refuses a link, present or to come, without a password. */
export function requirePassword(team: TeamPolicies, hasPassword: boolean, field: string): void {
  if (team.password_required && !hasPassword) throw refused(`${field}: this Team sends nothing without a password. Choose one.`);
}

/** Refuses a link that is for nobody in particular. */
export function requireRecipient(team: TeamPolicies, email: string): void {
  if (!team.public_links_allowed && email === '') {
    throw refused('email: this Team makes no public links. Say whom the link is for.');
  }
}

/**
 * Whether recipients are asked for a mailed code: as whoever sends says, else `usual`; always where the Team demands it.
 * Error: `not_allowed` for who says no all the same.
 */
export function verification(team: Pick<TeamPolicies, 'verify_recipient_required'>, wanted: boolean | undefined, usual: boolean): boolean {
  if (!team.verify_recipient_required) return wanted ?? usual;
  if (wanted !== false) return true;
  throw refused('verify_recipient: this Team asks every recipient for a mailed code. Leave it out.');
}

/**
 * Refuses to keep a package longer than the Team allows; `expiry` null is for ever. An earlier end than the present one
 * is always allowed.
 */
export function requireExpiry(
  { max_expiry_days: most }: TeamPolicies,
  row: { readonly expiry: Date | null; readonly finalized_at: Date | null },
  expiry: Date | null,
  now: Date,
): void {
  if (most === 0) return;
  const latest = daysAfter(row.finalized_at ?? now, most);
  if (expiry !== null && expiry <= latest) return;
  if (row.expiry === null || (expiry !== null && expiry <= row.expiry)) return;
  const field = expiry === null ? 'unlimited_storage' : 'expiry';
  throw refused(`${field}: this Team keeps packages at most ${daysOf(most)}, so this one until ${formatDateTime(latest)}.`);
}

/** Refuses to send a package that is to be kept for ever. */
export function requireEnd({ max_expiry_days: most }: TeamPolicies, isUnlimited: boolean): void {
  if (most > 0 && isUnlimited) throw refused(`unlimited_storage: this Team keeps packages at most ${daysOf(most)}.`);
}

export const daysOf = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

function listOf(domains: readonly string[]): string {
  const shown = domains.slice(0, 5).join(', ');
  return domains.length > 5 ? `${shown} and ${domains.length - 5} more` : shown;
}
