import type { Insertable } from 'kysely';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { sealAuthorization } from '#service/connections/authorization.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import { destinationOf } from '#service/transfers/create.ts';
import type { TestService } from '#test/support/service/start-service.ts';

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
  t: TestService,
  { id, access_token }: Pick<CloudTransfer, 'id' | 'access_token'>,
): Promise<CloudTransfer> {
  return (await t.call<CloudTransfer>('GET', `/v1/transfers/${id}`, { headers: { 'x-transfer-token': access_token } })).body;
}
