import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import { expect, vi } from 'vitest';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { sealAuthorization } from '#service/connections/authorization.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import { destinationOf } from '#service/transfers/create.ts';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import type { TestAnswer, TestService } from '#test/support/service/start-service.ts';

/** Credentials of an S3 bucket at which nobody listens. */
export const nowhere: Readonly<Record<string, string>> = {
  client_id: 'AKIAEXAMPLE',
  client_secret: 'secret',
  destination: 'dailies',
  endpoint: 'http://127.0.0.1:9',
  region: 'eu',
  force_s3_path_style: 'true',
};

/** Puts a connection of the test service's Team into the database as it is. */
export async function putConnection(
  t: TestService,
  fields: Partial<Insertable<Database['cloud_connections']>> = {},
  authorization: Readonly<Record<string, string>> = nowhere,
): Promise<string> {
  const { db, now, seal } = t.service.services;
  const id = fields.id ?? newId();
  await db
    .insertInto('cloud_connections')
    .values({
      team_id: t.teamId,
      created_by: null,
      name: 'Archive',
      provider: 'generic_s3',
      direction: 'service_to_cloud',
      sealed_authorization: sealAuthorization(seal, id, authorization),
      storage_gateway_id: null,
      created_at: now(),
      updated_at: now(),
      deleted_at: null,
      ...fields,
      id,
    })
    .execute();
  return id;
}

/** Puts a transfer into the database as it is, due at no time. */
export async function putTransfer(
  t: TestService,
  fields: Partial<Insertable<Database['cloud_transfers']>> & { readonly package_id: string },
): Promise<string> {
  const { db, now } = t.service.services;
  const id = fields.id ?? newId();
  await db
    .insertInto('cloud_transfers')
    .values({
      cloud_connection_id: null,
      direction: 'service_to_cloud',
      provider: 'generic_s3',
      sealed_authorization: null,
      destination: destinationOf('generic_s3', nowhere),
      target_directory_id: '',
      filter_rules: null,
      created_at: now(),
      updated_at: now(),
      ...fields,
      id,
    })
    .execute();
  return id;
}

/** Headers with a transfer's token. */
export async function transferring(t: TestService, transferId: string, packageId: string): Promise<Record<string, string>> {
  return { 'x-transfer-token': await t.service.services.tokens.sign('transfer', { transferId, packageId }) };
}

/** A transfer's record as whoever holds its token reads it. */
export async function readTransfer(
  t: Pick<TestService, 'call'>,
  { id, access_token }: Pick<CloudTransfer, 'id' | 'access_token'>,
): Promise<CloudTransfer> {
  return (await t.call<CloudTransfer>('GET', `/v1/transfers/${id}`, { headers: { 'x-transfer-token': access_token } })).body;
}

/** Files of a package: one of three parts at a provider in memory, a small one, an empty one. */
export const threeFiles = { 'a.mov': randomBytes(2_500), 'roll/b.mov': randomBytes(700), 'roll/c.wav': Buffer.alloc(0) };

/** A finalized package with these files. */
export async function sentPackage(
  t: TestService,
  files: Readonly<Record<string, Uint8Array>>,
  fields: Record<string, unknown> = {},
): Promise<Sender> {
  const sender = await newSender(t, fields);
  await sendAll(sender, files);
  return sender;
}

/** Sends these files and finalizes their package. */
export async function sendAll(sender: Sender, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [path, bytes] of Object.entries(files)) {
    const slash = path.lastIndexOf('/');
    await sender.send(path.slice(0, Math.max(0, slash)), path.slice(slash + 1), bytes);
  }
  const { status } = await sender.finalize();
  if (status !== 204) throw new Error(`not finalized: ${status}`);
}

/** Asks to start a transfer, whatever the answer. */
export const askTransfer = (
  t: Pick<TestService, 'call'>,
  sender: Sender,
  body: Record<string, unknown>,
  headers: Readonly<Record<string, string>> = sender.token,
): Promise<TestAnswer<CloudTransfer>> => t.call<CloudTransfer>('POST', `/v1/packages/${sender.package.id}/transfer`, { headers, body });

export const listTransfers = async (
  t: TestService,
  packageId: string,
  headers: Readonly<Record<string, string>>,
): Promise<CloudTransfer[]> => (await t.call<CloudTransfer[]>('GET', `/v1/packages/${packageId}/transfer`, { headers })).body;

export const changeTransfer = (
  t: Pick<TestService, 'call'>,
  { id, access_token }: Pick<CloudTransfer, 'id' | 'access_token'>,
  what: 'retry' | 'cancel',
): Promise<TestAnswer<{ message: string }>> =>
  t.call('PUT', `/v1/transfers/${id}/${what}`, { headers: { 'x-transfer-token': access_token } });

/** Waits until a transfer is in a state. */
export const transferBecomes = (
  t: TestService,
  transfer: Pick<CloudTransfer, 'id' | 'access_token'>,
  state: CloudTransfer['state'],
): Promise<CloudTransfer> =>
  vi.waitFor(
    async () => {
      const now = await readTransfer(t, transfer);
      expect(now.state, now.error || now.state_message).toBe(state);
      return now;
    },
    { timeout: 25_000, interval: 50 },
  );
