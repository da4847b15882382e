import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import {
  type AuthorizationField,
  type FieldFormat,
  type Provider,
  type ProviderName,
  providerNames,
  providers,
} from '#protocol/providers.ts';
import { openAuthorization } from '#service/connections/authorization.ts';
import { newId } from '#service/ids.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
let key: Record<string, string>;
beforeAll(async () => {
  t = await startTestService();
  key = { 'x-api-key': t.apiKey };
});
afterAll(async () => {
  await t?.close();
});

type Answer = Connection & { message: string };
const create = (body: unknown, headers = key) => t.call<Answer>('POST', `/v1/teams/${t.teamId}/cloud_connections`, { headers, body });
const list = (headers = key) => t.call<Connection[]>('GET', `/v1/teams/${t.teamId}/cloud_connections`, { headers });
const read = (id: string, headers = key) => t.call<Answer>('GET', `/v1/cloud_connections/${id}`, { headers });
const update = (id: string, body: unknown, headers = key) => t.call<Answer>('PUT', `/v1/cloud_connections/${id}`, { headers, body });
const remove = (id: string, headers = key) => t.call('DELETE', `/v1/cloud_connections/${id}`, { headers });

const samples: Record<FieldFormat, string> = {
  endpoint: 's3.example.com:9000',
  url: 'https://account.blob.example.com/?sig=hidden-sig',
  email: 'robot@example.com',
  pem: '-----BEGIN PRIVATE KEY-----\nhidden-pem\n-----END PRIVATE KEY-----\n',
  role_arn: 'arn:aws:iam::123456789012:role/longshore',
  external_id: 'given-external-id',
  region: 'eu-central-1',
};
const sample = (field: AuthorizationField) => field.values?.[0] ?? (field.format ? samples[field.format] : `hidden-${field.name}`);
const filled = (fields: readonly AuthorizationField[]) => Object.fromEntries(fields.map((field) => [field.name, sample(field)]));
/** What a provider wants, whole, by the first of its ways. */
const whole = (name: ProviderName) => {
  const { fields, alternatives }: Provider = providers[name];
  return { ...filled(alternatives[0]?.fields ?? []), ...filled(fields) };
};
const wasabi = () => ({ name: 'Archive', provider: 'wasabi_s3', authorization: whole('wasabi_s3') });

/** The credentials as transfers will see them. */
async function stored(id: string) {
  const { db, seal } = t.service.services;
  const row = await db.selectFrom('cloud_connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return openAuthorization(seal, row);
}

describe.each(providerNames)('a connection to %s', (name) => {
  const provider: Provider = providers[name];

  it('keeps its credentials sealed, and shows none', async () => {
    const authorization = whole(name);
    const created = await create({ provider: name, authorization: { ...authorization, colour: 'red' } });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: provider.label,
        provider: name,
        direction: 'service_to_cloud',
        state: provider.gateway ? 'offline' : 'ok',
        target_directory_id: '',
        source_directory_ids: [],
        upload_transfer_manifest: false,
      },
    });
    const { id } = created.body;
    expect(await stored(id)).toEqual(authorization);
    const row = await t.service.services.db.selectFrom('cloud_connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    for (const text of [JSON.stringify([created.body, await read(id), await list()]), row.sealed_authorization.toString('latin1')]) {
      expect(text).not.toContain('hidden-');
      expect(text).not.toContain('authorization');
    }
  });

  it('names every field that is missing, and each that is wrong', async () => {
    const authorization = whole(name);
    const required = [...provider.fields, ...(provider.alternatives[0]?.fields ?? [])].filter((field) => field.required);
    const { message } = (await create({ provider: name, authorization: {} })).body;
    for (const field of provider.fields.filter((one) => one.required)) expect(message).toContain(`authorization.${field.name}: `);
    for (const { name: field } of required) {
      const { [field]: _, ...rest } = authorization;
      expect(await create({ provider: name, authorization: rest })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`authorization.${field}: `) },
      });
      for (const value of ['', ' ', 'two\nlines\0', 'x'.repeat(limits.authorizationValueLength + 1), 7]) {
        const answer = await create({ provider: name, authorization: { ...authorization, [field]: value } });
        // Text of several lines is a key's, which has other rules.
        if (answer.status === 201) expect([field, value]).toEqual(['private_key', expect.stringContaining('\n')]);
        else expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(field) } });
      }
    }
  });

  it('takes the directions, manifest and gateway that it can', async () => {
    const base = { provider: name, authorization: whole(name) };
    const back = await create({ ...base, direction: 'cloud_to_service' });
    expect(back.status).toBe(provider.directions.includes('cloud_to_service') ? 201 : 400);
    if (back.status === 400) expect(back.body.message).toMatch(/^direction: /);
    const manifest = await create({ ...base, upload_transfer_manifest: true });
    expect(manifest.status).toBe(provider.s3 ? 201 : 400);
    if (!provider.s3) expect(manifest.body.message).toMatch(/^upload_transfer_manifest: /);
    const gateway = await create({ ...base, storage_gateway_id: newId() });
    expect([gateway.status, gateway.body.message]).toEqual([provider.gateway ? 404 : 400, expect.stringContaining('storage_gateway_id')]);
  });
});

describe('connections', () => {
  it('get other folders by a change, held to the same rules', async () => {
    const { id } = (await create({ ...wasabi(), target_directory_id: 'in' })).body;
    const back = (await create({ ...wasabi(), direction: 'cloud_to_service' })).body;
    expect(await update(id, { target_directory_id: 'in/{date}', upload_transfer_manifest: true })).toMatchObject({
      status: 200,
      body: { target_directory_id: 'in/{date}', upload_transfer_manifest: true, name: 'Archive' },
    });
    expect(await update(back.id, { source_directory_ids: ['a', 'b'] })).toMatchObject({
      status: 200,
      body: { source_directory_ids: ['a', 'b'] },
    });
    expect((await update(back.id, { name: 'Back' })).body.source_directory_ids).toEqual(['a', 'b']);
    for (const [which, body, detail] of [
      [id, { source_directory_ids: ['a'] }, 'source_directory_ids: only a cloud_to_service'],
      [back.id, { target_directory_id: 'in' }, 'target_directory_id: only a service_to_cloud'],
      [id, { target_directory_id: '../x' }, 'target_directory_id: it must not have steps'],
      [back.id, { source_directory_ids: ['ok', '..'] }, 'source_directory_ids[1]: it must not have steps'],
    ] as const) {
      const answer = await update(which, body);
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(detail)]);
    }
    expect((await read(id)).body.target_directory_id).toBe('in/{date}');
  });

  it('have folders by their direction', async () => {
    const back = { ...wasabi(), direction: 'cloud_to_service' };
    expect(await create({ ...wasabi(), target_directory_id: 'in/day 1' })).toMatchObject({
      status: 201,
      body: { target_directory_id: 'in/day 1' },
    });
    expect(await create({ ...back, source_directory_ids: ['a', 'b/c'] })).toMatchObject({
      status: 201,
      body: { source_directory_ids: ['a', 'b/c'] },
    });
    const wrong: [body: object, detail: string][] = [
      [{ ...back, target_directory_id: 'in' }, 'target_directory_id: only a service_to_cloud connection has one.'],
      [{ ...wasabi(), source_directory_ids: ['a'] }, 'source_directory_ids: only a cloud_to_service connection has them.'],
      [{ ...wasabi(), target_directory_id: '../other' }, 'target_directory_id: it must not have steps'],
      [{ ...wasabi(), target_directory_id: 'a\\..\\b' }, 'target_directory_id: it must not have steps'],
      [{ ...back, source_directory_ids: ['a', 'b\0'] }, 'source_directory_ids[1] must not contain NUL characters'],
      [{ ...back, source_directory_ids: ['\ud800'] }, 'source_directory_ids[0] is not well-formed Unicode'],
      [{ ...back, source_directory_ids: Array.from({ length: 101 }, () => 'a') }, 'source_directory_ids must have at most 100 entries'],
      [{ ...wasabi(), target_directory_id: 'x'.repeat(4097) }, 'target_directory_id must have at most 4096'],
      [{ ...wasabi(), provider: 'dropbox' }, 'The field provider must be one of'],
      [{ ...wasabi(), direction: 'both' }, 'The field direction must be one of'],
      [{ ...wasabi(), name: '' }, 'The field name must not be empty'],
      [{ provider: 'postlab' }, 'The field authorization is missing'],
    ];
    const before = (await list()).body.length;
    for (const [body, detail] of wrong) {
      const answer = await create(body);
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(detail)]);
    }
    expect((await list()).body).toHaveLength(before);
  });

  it('are listed in the order they were made, and read alone', async () => {
    const made = [await create({ ...wasabi(), name: 'First' }), await create({ ...wasabi(), name: 'Second' })];
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.slice(-2)).toEqual(made.map((one) => one.body));
    expect((await read(made[0]!.body.id)).body).toEqual(made[0]!.body);
  });

  it('change what is sent, and check the whole again', async () => {
    const { id } = (await create(wasabi())).body;
    const before = await stored(id);
    expect(await update(id, { name: 'Renamed' })).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    expect(await stored(id)).toEqual(before);
    expect(await update(id, { authorization: { client_secret: 'new', colour: 'red' } })).toMatchObject({
      status: 200,
      body: { name: 'Renamed' },
    });
    expect(await stored(id)).toEqual({ ...before, client_secret: 'new' });
    for (const authorization of [{ endpoint: 'not a host' }, { region: '' }, { client_id: 'two\nlines' }]) {
      const answer = await update(id, { name: 'Not so', authorization });
      expect([answer.status, answer.body.message]).toEqual([
        400,
        expect.stringContaining(`authorization.${Object.keys(authorization)[0]}: `),
      ]);
    }
    expect(await stored(id)).toEqual({ ...before, client_secret: 'new' });
    expect((await read(id)).body.name).toBe('Renamed');
  });

  it('change from a key to a role and back, whole', async () => {
    const { alternatives, fields } = providers.amazon_s3;
    const [byKey, byRole] = alternatives.map((one) => filled(one.fields)) as [Record<string, string>, Record<string, string>];
    const common = filled(fields);
    const { id } = (await create({ provider: 'amazon_s3', authorization: { ...byKey, ...common } })).body;
    const half = await update(id, { authorization: { external_id: 'given-external-id' } });
    expect([half.status, half.body.message]).toEqual([400, 'authorization.role_arn: Role ARN is needed.']);
    const both = await update(id, { authorization: { ...byRole, ...byKey } });
    expect([both.status, both.body.message]).toEqual([400, expect.stringMatching(/^authorization: Choose one of/)]);
    expect((await update(id, { authorization: byRole })).status).toBe(200);
    expect(await stored(id)).toEqual({ ...byRole, ...common });
    expect((await update(id, { authorization: { ...byKey, storage_class: '' } })).status).toBe(200);
    const { storage_class: _, ...rest } = common;
    expect(await stored(id)).toEqual({ ...byKey, ...rest });
  });

  it("have an external ID with a role: the service's own, or one that no other Team has", async () => {
    const place = filled(providers.amazon_s3.fields);
    const role = (more = {}) => ({ provider: 'amazon_s3', authorization: { ...place, role_arn: samples.role_arn, ...more } });
    const made = (await create(role())).body;
    expect(made.external_id).toMatch(/^longshore-[0-9a-f-]{36}$/);
    expect(await stored(made.id)).toMatchObject({ external_id: made.external_id });
    expect((await read(made.id)).body.external_id).toBe(made.external_id);
    expect((await list()).body.find(({ id }) => id === made.id)).toEqual(made);
    // One for all of a Team's roles, so that one trust policy serves them; also where it is given as it was shown.
    expect((await create(role())).body.external_id).toBe(made.external_id);
    expect((await create(role({ external_id: made.external_id }))).body.external_id).toBe(made.external_id);
    const given = (await create(role({ external_id: 'mine-1' }))).body;
    expect(given.external_id).toBe('mine-1');
    expect((await update(given.id, { authorization: { external_id: '' } })).body.external_id).toBe(made.external_id);
    expect((await update(given.id, { authorization: { external_id: 'mine-2' } })).body.external_id).toBe('mine-2');

    const otherTeam = await addTeam(t, 'Confused deputy');
    const other = { 'x-user-token': (await addUser(t, 'owner', otherTeam)).token };
    const createThere = (body: unknown) => t.call<Answer>('POST', `/v1/teams/${otherTeam}/cloud_connections`, { headers: other, body });
    await remove(given.id);
    for (const taken of [made.external_id, 'mine-1', 'mine-2']) {
      expect(await createThere(role({ external_id: taken }))).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('authorization.external_id: Another Team uses this external ID.') },
      });
    }
    const theirs = (await createThere(role())).body;
    expect(theirs.external_id).toMatch(/^longshore-/);
    expect(theirs.external_id).not.toBe(made.external_id);
    const update2 = await update(theirs.id, { authorization: { external_id: made.external_id } }, other);
    expect([update2.status, (await read(theirs.id, other)).body.external_id]).toEqual([400, theirs.external_id]);
    // A key has none.
    const byKey = filled(providers.amazon_s3.alternatives[0].fields);
    expect((await update(made.id, { authorization: byKey })).body).not.toHaveProperty('external_id');
  });

  it('of two Teams that claim one external ID at once, one gets it', async () => {
    const teams = await Promise.all(
      ['One', 'Two'].map(async (name) => {
        const id = await addTeam(t, name);
        return { id, headers: { 'x-user-token': (await addUser(t, 'owner', id)).token } };
      }),
    );
    const body = {
      provider: 'amazon_s3',
      authorization: { ...filled(providers.amazon_s3.fields), role_arn: samples.role_arn, external_id: 'wanted-by-two' },
    };
    const answers = await Promise.all(
      teams.map(({ id, headers }) => t.call('POST', `/v1/teams/${id}/cloud_connections`, { headers, body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('two concurrent changes are both kept', async () => {
    const { id } = (await create({ provider: 'generic_s3', authorization: whole('generic_s3') })).body;
    const before = await stored(id);
    const changes = [{ client_secret: 'changed' }, { force_s3_path_style: 'false' }];
    await Promise.all(changes.map((authorization) => update(id, { authorization })));
    expect(await stored(id)).toEqual({ ...before, ...changes[0], ...changes[1] });
  });

  it.each(providerNames)('to %s change address or identity only together with all secrets', async (name) => {
    const { fields, alternatives }: Provider = providers[name];
    for (const way of alternatives.length === 0 ? [[]] : alternatives.map((one) => one.fields)) {
      const own = [...way, ...fields];
      const secrets = own.filter((field) => field.secret);
      const gateway = providers[name].gateway;
      if (gateway || secrets.length === 0) continue;
      const { id } = (await create({ provider: name, authorization: filled(own) })).body;
      const before = await stored(id);
      const another = (field: AuthorizationField) =>
        field.format === 'endpoint'
          ? 'https://mine.example.org'
          : field.format === 'email'
            ? 'mine@example.org'
            : field.format === 'role_arn'
              ? 'arn:aws:iam::999999999999:role/mine'
              : 'mine';
      for (const field of own.filter((one) => !one.secret && !one.values)) {
        const moved = await update(id, { authorization: { [field.name]: another(field) } });
        expect([moved.status, moved.body.message], field.name).toEqual([
          400,
          secrets
            .map((one) => `authorization.${one.name}: Give the ${one.label} again, since authorization.${field.name} changes.`)
            .join(' '),
        ]);
        // All but one are not all.
        const most = filled(secrets.slice(1));
        expect((await update(id, { authorization: { ...most, [field.name]: another(field) } })).status).toBe(400);
        expect(await stored(id)).toEqual(before);
        // As it is, is no change.
        expect((await update(id, { authorization: { [field.name]: before[field.name] } })).status).toBe(200);
        expect((await update(id, { authorization: { ...filled(secrets), [field.name]: another(field) } })).status).toBe(200);
        expect((await update(id, { authorization: filled(own) })).status).toBe(200);
      }
    }
  });

  it('keep their secrets with what says nothing about where they go, and with a default said or unsaid', async () => {
    const { region: _, ...rest } = whole('generic_s3') as Record<string, string>;
    const { id } = (await create({ provider: 'generic_s3', authorization: rest })).body;
    for (const authorization of [{ force_s3_path_style: 'false' }, { region: 'default' }, { region: '' }]) {
      expect((await update(id, { authorization })).status, JSON.stringify(authorization)).toBe(200);
    }
    expect((await update(id, { authorization: { region: 'eu-1' } })).status).toBe(400);
    const s3 = await create({ provider: 'amazon_s3', authorization: whole('amazon_s3') });
    expect((await update(s3.body.id, { authorization: { storage_class: 'GLACIER' } })).status).toBe(200);
  });

  it('whose credentials were refused are tried again with new ones', async () => {
    const { id } = (await create(wasabi())).body;
    const { db } = t.service.services;
    await db.updateTable('cloud_connections').set({ state: 'error', state_message: 'The key was refused.' }).where('id', '=', id).execute();
    expect((await update(id, { name: 'Still' })).body).toMatchObject({ state: 'error', state_message: 'The key was refused.' });
    expect((await update(id, { authorization: { client_secret: 'new' } })).body).toMatchObject({ state: 'ok', state_message: '' });
  });

  it('whose credentials were sealed with another key are entered anew', async () => {
    const { id } = (await create({ provider: 'amazon_s3', authorization: whole('amazon_s3') })).body;
    const { db } = t.service.services;
    await db
      .updateTable('cloud_connections')
      .set({ sealed_authorization: Buffer.alloc(64) })
      .where('id', '=', id)
      .execute();
    expect((await read(id)).status).toBe(200);
    const half = await update(id, { authorization: { client_secret: 'new' } });
    expect([half.status, half.body.message]).toEqual([400, expect.stringContaining('authorization.client_id: ')]);
    expect((await update(id, { authorization: whole('amazon_s3') })).status).toBe(200);
    expect(await stored(id)).toEqual(whole('amazon_s3'));
  });

  it('that are deleted are gone, and detached from their Portals', async () => {
    const [{ id }, other] = [(await create(wasabi())).body, (await create(wasabi())).body];
    const attach = [id, other.id].map((one) => ({ id: one, target_action: 'transfer' as const }));
    const portal = await newPortal(t, { configure_cloud_connections: true, cloud_connections: attach });
    expect((await remove(id)).status).toBe(204);
    for (const answer of [await read(id), await update(id, { name: 'Back' }), await remove(id)]) {
      expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('no connection') } });
    }
    expect((await list()).body.map((one) => one.id)).not.toContain(id);
    const { body } = await t.call<Portal>('GET', `/v1/portals/${portal.id}`, { headers: key });
    expect(body.cloud_connections).toEqual([{ id: other.id, target_action: 'transfer' }]);
    // No transfer needs its credentials.
    await expect(stored(id)).rejects.toThrow();
    expect(await stored(other.id)).toEqual(whole('wasabi_s3'));
  });

  it('are those of a Team, for those who manage its integrations', async () => {
    const { id } = (await create(wasabi())).body;
    const stranger = { 'x-user-token': (await addUser(t, 'owner', await addTeam(t, 'Other'))).token };
    for (const answer of [
      await read(id, stranger),
      await update(id, { name: 'Mine' }, stranger),
      await remove(id, stranger),
      await read(newId()),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('no connection') } });
    }
    expect((await list(stranger)).status).toBe(404);
    expect((await create(wasabi(), stranger)).status).toBe(404);
    for (const [role, status] of [
      ['integration_manager', 200],
      ['admin', 200],
      ['member', 403],
      ['guest', 403],
    ] as const) {
      const headers = { 'x-user-token': (await addUser(t, role)).token };
      expect((await list(headers)).status).toBe(status);
      expect((await update(id, { name: role }, headers)).status).toBe(status);
    }
    expect((await read(id)).body.name).toBe('admin');
  });

  it('are limited in number for each Team', async () => {
    const { db } = t.service.services;
    const template = await db
      .selectFrom('cloud_connections')
      .selectAll()
      .where('deleted_at', 'is', null)
      .limit(1)
      .executeTakeFirstOrThrow();
    const count = (await list()).body.length;
    const rows = Array.from({ length: limits.connectionsPerTeam - count }, () => ({ ...template, id: newId(), name: 'Filler' }));
    await db.insertInto('cloud_connections').values(rows).execute();
    const answer = await create(wasabi());
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('at most 1000 connections')]);
    expect((await list()).body).toHaveLength(limits.connectionsPerTeam);
  });
});
