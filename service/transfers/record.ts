import type { Selectable } from 'kysely';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import type { Database } from '../database/schema/database.ts';
import { formatDateTime } from '../wire-times.ts';

export type TransferRow = Selectable<Database['cloud_transfers']>;

/** A transfer's record (contract/transfers.md §2). `accessToken` is the transfer token that its reader gets. */
export function toTransfer(row: TransferRow, accessToken: string): CloudTransfer {
  const failed = row.state === 'error';
  return {
    id: row.id,
    package_id: row.package_id,
    cloud_connection_id: row.cloud_connection_id ?? '',
    direction: row.direction,
    provider: row.provider,
    state: row.state,
    progress: {
      bytes: Number(row.bytes),
      total_bytes: Number(row.total_bytes),
      files: row.files,
      total_files: row.total_files,
    },
    error: failed ? row.message : '',
    state_message: failed ? '' : row.message,
    renamed: [...row.renamed],
    attempts: row.attempts,
    notify_email: row.notify_email,
    access_token: accessToken,
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}
