import type { Kysely } from 'kysely';
import type { AuditVerification } from '#protocol/hosted/audit.ts';
import { type NotedHead, verifyChain } from '../audit/verify.ts';
import type { Database } from '../database/schema/database.ts';
import { AdminError } from './admin-error.ts';
import { findTeam, listTeams, type TeamRecord } from './teams.ts';

export interface TeamVerification extends AuditVerification {
  readonly team: Pick<TeamRecord, 'id' | 'name' | 'subdomain'>;
}

/** Checks the audit log of one Team (id or subdomain), or of all. Errors: `AdminError` (`team_unknown`, `invalid`). */
export async function* verifyAuditLogs(
  db: Kysely<Database>,
  reference: string | undefined,
  head: string | undefined,
): AsyncGenerator<TeamVerification> {
  const noted = head === undefined ? null : notedHead(head);
  if (noted !== null && reference === undefined) throw new AdminError('invalid', 'A head belongs to one Team: say which by --team.');
  const teams = reference === undefined ? listTeams(db) : [await findTeam(db, reference)];
  for await (const { id, name, subdomain } of teams) {
    yield { team: { id, name, subdomain }, ...(await verifyChain(db, id, noted)) };
  }
}

/** `12:9f86…` */
function notedHead(text: string): NotedHead {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position === undefined || hash === undefined) {
    throw new AdminError('invalid', `${text} is no head of an audit log. Give it as it was printed: its position, a colon, 64 digits.`);
  }
  return { position: Number(position), hash };
}
