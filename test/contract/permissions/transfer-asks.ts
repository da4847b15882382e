import type { CloudTransferState } from '#protocol/hosted/transfers.ts';
import { newId } from '#service/ids.ts';
import { putConnection, putTransfer } from '#test/support/service/transfers.ts';
import type { Asks } from './ask.ts';
import type { PackageScene } from './package-asks.ts';

/** The calls that transfer tokens make, each on a transfer in the state in which it goes well. */

export type TransferScene = PackageScene;

const of =
  (state: CloudTransferState) =>
  async ({ world, team, made }: TransferScene) => {
    const { db } = world.at.service.services;
    await db.updateTable('packages').set({ state: 'finalized', expiry: null }).where('id', '=', made.id).execute();
    const connection = await putConnection(world.at, { team_id: team.id });
    const id = await putTransfer(world.at, { id: newId(), package_id: made.id, cloud_connection_id: connection, state });
    return { params: { transfer_id: id } };
  };

export const transferAsks: Asks<TransferScene> = {
  getTransfer: of('started'),
  retryTransfer: of('error'),
  cancelTransfer: of('pending'),
};
