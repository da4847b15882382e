import type { Connection } from '#protocol/hosted/connections.ts';
import type { GatewayTask, GatewayWork, MountReport, TaskAnswer, TransferReport } from '#protocol/hosted/gateways.ts';
import type { CloudTransferState } from '#protocol/hosted/transfers.ts';
import { newId } from '#service/ids.ts';
import type { TestAnswer, TestService } from '#test/support/service/start-service.ts';

export interface TestGateway {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Puts a storage gateway into the database as it is. */
export async function putGateway(t: TestService, teamId = t.teamId): Promise<TestGateway> {
  const { db, now, tokens } = t.service.services;
  const id = newId();
  const facts = { name: 'Machine room', platform: 'linux', version: '0.1.0' };
  await db
    .insertInto('storage_gateways')
    .values({ id, team_id: teamId, created_by: null, ...facts, created_at: now() })
    .execute();
  return { id, headers: { 'x-gateway-token': await tokens.sign('gateway', { gatewayId: id }) } };
}

/** Makes a connection that a gateway is to reach. */
export async function connectBy(t: TestService, gateway: TestGateway, fields: Record<string, unknown> = {}): Promise<Connection> {
  const { status, body } = await t.call<Connection>('POST', `/v1/teams/${t.teamId}/cloud_connections`, {
    headers: { 'x-api-key': t.apiKey },
    body: { provider: 'storage_gateway', authorization: {}, storage_gateway_id: gateway.id, ...fields },
  });
  if (status !== 201) throw new Error(`no connection: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const ok = (connection: { readonly id: string }): MountReport => ({ cloud_connection_id: connection.id, state: 'ok', reason: '' });
export const offline = (connection: { readonly id: string }, reason: string): MountReport => ({
  cloud_connection_id: connection.id,
  state: 'offline',
  reason,
});

interface Poll {
  readonly mounts?: readonly MountReport[];
  readonly renew?: readonly string[];
  readonly partial?: readonly string[];
  /** Seconds. */
  readonly wait?: number;
}

export const askPoll = (t: TestService, { id, headers }: TestGateway, body: Poll): Promise<TestAnswer<GatewayWork>> =>
  t.call<GatewayWork>('POST', `/v1/storage_gateways/${id}/poll`, { headers, body: { mounts: [], wait: 0, ...body } });

export async function poll(t: TestService, gateway: TestGateway, body: Poll): Promise<GatewayWork> {
  const answer = await askPoll(t, gateway, body);
  if (answer.status !== 200) throw new Error(`not polled: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export type TaskOf<Kind extends GatewayTask['kind']> = Extract<GatewayTask, { readonly kind: Kind }>;

/** The one task of an answer. */
export function only<Kind extends GatewayTask['kind']>({ tasks }: GatewayWork, kind: Kind): TaskOf<Kind> {
  const [task, ...others] = tasks;
  if (task?.kind !== kind || others.length > 0) throw new Error(`not one task of the kind ${kind}: ${JSON.stringify(tasks)}`);
  return task as TaskOf<Kind>;
}

export const answer = (t: TestService, gateway: TestGateway, taskId: string, body: TaskAnswer): Promise<TestAnswer> =>
  t.call('PUT', `/v1/storage_gateways/${gateway.id}/tasks/${taskId}`, { headers: gateway.headers, body });

export type TransferTask = TaskOf<'deliver'> | TaskOf<'collect'>;

const nothingYet = { bytes: 0, total_bytes: 0, files: 0, total_files: 0 };

export const report = (
  t: TestService,
  task: TransferTask,
  state: TransferReport['state'],
  { progress, ...fields }: { progress?: Partial<TransferReport['progress']> } & Partial<Omit<TransferReport, 'progress'>> = {},
): Promise<TestAnswer<{ state: CloudTransferState; leased_until: string; message: string }>> =>
  t.call('PUT', `/v1/transfers/${task.transfer_id}/report`, {
    headers: { 'x-transfer-token': task.transfer_token },
    body: { task_id: task.id, state, progress: { ...nothingYet, ...progress }, ...fields },
  });

export const connectionOf = async (t: TestService, { id }: { readonly id: string }): Promise<Connection> =>
  (await t.call<Connection>('GET', `/v1/cloud_connections/${id}`, { headers: { 'x-api-key': t.apiKey } })).body;
