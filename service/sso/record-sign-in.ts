import type { Transaction } from 'kysely';
import { appendEntries } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import type { SsoPerson } from './provider.ts';

type Parts = Pick<Context, 'source' | 'now'>;

/** Into the log of the one Team that it counts for. */
export async function recordSignIn(
  trx: Transaction<Database>,
  { source, now }: Parts,
  { teamId, userId, kind }: { readonly teamId: string; readonly userId: string; readonly kind: 'browser' | 'program' },
): Promise<void> {
  const origin = { actor: { kind: 'user', userId }, at: now(), address: source.address, userAgent: source.userAgent } as const;
  await appendEntries(trx, [teamId], origin, { action: 'session.started', details: { kind, sso: true } });
}

/** The provider has said who it is, so the Team is told whom it did not let in. */
export async function recordRefusal(
  { db, source, now }: Pick<Context, 'db' | 'source' | 'now'>,
  teamId: string,
  { email, subject }: SsoPerson,
  reason: string,
): Promise<void> {
  const origin = {
    actor: { kind: 'visitor', name: email || subject },
    at: now(),
    address: source.address,
    userAgent: source.userAgent,
  } as const;
  await appendEntries(db, [teamId], origin, { action: 'session.refused', details: { reason: 'sso', detail: reason } });
}
