import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

/** Calls at once: more than a service has connections to its database. */
const calls = 50;

interface Limited {
  readonly table: string;
  readonly most: number;
  readonly path: string;
  readonly body: (index: number) => unknown;
  /** What of a copied row is its own, in SQL over `n`. */
  readonly own?: string;
}

const fileName = [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['x'] }];
const s3 = { client_id: 'a', client_secret: 'b', destination: 'c', endpoint: 's3.example.com', region: 'eu-central-1' };
const ofTeam: readonly Limited[] = [
  {
    ...{ table: 'api_keys', most: limits.apiKeysPerTeam, path: 'api_keys', body: () => ({ name: 'Farm', state: 'active' }) },
    own: `'secret_hash', uuid_send(gen_random_uuid())`,
  },
  { table: 'filters', most: limits.filtersPerTeam, path: 'filters', body: () => ({ name: 'Films', rules: fileName }) },
  {
    ...{ table: 'storage_gateways', most: limits.gatewaysPerTeam, path: 'storage_gateways' },
    body: () => ({ name: 'Rack', platform: 'linux', version: '1.0.0' }),
  },
  {
    ...{ table: 'custom_webhooks', most: limits.webhooksPerTeam, path: 'custom_webhooks' },
    body: () => ({ name: 'Tell', active: true, events: ['package.created'], method: 'POST', url: 'https://93.184.216.34/hook' }),
  },
  { table: 'tags', most: 1_000, path: 'tags', body: (index) => ({ name: `Tag ${index}` }), own: `'name', 'Filler ' || n` },
  {
    ...{ table: 'cloud_connections', most: limits.connectionsPerTeam, path: 'cloud_connections' },
    body: () => ({ name: 'Archive', provider: 'wasabi_s3', authorization: s3 }),
  },
];

/** Copies the only row of an owner until one more is allowed. */
async function fill({ table, most, own = `'name', 'Filler'` }: Limited, owner: string, ownerId: string): Promise<void> {
  await sql`
    insert into ${sql.table(table)} select (jsonb_populate_record(kept, jsonb_build_object('id', gen_random_uuid(), ${sql.raw(own)}))).*
    from ${sql.table(table)} as kept, generate_series(3, ${sql.lit(most)}) as n where ${sql.ref(`kept.${owner}`)} = ${ownerId}`.execute(
    t.service.services.db,
  );
}

async function statusesOf(each: (index: number) => Promise<{ readonly status: number }>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: calls }, (_, index) => each(index)));
  return Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]));
}

it.each(ofTeam)('of many calls that each add the last of $table, one does', async (limited) => {
  const team = await addTeam(t, `Full of ${limited.table}`);
  const owner = await addUser(t, 'owner', team);
  const add = (index: number) =>
    t.call('POST', `/v1/teams/${team}/${limited.path}`, { headers: { 'x-user-token': owner.token }, body: limited.body(index) });
  expect(await add(calls)).toMatchObject({ status: 201 });
  await fill(limited, 'team_id', team);
  expect(await statusesOf(add)).toEqual({ 201: 1, 400: calls - 1 });
});

it.each([{ password: '' }, { password: 'takes a while to be hashed' }])(
  "of many calls that each add a package's last link, one does: %j",
  async (body) => {
    const packageId = await putPackage(t);
    const headers = await managing(t, packageId);
    const add = () => t.call('POST', `/v1/packages/${packageId}/links`, { headers, body });
    expect(await add()).toMatchObject({ status: 201 });
    await fill(
      { table: 'links', most: limits.linksPerPackage, path: '', body: () => body, own: `'secret', gen_random_uuid()::text` },
      'package_id',
      packageId,
    );
    expect(await statusesOf(add)).toEqual({ 201: 1, 400: calls - 1 });
  },
);
