import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** `My Team` → `my-team`. */
export function subdomainOf(team: string): string {
  const slug = trimmed(
    team
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-'),
  );
  return slug.length >= 3 ? slug : `team-${slug || 'one'}`;
}

const trimmed = (slug: string, most = 53): string => slug.replace(/^-+/, '').slice(0, most).replace(/-+$/, '');

/** A free subdomain for a Team's name; with a number if another Team has it: `my-team-2`. */
export async function freeSubdomain(trx: Transaction<Database>, team: string): Promise<string> {
  const wanted = subdomainOf(team);
  const stem = trimmed(wanted, 46);
  const rows = await trx
    .selectFrom('teams')
    .select('subdomain')
    .where((where) => where.or([where('subdomain', '=', wanted), where('subdomain', 'like', sql<string>`${stem} || '-%'`)]))
    .execute();
  const taken = new Set(rows.map((row) => row.subdomain));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`;
}
