import { hostname } from 'node:os';
import type { CreateMount } from '#protocol/agent/mounts.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import { type ProviderName, providers } from '#protocol/providers.ts';
import { asSession, type TeamAtService } from '../session/as-session.ts';
import type { Session } from '../session/session.ts';

/** What a mount needs at its service, made by the session of a person (contract/gateways.md §1, §2). */

/** Registers this agent as a gateway of the Team. `not_allowed`, `over_limit`. */
export function registerGateway(
  session: Session,
  team: TeamAtService,
  version: string,
): Promise<{ readonly id: string; readonly token: string }> {
  return asSession(session, team, async (client) => {
    const { id, access_token: token } = await client.call('createStorageGateway', {
      params: { team_id: team.teamId },
      body: { name: hostname().slice(0, 200) || 'Agent', platform: process.platform, version },
    });
    return { id, token };
  });
}

export async function isRegistered(session: Session, team: TeamAtService, id: string): Promise<boolean> {
  const all = await asSession(session, team, (client) => client.call('listStorageGateways', { params: { team_id: team.teamId } }));
  return all.some((one) => one.id === id);
}

/** The connection of a new mount: the one that was named, or a new one; bound to the gateway. */
export function connectionFor(
  session: Session,
  team: TeamAtService,
  gatewayId: string,
  request: Pick<CreateMount, 'cloud_connection_id' | 'provider' | 'direction' | 'read_only'> & { readonly name: string },
): Promise<Connection> {
  return asSession(session, team, async (client) => {
    const { cloud_connection_id: id, provider = 'storage_gateway', direction = 'service_to_cloud', name } = request;
    if (id === undefined) {
      return client.call('createConnection', {
        params: { team_id: team.teamId },
        body: {
          name,
          provider,
          direction: request.read_only ? 'cloud_to_service' : direction,
          authorization: {},
          storage_gateway_id: gatewayId,
        },
      });
    }
    const found = await client.call('getConnection', { params: { connection_id: id } });
    if (!providers[found.provider as ProviderName].gateway) {
      throw new AgentError('already_exists', {
        detail: `The connection "${found.name}" reaches its storage without a gateway. Name one of a gateway provider, or none to have one made.`,
      });
    }
    if (found.storage_gateway_id === gatewayId) return found;
    return client.call('updateConnection', { params: { connection_id: id }, body: { storage_gateway_id: gatewayId } });
  });
}
