import { blake3 } from '@napi-rs/blake-hash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Form, FormResponse, FormTemplate } from '#protocol/hosted/forms.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { Role } from '#protocol/roles.ts';
import { inTransaction } from '#service/database/transaction.ts';
import { planDeliverables, writeDeliverables } from '#service/forms/deliverables.ts';
import { sweepResponses } from '#service/forms/responses.ts';
import { newId } from '#service/ids.ts';
import { readLetter } from '#service/mail/read.ts';
import { publicUrls } from '#service/urls.ts';
import { askForm, askPortalPackage, askResponse, formField, newPortal, portalSender } from '#test/support/service/portals.ts';
import { openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const day = 24 * 3600 * 1000;
let t: TestService;
let offset = 0;
let otherTeam: string;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + offset) });
  otherTeam = await addTeam(t, 'Other');
});
afterAll(() => t?.close());

const key = () => ({ 'x-api-key': t.apiKey });
const database = () => t.service.services.db;
const saying = (status: number, text: string) => ({ status, body: { message: expect.stringContaining(text) } });
const getForm = (portalId: string) => t.call<Form>('GET', `/v1/portals/${portalId}/form`, { headers: key() });
const putForm = <T = Form>(id: string, fields: Record<string, unknown> = {}) =>
  t.call<T>('PUT', `/v1/metadata/forms/${id}`, {
    headers: key(),
    body: { name: 'Camera report', delivery_formats: ['json'], disabled: false, fields: [], ...fields },
  });
async function portalWithForm(
  fields: Record<string, unknown>,
  portal: Record<string, unknown> = {},
): Promise<{ portal: Portal; form: Form }> {
  const made = await newPortal(t, portal);
  const form = await askForm(t, made.id, fields);
  expect(form.status).toBe(201);
  return { portal: made, form: form.body };
}
const report = [
  formField('camera', { type: 'dropdown', visibility: 'required', position: 2, options: ['A', 'B'] }),
  formField('notes', { type: 'long_text', position: 1 }),
  formField('show', { visibility: 'hidden', default_value: 'Harbour', position: 3 }),
  formField('desk', { visibility: 'readonly', default_value: 'Post', position: 0 }),
];

describe('a form', () => {
  it('that somebody else has changed is not overwritten, where that is asked', async () => {
    const { portal, form } = await portalWithForm({ fields: report });
    const before = new Date(Date.parse(form.updated_at) - 1).toISOString();
    expect(await putForm(form.id, { name: 'Mine', expected_updated_at: before })).toMatchObject(saying(409, 'changed meanwhile'));
    expect((await getForm(portal.id)).body).toEqual(form);
    expect(await putForm(form.id, { name: 'Mine', expected_updated_at: form.updated_at })).toMatchObject({
      status: 200,
      body: { name: 'Mine' },
    });
    const templates = `/v1/teams/${t.teamId}/forms/templates`;
    const { body: template } = await t.call<Form>('POST', templates, { headers: key(), body: { name: 'Kept', delivery_formats: ['xml'] } });
    const change = (expected_updated_at: string) =>
      t.call('PUT', `/v1/metadata/forms/templates/${template.id}`, {
        headers: key(),
        body: { name: 'Other', delivery_formats: ['xml'], fields: [], expected_updated_at },
      });
    expect(await change(before)).toMatchObject(saying(409, 'changed meanwhile'));
    expect((await change(template.updated_at)).status).toBe(200);
  });

  it('is made, read, changed and deleted', async () => {
    const { portal, form } = await portalWithForm({ delivery_formats: ['json', 'email_body'], fields: report });
    expect(form).toMatchObject({ portal_id: portal.id, name: 'Camera report', disabled: false, fields: report });
    expect(form).not.toHaveProperty('form_template_id');
    expect((await getForm(portal.id)).body).toEqual(form);
    const changed = await putForm(form.id, { name: 'Other', delivery_formats: ['csv'], disabled: true, fields: [report[1]] });
    expect(changed).toMatchObject({
      status: 200,
      body: { id: form.id, name: 'Other', delivery_formats: ['csv'], disabled: true, fields: [report[1]] },
    });
    expect((await getForm(portal.id)).body).toEqual(changed.body);
    expect((await t.call('DELETE', `/v1/metadata/forms/${form.id}`, { headers: key() })).status).toBe(204);
    expect((await getForm(portal.id)).status).toBe(404);
    expect((await t.call('DELETE', `/v1/metadata/forms/${form.id}`, { headers: key() })).status).toBe(404);
    expect((await putForm(form.id)).status).toBe(404);
  });

  it('is the only one of its Portal, also when two are created concurrently', async () => {
    const portal = await newPortal(t);
    const all = await Promise.all([askForm(t, portal.id), askForm(t, portal.id), askForm(t, portal.id)]);
    expect(all.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
  });

  it('shows on the Portal in render order while it is enabled; senders see no hidden fields', async () => {
    const { portal, form } = await portalWithForm({ fields: report });
    const names = async (headers = {}) =>
      (await t.call<Portal>('GET', `/v1/portals/${portal.id}`, { headers })).body.custom_metadata?.map((field) => field.name);
    expect(await names(key())).toEqual(['desk', 'notes', 'camera', 'show']);
    expect(await names()).toEqual(['desk', 'notes', 'camera']);
    await putForm(form.id, { fields: report, disabled: true });
    expect(await names(key())).toBeUndefined();
    expect(await names()).toBeUndefined();
  });

  it('starts from a template of its Team, unless it brings fields of its own', async () => {
    const template = await t.call<FormTemplate>('POST', `/v1/teams/${t.teamId}/forms/templates`, {
      headers: key(),
      body: { name: 'Report', delivery_formats: ['xml'] },
    });
    await t.call('PUT', `/v1/metadata/forms/templates/${template.body.id}`, {
      headers: key(),
      body: { name: 'Report', delivery_formats: ['xml'], disabled: false, fields: report },
    });
    const { form } = await portalWithForm({ form_template_id: template.body.id });
    expect(form).toMatchObject({ form_template_id: template.body.id, fields: report, delivery_formats: ['json'] });
    expect((await portalWithForm({ form_template_id: template.body.id, fields: [] })).form.fields).toEqual([]);
    await t.call('DELETE', `/v1/metadata/forms/templates/${template.body.id}`, { headers: key() });
    const left = (await getForm(form.portal_id)).body;
    expect(left).toMatchObject({ id: form.id, fields: report });
    expect(left).not.toHaveProperty('form_template_id');
  });

  it('refuses a template of another Team, and an unknown one', async () => {
    const id = newId();
    const times = { created_at: new Date(), updated_at: new Date() };
    await database()
      .insertInto('form_templates')
      .values({ id, team_id: otherTeam, name: 'Theirs', delivery_formats: ['json'], ...times })
      .execute();
    const portal = await newPortal(t);
    for (const form_template_id of [id, newId(), 'nonsense']) {
      expect(await askForm(t, portal.id, { form_template_id })).toMatchObject(saying(404, 'form_template_id'));
    }
    expect((await getForm(portal.id)).status).toBe(404);
  });

  it.each<[string, Record<string, unknown>]>([
    ['name', { name: '' }],
    ['delivery_formats', { delivery_formats: [] }],
    ['delivery_formats[0]', { delivery_formats: ['pdf'] }],
    ['delivery_formats', { delivery_formats: ['json', 'json'] }],
    ['fields[0].type', { fields: [{ ...formField('x'), type: 'colour' }] }],
    ['fields[0].visibility', { fields: [{ ...formField('x'), visibility: 'secret' }] }],
    ['fields[0].name', { fields: [{ ...formField('x'), name: '' }] }],
    ['fields[0].name', { fields: [formField('id')] }],
    ['fields[0].name', { fields: [formField('__proto__')] }],
    ['fields[1].name', { fields: [formField('x'), formField('x')] }],
    ['fields[1].type', { fields: [formField('a', { type: 'sender_email' }), formField('b', { type: 'sender_email' })] }],
    ['fields[0].options', { fields: [formField('x', { type: 'radio' })] }],
    ['fields[0].options', { fields: [formField('x', { type: 'dropdown', options: [] })] }],
    ['fields[0].options', { fields: [formField('x', { type: 'checkbox', options: ['a', 'a'] })] }],
    ['fields[0].options', { fields: [formField('x', { type: 'checkbox', options: [' '] })] }],
    ['fields[0].default_value', { fields: [formField('x', { type: 'radio', options: ['a'], default_value: 'b' })] }],
    ['fields[0].label', { fields: [formField('x', { label: 'a\0b' })] }],
    ['fields[0].default_value', { fields: [formField('x', { default_value: '\udfff' })] }],
    ['fields', { fields: Array.from({ length: 101 }, (_, n) => formField(`f${n}`)) }],
    ['fields[0].position', { fields: [formField('x', { position: -1 })] }],
  ])('is refused with a wrong %s', async (field, fields) => {
    const portal = await newPortal(t);
    expect(await askForm(t, portal.id, fields)).toMatchObject(saying(400, field));
    expect((await getForm(portal.id)).status).toBe(404);
  });

  it('drops options of fields that offer no choice', async () => {
    const { form } = await portalWithForm({ fields: [formField('x', { options: ['a'] }), formField('y', { type: 'checkbox' })] });
    expect(form.fields).toEqual([formField('x'), formField('y', { type: 'checkbox', options: [] })]);
  });
});

describe('form templates', () => {
  const at = () => `/v1/teams/${t.teamId}/forms/templates`;
  it('are made, listed, read, changed and deleted', async () => {
    const ask = (name: string) => t.call<FormTemplate>('POST', at(), { headers: key(), body: { name, delivery_formats: ['json', 'csv'] } });
    const [a, b] = [(await ask('A')).body, (await ask('B')).body];
    expect(a).toMatchObject({ team_id: t.teamId, name: 'A', delivery_formats: ['json', 'csv'], disabled: false, fields: [] });
    const list = async () => (await t.call<FormTemplate[]>('GET', at(), { headers: key() })).body.map(({ id }) => id);
    expect((await list()).filter((id) => [a.id, b.id].includes(id))).toEqual([a.id, b.id]);
    const one = `/v1/metadata/forms/templates/${a.id}`;
    const changed = await t.call<FormTemplate>('PUT', one, {
      headers: key(),
      body: { name: 'C', delivery_formats: ['xml'], disabled: true, fields: report },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { id: a.id, name: 'C', delivery_formats: ['xml'], disabled: true, fields: report },
    });
    expect((await t.call('GET', one, { headers: key() })).body).toEqual(changed.body);
    const without = await t.call('PUT', one, { headers: key(), body: { name: 'D', delivery_formats: ['xml'], fields: report } });
    expect(without).toMatchObject({ status: 200, body: { name: 'D', disabled: true } });
    const wrong = { name: 'C', delivery_formats: ['xml'], disabled: true, fields: [formField('id')] };
    expect(await t.call('PUT', one, { headers: key(), body: wrong })).toMatchObject(saying(400, 'fields[0].name'));
    expect((await t.call('DELETE', one, { headers: key() })).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await t.call(method, one, { headers: key() })).status).toBe(404);
    expect(await list()).not.toContain(a.id);
  });
});

describe('who manages forms', () => {
  it.each<[Role, boolean]>([
    ['owner', true],
    ['admin', true],
    ['integration_manager', true],
    ['member', false],
    ['guest', false],
  ])('%s: %s', async (role, may) => {
    const { portal, form } = await portalWithForm({});
    const headers = { 'x-user-token': (await addUser(t, role)).token };
    const body = { name: 'x', delivery_formats: ['json'], disabled: false, fields: [] };
    const templates = `/v1/teams/${t.teamId}/forms/templates`;
    const statuses = [
      (await t.call('GET', `/v1/portals/${portal.id}/form`, { headers })).status,
      (await t.call('PUT', `/v1/metadata/forms/${form.id}`, { headers, body })).status,
      (await t.call('DELETE', `/v1/metadata/forms/${form.id}`, { headers })).status,
      (await t.call('POST', `/v1/portals/${portal.id}/form`, { headers, body })).status,
      (await t.call('POST', templates, { headers, body })).status,
      (await t.call('GET', templates, { headers })).status,
    ];
    expect(statuses).toEqual(may ? [200, 200, 204, 201, 201, 200] : [403, 403, 403, 403, 403, 403]);
  });

  it('404 to users of another Team', async () => {
    const { portal, form } = await portalWithForm({});
    const headers = { 'x-user-token': (await addUser(t, 'owner', otherTeam)).token };
    const body = { name: 'x', delivery_formats: ['json'], disabled: false, fields: [] };
    for (const [method, path] of [
      ['GET', `/v1/portals/${portal.id}/form`],
      ['POST', `/v1/portals/${portal.id}/form`],
      ['POST', `/v1/portals/${portal.id}/form/responses`],
      ['PUT', `/v1/metadata/forms/${form.id}`],
      ['DELETE', `/v1/metadata/forms/${form.id}`],
    ] as const) {
      const sent = method === 'POST' && path.endsWith('responses') ? {} : body;
      const answer = await t.call(method, path, { headers, ...(['PUT', 'POST'].includes(method) && { body: sent }) });
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
    expect((await getForm(portal.id)).body).toEqual(form);
  });
});

describe('a form response', () => {
  it('has every field, and needs those that are required', async () => {
    const { portal } = await portalWithForm({ fields: report });
    const answers = { camera: { value: 'A' }, desk: { value: 'mine' }, other: { value: 'dropped' } };
    const made = await askResponse(t, portal.id, answers);
    expect(made).toMatchObject({
      status: 201,
      body: { camera: { value: 'A' }, notes: { value: '' }, show: { value: 'Harbour' }, desk: { value: 'Post' } },
    });
    expect(Object.keys(made.body)).toEqual(['id', 'desk', 'notes', 'camera', 'show']);
    for (const wrong of [{}, { camera: { value: '' } }, { camera: { value: [] } }]) {
      expect(await askResponse(t, portal.id, wrong)).toMatchObject(saying(400, 'The field camera needs a value.'));
    }
  });

  it('takes texts, numbers, ticks and lists, and nothing that cannot be kept', async () => {
    const { portal } = await portalWithForm({ fields: [formField('x')] });
    for (const value of ['a', 1.5, true, ['a', 'b']]) {
      expect(await askResponse(t, portal.id, { x: { value } })).toMatchObject({ status: 201, body: { x: { value } } });
    }
    for (const value of [null, { a: 1 }, [1], ['a\0'], 'a\0', '\ud800', 'x'.repeat(10_001)]) {
      expect((await askResponse(t, portal.id, { x: { value } })).status, JSON.stringify(value)?.slice(0, 40)).toBe(400);
    }
    expect((await askResponse(t, portal.id, { x: 'bare' })).status).toBe(400);
    // Unknown fields are ignored, this one too.
    const poison = '{"__proto__":{"value":"x"},"x":{"value":"y","__proto__":{"value":"z"}}}';
    expect(await t.call('POST', `/v1/portals/${portal.id}/form/responses`, { headers: key(), body: poison })).toMatchObject({
      status: 201,
      body: { x: { value: 'y' } },
    });
  });

  it('keeps so many bytes of a form and of its answers, since each response has both', async () => {
    const portal = await newPortal(t);
    const options = (count: number) => Array.from({ length: count }, (_, n) => `${n} ${'x'.repeat(200)}`);
    const fields = (count: number) =>
      Array.from({ length: count }, (_, n) => formField(`f${n}`, { type: 'dropdown', options: options(200), position: n }));
    expect(await askForm(t, portal.id, { fields: fields(7) })).toMatchObject(saying(400, 'fields: all of them together have at most'));
    const texts = Array.from({ length: 30 }, (_, n) => formField(`t${n}`, { type: 'long_text', position: n }));
    const form = await askForm<Form>(t, portal.id, { fields: [...fields(5), ...texts] });
    expect(form.status).toBe(201);
    expect(await putForm(form.body.id, { fields: fields(7) })).toMatchObject(saying(400, 'fields: all of them together'));
    const answers = (count: number) => Object.fromEntries(texts.slice(0, count).map(({ name }) => [name, { value: 'x'.repeat(10_000) }]));
    expect((await askResponse(t, portal.id, answers(25))).status).toBe(201);
    const tooMuch = { ...answers(27), t3: { value: 'é'.repeat(9_999) } };
    expect(await askResponse(t, portal.id, tooMuch)).toMatchObject(saying(400, 't3: all answers together have at most'));
    const template = await t.call<FormTemplate>('POST', `/v1/teams/${t.teamId}/forms/templates`, {
      headers: key(),
      body: { name: 'Large', delivery_formats: ['json'] },
    });
    expect(
      await t.call('PUT', `/v1/metadata/forms/templates/${template.body.id}`, {
        headers: key(),
        body: { name: 'Large', delivery_formats: ['json'], fields: fields(7) },
      }),
    ).toMatchObject(saying(400, 'fields: all of them together'));
  });

  it("needs the Portal's access code, or a credential of its Team", async () => {
    const { portal } = await portalWithForm({ fields: [] }, { access_code: 'cards' });
    expect((await askResponse(t, portal.id, {}, {})).status).toBe(401);
    expect((await askResponse(t, portal.id, {}, { 'x-access-code': 'wrong' })).status).toBe(401);
    expect((await askResponse(t, portal.id, {}, { 'x-access-code': 'cards' })).status).toBe(201);
    expect((await askResponse(t, portal.id, {}, key())).status).toBe(201);
    const member = await addUser(t, 'member');
    expect((await askResponse(t, portal.id, {}, { 'x-user-token': member.token })).status).toBe(201);
    const guest = await addUser(t, 'guest');
    expect((await askResponse(t, portal.id, {}, { 'x-user-token': guest.token })).status).toBe(403);
  });

  it('is refused where there is no form, or a disabled one, or the Portal is closed', async () => {
    expect((await askResponse(t, (await newPortal(t)).id, {})).status).toBe(404);
    expect((await askResponse(t, newId(), {})).status).toBe(404);
    expect((await askResponse(t, (await portalWithForm({ disabled: true })).portal.id, {})).status).toBe(404);
    expect((await askResponse(t, (await portalWithForm({}, { active: false })).portal.id, {})).status).toBe(403);
  });
});

describe('a Portal package with a form', () => {
  const response = async (portalId: string, answers: Record<string, unknown> = {}) => {
    const made = await askResponse<FormResponse>(t, portalId, answers);
    expect(made.status).toBe(201);
    return made.body.id;
  };

  it('needs a response of its Portal that is not used, while the form is enabled', async () => {
    const { portal, form } = await portalWithForm({ fields: [formField('x')] });
    const other = await portalWithForm({ fields: [formField('x')] });
    expect(await askPortalPackage(t, portal.id)).toMatchObject(saying(400, 'form_data_id'));
    for (const form_data_id of [await response(other.portal.id), newId(), 'nonsense']) {
      expect(await askPortalPackage(t, portal.id, { form_data_id })).toMatchObject(saying(404, 'form_data_id'));
    }
    const id = await response(portal.id, { x: { value: 'y' } });
    const made = await askPortalPackage(t, portal.id, { form_data_id: id });
    expect(made).toMatchObject({ status: 201, body: { custom_metadata_id: id } });
    expect(await askPortalPackage(t, portal.id, { form_data_id: id })).toMatchObject(saying(409, 'form_data_id'));

    const at = await response(portal.id);
    const both = await Promise.all(Array.from({ length: 5 }, () => askPortalPackage(t, portal.id, { form_data_id: at })));
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409]);

    const old = await response(portal.id);
    await t.call('DELETE', `/v1/metadata/forms/${form.id}`, { headers: key() });
    expect((await askPortalPackage(t, portal.id)).status).toBe(201);
    await askForm(t, portal.id, { fields: [formField('y', { visibility: 'required' })] });
    expect(await askPortalPackage(t, portal.id, { form_data_id: old })).toMatchObject(saying(409, 'form_data_id'));
    const now = (await getForm(portal.id)).body;
    await putForm(now.id, { disabled: true });
    expect((await askPortalPackage(t, portal.id)).status).toBe(201);
  });

  it('is called, described and sent as the answers say', async () => {
    const fields = [
      formField('n', { type: 'package_name' }),
      formField('d', { type: 'package_description' }),
      formField('s', { type: 'sender_email', label: 'Your address' }),
    ];
    const { portal } = await portalWithForm({ fields });
    const answers = { n: { value: 'Reel 7' }, d: { value: 'From the form' }, s: { value: 'tom@example.com' } };
    const fed = await askPortalPackage(t, portal.id, { form_data_id: await response(portal.id, answers) });
    expect(fed.body).toMatchObject({ name: 'Reel 7', description: 'From the form', sender: 'tom@example.com' });
    const bare = await askPortalPackage(t, portal.id, { form_data_id: await response(portal.id) });
    expect(bare.body).toMatchObject({ name: 'Day 12', description: 'A and B camera', sender: 'mia@example.com' });
    const id = await response(portal.id, { s: { value: 'nobody' } });
    expect(await askPortalPackage(t, portal.id, { form_data_id: id })).toMatchObject(saying(400, 'Your address'));
  });

  it('is read with its answers by who manages it, and without them by nobody else', async () => {
    const { portal } = await portalWithForm({ fields: report });
    const id = await response(portal.id, { camera: { value: 'B' } });
    const sender = await portalSender(t, portal.id, { form_data_id: id });
    await sender.finalize();
    const list = await t.call<{ records: Package[] }>('GET', `/v1.1/portals/${portal.id}/packages`, { headers: key() });
    const managed = list.body.records.find((one) => one.id === sender.package.id)!;
    const at = `/v1/packages/${sender.package.id}/metadata`;
    const read = () => t.call<FormResponse>('GET', at, { headers: { 'x-package-token': managed.access_token } });
    const answer = await read();
    expect(answer).toMatchObject({ status: 200, body: { id, camera: { value: 'B' }, show: { value: 'Harbour' } } });
    expect(answer.body['camera']).toEqual({ value: 'B', label: report[0]!.label });
    expect(Object.keys(answer.body)).toEqual(['id', 'desk', 'notes', 'camera', 'show']);
    expect((await t.call('GET', at, { headers: sender.token })).status).toBe(403);
    await database().updateTable('packages').set({ state: 'expired' }).where('id', '=', sender.package.id).execute();
    expect((await read()).status).toBe(410);
  });

  it('without a form has no answers to read', async () => {
    const made = await t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
      headers: key(),
      body: { name: 'x', description: '', recipients: [] },
    });
    const headers = { 'x-package-token': made.body.access_token };
    expect((await t.call('GET', `/v1/packages/${made.body.id}/metadata`, { headers })).status).toBe(404);
  });

  it('gets no response that waited for more than a week, and those are swept', async () => {
    const { portal } = await portalWithForm({ fields: [] });
    const [waiting, used] = [await response(portal.id), await response(portal.id)];
    const { package: made } = await portalSender(t, portal.id, { form_data_id: used });
    const left = async () =>
      (await database().selectFrom('form_responses').select('id').where('id', 'in', [waiting, used]).orderBy('id').execute()).map(
        ({ id }) => id,
      );
    const sweep = () => sweepResponses({ db: database(), now: t.service.services.now, signal: new AbortController().signal });
    offset += 7 * day;
    await sweep();
    expect(await left()).toEqual([waiting, used].sort());
    expect(await askPortalPackage(t, portal.id, { form_data_id: waiting })).toMatchObject(saying(404, 'form_data_id'));
    offset += day + 1;
    await sweep();
    expect(await left()).toEqual([used]);
    expect(
      (await database().selectFrom('packages').select('form_response_id').where('id', '=', made.id).executeTakeFirst())?.form_response_id,
    ).toBe(used);
  });
});

describe('finalizing a package with a form', () => {
  const formats = ['json', 'csv', 'xml', 'email_body'];
  async function answered(delivery_formats: string[] = formats): Promise<{ sender: Sender; responseId: string }> {
    const { portal } = await portalWithForm({ delivery_formats, fields: report }, { recipients: ['post@example.com'] });
    const made = await askResponse<FormResponse>(t, portal.id, { camera: { value: 'A' }, notes: { value: 'Karte "2",\nSlate ☕' } });
    return { sender: await portalSender(t, portal.id, { form_data_id: made.body.id }), responseId: made.body.id };
  }
  const readBack = async ({ package: { id }, token }: Sender) =>
    (await t.call<Package>('GET', `/v1/packages/${id}`, { headers: token })).body;
  const files = async ({ package: { id }, token }: Sender) =>
    (await t.call<File[]>('GET', `/v1/packages/${id}/files`, { headers: token })).body.filter((file) => file.kind === 'file');
  const names = async (sender: Sender) => (await files(sender)).map((file) => (file.path ? `${file.path}/${file.name}` : file.name)).sort();
  async function download(sender: Sender, name: string): Promise<string> {
    const link = await database().selectFrom('links').selectAll().where('package_id', '=', sender.package.id).executeTakeFirstOrThrow();
    const opened = await openLink(t, { id: link.id, download_secret: link.secret } as Link);
    const headers = { 'x-package-token': opened.body.package_token };
    const file = (await files(sender)).find((one) => one.name === name)!;
    const { body } = await t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${file.id}/download`, { headers });
    return await (await fetch(body.url)).text();
  }
  const plan = (sender: Sender, responseId: string) =>
    inTransaction(database(), (trx) =>
      planDeliverables(trx, {
        packageId: sender.package.id,
        responseId,
        storage: t.service.services.storage,
        now: t.service.services.now(),
      }),
    );

  it('delivers the answers as ordinary files in its root, counted and downloadable', async () => {
    const { sender, responseId } = await answered();
    await sender.send('camera-a', 'a.mov', Buffer.from('hello'));
    expect((await sender.finalize()).status).toBe(204);
    const listed = await files(sender);
    expect(await names(sender)).toEqual(['camera-a/a.mov', 'metadata.csv', 'metadata.json', 'metadata.xml']);
    expect(await readBack(sender)).toMatchObject({
      state: 'finalized',
      total_files: 4,
      size: listed.reduce((sum, file) => sum + file.size!, 0),
    });
    const json = await download(sender, 'metadata.json');
    expect(JSON.parse(json)).toMatchObject({ id: responseId, camera: { value: 'A' }, notes: { value: 'Karte "2",\nSlate ☕' } });
    const record = listed.find((file) => file.name === 'metadata.json')!;
    const inner = blake3(Buffer.from(json));
    expect(record).toMatchObject({ state: 'finalized', size: Buffer.byteLength(json), digest: `blake3:${blake3(inner).toString('hex')}` });
    expect(await download(sender, 'metadata.csv')).toContain('"Karte ""2"",\nSlate ☕"');
    expect(await download(sender, 'metadata.xml')).toContain('<value>A</value>');
  });

  it('tells the sender of what they sent, and recipients of all that is in the package', async () => {
    const { sender } = await answered();
    await sender.send('', 'a.mov', Buffer.from('hello'));
    await sender.finalize();
    const link = await database().selectFrom('links').select('id').where('package_id', '=', sender.package.id).executeTakeFirstOrThrow();
    const urls = publicUrls('https://files.example.com');
    const content = async (kind: 'link' | 'receipt') => {
      const message = { package_id: sender.package.id, recipient: 'post@example.com', link_id: link.id, language: 'en' } as const;
      const read = await readLetter(database(), { ...message, kind }, { urls, now: t.service.services.now });
      return 'letter' in read ? read.letter.facts.find(({ label }) => label === 'Content')?.value : read;
    };
    expect(await content('receipt')).toBe('1 file, 5 bytes');
    expect(await content('link')).toMatch(/^4 files, /);
  });

  it('delivers only what the form asks for, as it was when it was answered', async () => {
    const { sender } = await answered(['email_body']);
    await sender.finalize();
    expect(await readBack(sender)).toMatchObject({ total_files: 0, size: 0 });
    const { portal, form } = await portalWithForm({ delivery_formats: ['csv'], fields: [formField('x')] });
    const made = await askResponse<FormResponse>(t, portal.id, { x: { value: 'then' } });
    const other = await portalSender(t, portal.id, { form_data_id: made.body.id });
    await putForm(form.id, { delivery_formats: ['xml'], fields: [] });
    await other.finalize();
    expect(await names(other)).toEqual(['metadata.csv']);
  });

  it("leaves a sender's own file of that name its name, regardless of case, and a folder too", async () => {
    const { sender } = await answered();
    await sender.send('', 'Metadata.JSON', Buffer.from('mine'));
    await sender.send('', 'metadata-2.json', Buffer.from('mine too'));
    await sender.send('metadata.csv', 'inside', Buffer.from('x'));
    expect((await sender.create({ kind: 'directory', name: 'metadata.xml' })).status).toBe(201);
    expect((await sender.finalize()).status).toBe(204);
    expect(await names(sender)).toEqual(
      ['Metadata.JSON', 'metadata-2.csv', 'metadata-2.json', 'metadata-2.xml', 'metadata-3.json', 'metadata.csv/inside'].sort(),
    );
    expect(await download(sender, 'Metadata.JSON')).toBe('mine');
    expect(JSON.parse(await download(sender, 'metadata-3.json'))).toMatchObject({ camera: { value: 'A' } });
  });

  it('is not held up by restrictions of the Portal, which are for what is sent', async () => {
    const { portal } = await portalWithForm(
      { delivery_formats: formats, fields: [] },
      {
        package_size_restriction_enabled: true,
        max_file_count: 1,
        max_package_size: 5,
        max_file_size: 5,
        file_type_restriction_enabled: true,
        file_types: ['.mov'],
      },
    );
    const made = await askResponse<FormResponse>(t, portal.id, {});
    const sender = await portalSender(t, portal.id, { form_data_id: made.body.id });
    await sender.send('', 'a.mov', Buffer.from('hello'));
    expect((await sender.finalize()).status).toBe(204);
    expect(await readBack(sender)).toMatchObject({ total_files: 4 });
  });

  it('many times concurrently delivers once', async () => {
    const { sender } = await answered();
    const ends = await Promise.all(Array.from({ length: 6 }, () => sender.finalize()));
    expect(ends.map((end) => end.status)).toEqual(Array(6).fill(204));
    expect(await names(sender)).toEqual(['metadata.csv', 'metadata.json', 'metadata.xml']);
    expect(await database().selectFrom('links').select('id').where('package_id', '=', sender.package.id).execute()).toHaveLength(1);
  });

  it('goes on where a crash cut it off: after the rows, and after the bytes', async () => {
    for (const crash of ['noted', 'written'] as const) {
      const { sender, responseId } = await answered();
      expect(await plan(sender, responseId)).toEqual({ kind: 'noted' });
      const { storage } = t.service.services;
      if (crash === 'written') {
        const ready = await plan(sender, responseId);
        if (ready.kind !== 'ready') throw new Error('not ready');
        // The bytes are at the storage, and the transaction that would have said so is undone.
        const lost = inTransaction(database(), async (trx) => {
          await writeDeliverables(trx, { packageId: sender.package.id, storage, files: ready.files, now: new Date() });
          throw new Error('power cut');
        });
        await expect(lost).rejects.toThrow('power cut');
      }
      const before = await files(sender);
      expect(before.map((file) => file.state)).toEqual(['new', 'new', 'new']);
      expect((await sender.finalize()).status).toBe(204);
      const after = await files(sender);
      // The same rows, so that nothing at the storage belongs to none.
      expect(after.map((file) => file.id).sort()).toEqual(before.map((file) => file.id).sort());
      expect(JSON.parse(await download(sender, 'metadata.json'))).toMatchObject({ camera: { value: 'A' } });
      expect(await readBack(sender)).toMatchObject({ total_files: 3, size: after.reduce((sum, file) => sum + file.size!, 0) });
    }
  });

  it('does not take a sender’s file of the same name for the answers', async () => {
    const { sender, responseId } = await answered(['json']);
    await plan(sender, responseId);
    await sender.send('', 'metadata.json', Buffer.from('forged'));
    expect((await sender.finalize()).status).toBe(204);
    expect(await names(sender)).toEqual(['metadata-2.json', 'metadata.json']);
    expect(await download(sender, 'metadata.json')).toBe('forged');
    expect(JSON.parse(await download(sender, 'metadata-2.json'))).toMatchObject({ camera: { value: 'A' } });
  });

  it('changes nothing while a file is not finalized', async () => {
    const { sender } = await answered();
    await sender.begin('', 'open.mov', { size: 5 });
    expect(await sender.finalize()).toMatchObject(saying(409, 'open.mov is not finalized'));
    expect(await names(sender)).toEqual(['open.mov']);
  });
});
