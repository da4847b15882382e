import { ApiError } from '#protocol/errors.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { managePackage } from '../packages/access.ts';
import { cancelTransfer, retryTransfer } from './change.ts';
import { type TransferRow, toTransfer } from './record.ts';
import { authoriseStart, startTransfer } from './start.ts';

type TransferHandlers = HandlersOf<'createTransfer' | 'listTransfers' | 'getTransfer' | 'retryTransfer' | 'cancelTransfer'>;

/** A transfer's own token, newly issued: to a member of the Team, or to the `recipient` who started it. */
const newToken = ({ tokens }: Context, row: TransferRow, claims: { readonly recipient?: true } = {}): Promise<string> =>
  tokens.sign('transfer', { transferId: row.id, packageId: row.package_id, ...claims });

async function transferOf({ db, credential }: Context<CredentialOf<'transfer'>>): Promise<TransferRow> {
  const row = await db.selectFrom('cloud_transfers').selectAll().where('id', '=', credential.transferId).executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'transfer' });
  return row;
}

/** Transfers between packages and connected storage: contract/transfers.md §1, §2. */
export const transferHandlers: TransferHandlers = {
  createTransfer: creation(
    ({ params, body }, context) => authoriseStart(context, params.package_id, body),
    async ({ params, body }, context) => {
      const row = await inTransaction(context.db, (db) => startTransfer({ ...context, db }, params.package_id, body));
      const isRecipient = context.credential.kind === 'package:read';
      return toTransfer(row, await newToken(context, row, isRecipient ? { recipient: true } : {}));
    },
  ),

  async listTransfers({ params }, context) {
    await managePackage(context, params.package_id);
    const rows = await context.db
      .selectFrom('cloud_transfers')
      .leftJoin('cloud_connections', 'cloud_connections.id', 'cloud_transfers.cloud_connection_id')
      .selectAll('cloud_transfers')
      .select('cloud_connections.name as connection_name')
      .where('package_id', '=', params.package_id)
      .orderBy('cloud_transfers.id')
      .execute();
    return await Promise.all(
      rows.map(async ({ connection_name: name, ...row }) => ({
        ...toTransfer(row, await newToken(context, row)),
        ...(name !== null && { cloud_connection_name: name }),
      })),
    );
  },

  async getTransfer(_, context) {
    return toTransfer(await transferOf(context), context.credential.token);
  },

  async retryTransfer(_, context) {
    await inTransaction(context.db, (db) => retryTransfer({ ...context, db }, context.credential));
    context.events.changed(context.credential.packageId);
  },

  async cancelTransfer(_, context) {
    await inTransaction(context.db, (db) => cancelTransfer({ ...context, db }, context.credential));
    context.events.changed(context.credential.packageId);
  },
};
