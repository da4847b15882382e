import { type Kysely, sql } from 'kysely';
import type { AuditAction } from '#protocol/hosted/audit.ts';
import type { Credential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { newId } from '../ids.ts';

export interface AuditTarget {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** What happened. Nothing in it is a secret, and nothing says what one was. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly target?: AuditTarget;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Who did it. */
export type AuditActor =
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'api_key'; readonly userId: string; readonly keyId: string }
  | { readonly kind: 'visitor' | 'operator' | 'service'; readonly name: string };

interface Origin {
  readonly actor: AuditActor;
  readonly at: Date;
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** Who a call's credential stands for. A package token that was issued to a user is that user's. */
export function actorOf(credential: Credential): AuditActor {
  switch (credential.kind) {
    case 'user':
      return { kind: 'user', userId: credential.userId };
    case 'api_key':
      return { kind: 'api_key', userId: credential.userId, keyId: credential.keyId };
    case 'package:write':
    case 'package:read':
    case 'package:manage':
      return credential.userId === null ? { kind: 'visitor', name: '' } : { kind: 'user', userId: credential.userId };
    case 'transfer':
    case 'access_code':
    case 'link':
    case 'none':
      return { kind: 'visitor', name: '' };
    case 'transfer:report':
    case 'gateway':
      return { kind: 'service', name: '' };
  }
}

export const originOf = ({ credential, source, now }: Pick<Context, 'credential' | 'source' | 'now'>): Origin => ({
  actor: actorOf(credential),
  at: now(),
  address: source.address,
  userAgent: source.userAgent,
});

/** The origin of what an operator does: by a command, or by name. */
export const byOperator = (at: Date, name = ''): Origin => ({ actor: { kind: 'operator', name }, at, address: '', userAgent: undefined });

const nameOf = (actor: AuditActor) => {
  switch (actor.kind) {
    case 'user':
      return sql<string>`coalesce((select email from users where id = ${actor.userId}), '')`;
    case 'api_key':
      return sql<string>`coalesce((select name from api_keys where id = ${actor.keyId}), '')`;
    default:
      return actor.name.slice(0, 255);
  }
};

/**
 * Appends an entry to the log of each given Team. `db` is the transaction of what it tells of, so that there is an
 * entry exactly if that has happened. It gets its place in the chain later (audit/chain.ts), so nobody waits for
 * others' entries here.
 */
export async function appendEntries(db: Kysely<Database>, teamIds: readonly string[], origin: Origin, event: AuditEvent): Promise<void> {
  if (teamIds.length === 0) return;
  const { actor, at } = origin;
  const entry = {
    at,
    action: event.action,
    actor_kind: actor.kind,
    actor_id: 'userId' in actor ? actor.userId : null,
    api_key_id: 'keyId' in actor ? actor.keyId : null,
    actor_name: nameOf(actor),
    address: origin.address.slice(0, 64),
    user_agent: (origin.userAgent ?? '').slice(0, 200),
    target_kind: event.target?.kind ?? '',
    target_id: event.target?.id ?? '',
    target_name: (event.target?.name ?? '').slice(0, 255),
    details: JSON.stringify(event.details ?? {}),
  };
  await db
    .with('added', (added) =>
      added
        .insertInto('audit_entries')
        .values(teamIds.map((teamId) => ({ id: newId(), team_id: teamId, ...entry })))
        .returning(['id', 'team_id']),
    )
    .insertInto('audit_pending')
    .columns(['entry_id', 'team_id'])
    .expression((select) => select.selectFrom('added').select(['id', 'team_id']))
    .execute();
}

/** Appends what a call did in one Team. */
export async function recordAudit(
  db: Kysely<Database>,
  context: Pick<Context, 'credential' | 'source' | 'now'>,
  teamId: string,
  event: AuditEvent,
): Promise<void> {
  await appendEntries(db, [teamId], originOf(context), event);
}

/** Appends what a user did to their own account, in each of their Teams: it matters to all of them. */
export async function recordUserAudit(
  db: Kysely<Database>,
  context: Pick<Context, 'source' | 'now'>,
  userId: string,
  event: AuditEvent,
): Promise<void> {
  const memberships = await db.selectFrom('memberships').select('team_id').where('user_id', '=', userId).orderBy('id').execute();
  const { source, now } = context;
  const origin = { actor: { kind: 'user', userId }, at: now(), address: source.address, userAgent: source.userAgent } as const;
  await appendEntries(
    db,
    memberships.map(({ team_id }) => team_id),
    origin,
    event,
  );
}
