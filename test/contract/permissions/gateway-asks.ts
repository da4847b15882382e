import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { newId } from '#service/ids.ts';
import { putGateway } from '#test/support/service/gateways.ts';
import { putConnection, putTransfer } from '#test/support/service/transfers.ts';
import type { Ask } from './ask.ts';
import type { Team, World } from './world.ts';

/** The calls that storage gateways make, each with a credential for it, and what ends that. */
export interface GatewayAsk extends Ask {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** After this the credential is good for nothing any more. */
  end(): Promise<void>;
}

type GatewayAskMaker = (scene: { readonly world: World; readonly team: Team }) => Promise<GatewayAsk>;

const gatewayOf: (scene: { readonly world: World; readonly team: Team }) => Promise<Omit<GatewayAsk, 'body'>> = async ({ world, team }) => {
  const { db, credentials } = world.at.service.services;
  const { id, headers } = await putGateway(world.at, team.id);
  return {
    headers,
    params: { storage_gateway_id: id },
    async end() {
      await db.deleteFrom('storage_gateways').where('id', '=', id).execute();
      credentials.invalidateGateway(id);
    },
  };
};

export const gatewayAsks: Partial<Record<HostedRouteName, GatewayAskMaker>> = {
  async pollStorageGateway(scene) {
    const mounts = [{ cloud_connection_id: newId(), state: 'ok', reason: '' }];
    return { ...(await gatewayOf(scene)), body: { mounts, wait: 0, renew: [newId()] } };
  },
  async answerGatewayTask(scene) {
    const { world, team } = scene;
    const gateway = await gatewayOf(scene);
    const { storage_gateway_id } = gateway.params as { storage_gateway_id: string };
    const cloud_connection_id = await putConnection(world.at, { team_id: team.id, provider: 'storage_gateway', storage_gateway_id });
    const id = newId();
    const request = JSON.stringify({ kind: 'browse', prefix: '', prev_key: '', count: 10 });
    const { db } = world.at.service.services;
    // It stays for as long as the test goes on: one that nobody has answered for some minutes is removed.
    const created_at = new Date(Date.now() + 86_400_000);
    await db.insertInto('gateway_requests').values({ id, storage_gateway_id, cloud_connection_id, request, created_at }).execute();
    return { ...gateway, params: { ...gateway.params, task_id: id }, body: { items: [], next_key: '' } };
  },
  async reportTransfer({ world, team }) {
    const { db, tokens } = world.at.service.services;
    const made = await world.make<{ id: string }>(team, 'POST', `/v1/teams/${team.id}/packages`, {
      name: 'P',
      description: '',
      recipients: [],
    });
    const connection = await putConnection(world.at, { team_id: team.id, provider: 'storage_gateway' });
    const [id, taskId] = [newId(), newId()];
    const leased = { lease_id: taskId, due_at: new Date(Date.now() + 3_600_000), planned: true } as const;
    const facts = { package_id: made.id, cloud_connection_id: connection, provider: 'storage_gateway', state: 'started' } as const;
    await putTransfer(world.at, { id, ...facts, ...leased });
    const token = await tokens.sign('transfer', { transferId: id, packageId: made.id, taskId });
    return {
      headers: { 'X-Transfer-Token': token },
      params: { transfer_id: id },
      body: { task_id: taskId, state: 'started', progress: { bytes: 0, total_bytes: 0, files: 0, total_files: 0 } },
      async end() {
        await db.updateTable('cloud_transfers').set({ lease_id: null, due_at: null, state: 'cancelled' }).where('id', '=', id).execute();
      },
    };
  },
};
