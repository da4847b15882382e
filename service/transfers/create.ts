import { createHash } from 'node:crypto';
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Direction, ProviderName } from '#protocol/providers.ts';
import { type KnownAuthorization, openIfPossible } from '../connections/authorization.ts';
import type { Database } from '../database/schema/database.ts';
import { tellWhyTheyWait } from '../gateways/connection-states.ts';
import { isByGateway } from '../gateways/providers.ts';
import { wakeGatewaysOf } from '../gateways/wakeups.ts';
import type { Jobs } from '../jobs/ports.ts';
import type { Seal } from '../seal.ts';
import type { TransferRow } from './record.ts';

/** Fields of an `authorization` that say where the bytes go, as opposed to who brings them. */
const destinationFields = ['endpoint', 'destination', 'account_id', 'workspace_id', 'project_id', 'storage_id', 'enterprise_id'] as const;

/**
 * A digest of where the bytes go. Two connections to one bucket have the same one, so that their deliveries do not mix. It is
 * made of nothing secret.
 */
export function destinationOf(provider: ProviderName, authorization: KnownAuthorization): Buffer {
  const place = [...destinationFields.map((name) => authorization[name] ?? ''), ...accountIn(authorization['blob_service_sas_url'])];
  return createHash('sha256')
    .update(JSON.stringify([provider, ...place]))
    .digest();
}

/** Azure's account is the address of a SAS, whose query is the secret. */
function accountIn(sasUrl: string | undefined): string[] {
  const url = URL.parse(sasUrl ?? '');
  return url ? [url.origin + url.pathname.replace(/\/+$/, '')] : [];
}

/** The same for a connection, also where its credentials cannot be opened any more: the transfer's error will say so. */
export function destinationOfConnection(
  seal: Seal,
  row: { readonly id: string; readonly provider: ProviderName; readonly sealed_authorization: Buffer },
): Buffer {
  return destinationOf(row.provider, openIfPossible(seal, row) ?? { destination: row.id });
}

export interface NewTransfer
  extends Pick<
    Insertable<Database['cloud_transfers']>,
    | 'id'
    | 'package_id'
    | 'cloud_connection_id'
    | 'sealed_authorization'
    | 'filter_rules'
    | 'notify_email'
    | 'notify_language'
    | 'finalize_as'
  > {
  readonly direction: Direction;
  readonly provider: ProviderName;
  readonly destination: Buffer;
  readonly target_directory_id: string;
  /** What the package holds, where no filter leaves out any of it. */
  readonly total_bytes: number;
  readonly total_files: number;
}

/** Inserts transfers, in the transaction `db`, and a job that has them begun exactly if it is committed. */
export async function addTransfers(
  db: Kysely<Database>,
  { jobs, now }: { readonly jobs: Jobs; readonly now: () => Date },
  transfers: readonly NewTransfer[],
): Promise<TransferRow[]> {
  if (transfers.length === 0) return [];
  const at = now();
  const rows = await db
    .insertInto('cloud_transfers')
    .values(transfers.map((transfer) => ({ ...transfer, due_at: sql<Date>`clock_timestamp()`, created_at: at, updated_at: at })))
    .returningAll()
    .execute();
  await jobs.add(db, 'transfers.run', {});
  return await offerToGateways(db, rows);
}

/** Those of storage gateways are told to them, or say why they wait. */
async function offerToGateways(db: Kysely<Database>, rows: readonly TransferRow[]): Promise<TransferRow[]> {
  const theirs = rows.filter(({ provider }) => isByGateway(provider));
  if (theirs.length === 0) return [...rows];
  const reasons = await tellWhyTheyWait(
    db,
    theirs.map(({ id }) => id),
  );
  await wakeGatewaysOf(
    db,
    theirs.flatMap(({ cloud_connection_id: id }) => id ?? []),
  );
  return rows.map((row) => ({ ...row, message: reasons.get(row.id) ?? row.message }));
}
