import type { Kysely, Selectable } from 'kysely';
import type { SsoDomain } from '#protocol/hosted/sso.ts';
import type { Database } from '../database/schema/database.ts';
import { normalDomain } from '../teams/policies.ts';
import { formatDateTime } from '../wire-times.ts';
import { recordValue } from './txt-records.ts';

export type DomainRow = Selectable<Database['sso_domains']>;

export const toDomain = (row: DomainRow): SsoDomain => ({
  id: row.id,
  domain: row.domain,
  state: row.verified_at === null ? 'pending' : row.missing_since === null ? 'verified' : 'missing',
  record: { name: row.domain, value: recordValue(row.token) },
  verified_at: formatDateTime(row.verified_at),
  checked_at: formatDateTime(row.checked_at),
});

/** The domain of an e-mail address, or of a text that is a domain itself; null for what is neither. */
export const domainOf = (text: string): string | null => normalDomain(text.slice(text.lastIndexOf('@') + 1));

/** The Team for which a domain is verified; undefined for none. */
export async function teamOfDomain(db: Kysely<Database>, domain: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sso_domains')
    .select('team_id')
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  return row?.team_id;
}
