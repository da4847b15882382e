import type { Insertable } from 'kysely';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** Puts a package of the test service's Team into the database as it is, finalized unless `fields` say otherwise. */
export async function putPackage(t: TestService, fields: Partial<Insertable<Database['packages']>> = {}): Promise<string> {
  const { db, now } = t.service.services;
  const id = fields.id ?? newId();
  await db
    .insertInto('packages')
    .values({
      team_id: t.teamId,
      created_by: t.userId,
      name: 'Dailies',
      description: '',
      sender: 'owner@example.com',
      recipients: [],
      state: 'finalized',
      expiry: null,
      unlimited_storage: false,
      access_limit: 0,
      chunk_size: 0,
      created_at: now(),
      updated_at: now(),
      ...fields,
      id,
    })
    .execute();
  return id;
}

/** The state of a package as it stands in the database. */
export async function packageState(t: TestService, id: string): Promise<string | undefined> {
  const row = await t.service.services.db.selectFrom('packages').select('state').where('id', '=', id).executeTakeFirst();
  return row?.state;
}

/** Headers with a management token that a user got. */
export async function managing(t: TestService, packageId: string, userId = t.userId): Promise<Record<string, string>> {
  const claims = { packageId, variant: 'manage', tokenId: newId(), linkId: null, userId } as const;
  return { 'x-package-token': await t.service.services.tokens.sign('package', claims) };
}

/** A package's record as whoever manages it reads it. */
export async function readPackage(t: TestService, packageId: string): Promise<Package> {
  return (await t.call<Package>('GET', `/v1/packages/${packageId}`, { headers: await managing(t, packageId) })).body;
}
