import type { Kysely } from 'kysely';
import type { OperatorAction, OperatorLogEntry } from '#protocol/hosted/operator.ts';
import type { AuditTarget } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { newId } from '../ids.ts';
import { formatDateTime } from '../wire-times.ts';
import type { Operator } from './access.ts';

/** Who did it, from where. */
export interface OperatorOrigin {
  readonly kind: 'operator' | 'command' | 'service';
  readonly name: string;
  readonly address: string;
  readonly at: Date;
}

interface OperatorEvent {
  readonly action: OperatorAction;
  readonly target?: AuditTarget;
  /** Nothing in it is a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export const byCommand = (at: Date): OperatorOrigin => ({ kind: 'command', name: '', address: '', at });
export const byStart = (at: Date): OperatorOrigin => ({ kind: 'service', name: '', address: '', at });
export const byCall = ({ source, now }: Pick<Context, 'source' | 'now'>, { email }: Operator): OperatorOrigin => ({
  kind: 'operator',
  name: email,
  address: source.address,
  at: now(),
});

/** Appends to the operators' log. `db` is the transaction of what it tells of. */
export async function recordOperatorAct(
  db: Kysely<Database>,
  { kind, name, address, at }: OperatorOrigin,
  event: OperatorEvent,
): Promise<void> {
  await db
    .insertInto('operator_log')
    .values({
      id: newId(),
      at,
      actor_kind: kind,
      actor_name: name,
      address: address.slice(0, 64),
      action: event.action,
      target_kind: event.target?.kind ?? '',
      target_id: event.target?.id ?? '',
      target_name: (event.target?.name ?? '').slice(0, 255),
      details: JSON.stringify(event.details ?? {}),
    })
    .execute();
}

/** The newest entries, or those older than `after`. */
export async function newestActs(db: Kysely<Database>, after: { readonly at: Date; readonly id: string } | null, limit: number) {
  let query = db.selectFrom('operator_log').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit);
  if (after) query = query.where((where) => where(where.refTuple('at', 'id'), '<', where.tuple(after.at, after.id)));
  return await query.execute();
}

export const toLogEntry = (row: Awaited<ReturnType<typeof newestActs>>[number]): OperatorLogEntry => ({
  id: row.id,
  at: formatDateTime(row.at),
  action: row.action,
  actor: { kind: row.actor_kind, name: row.actor_name },
  address: row.address,
  ...(row.target_kind !== '' && { target: { kind: row.target_kind, id: row.target_id, name: row.target_name } }),
  details: row.details,
});
