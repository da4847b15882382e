import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '#protocol/hosted/accounts.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { TeamSettings } from '#protocol/hosted/teams.ts';
import { managing, putPackage, readPackage } from '#test/support/service/packages.ts';
import { askPortal, askPortalPackage, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

type Refused = { readonly message: string };
const change = (body: Readonly<Record<string, unknown>>) =>
  t.call<TeamSettings & Refused>('PUT', `/v1/teams/${t.teamId}`, { headers: { 'x-user-token': t.userToken }, body });
const settings = async () => (await t.call<TeamSettings>('GET', `/v1/teams/${t.teamId}`, { headers: { 'x-api-key': t.apiKey } })).body;
const send = (body: Readonly<Record<string, unknown>>) =>
  t.call<Package & Refused>('POST', `/v1/teams/${t.teamId}/packages`, {
    headers: { 'x-api-key': t.apiKey },
    body: { name: 'P', description: '', recipients: [], ...body },
  });
const link = async (packageId: string, body: Readonly<Record<string, unknown>>) =>
  await t.call<Link & Refused>('POST', `/v1/packages/${packageId}/links`, { headers: await managing(t, packageId), body });
const expire = async (packageId: string, body: Readonly<Record<string, unknown>>) =>
  await t.call<Package & Refused>('PUT', `/v1/packages/${packageId}/expiry`, { headers: await managing(t, packageId), body });
const finalize = async (packageId: string) =>
  await t.call('POST', `/v1/packages/${packageId}/finalize`, { headers: await managing(t, packageId) });
const days = (count: number) => new Date(t.service.services.now().getTime() + count * 24 * 3_600_000).toISOString();
const daysKept = ({ expiry }: Package) => Math.round((Date.parse(expiry) - t.service.services.now().getTime()) / (24 * 3_600_000));

const none = {
  password_required: false,
  public_links_allowed: true,
  verify_recipient_default: false,
  verify_recipient_required: false,
  mfa_required: false,
  recipient_domains: [],
  max_expiry_days: 0,
  mail_language: '',
  notify_default: [],
  custom_expiry_default: 10,
  custom_expiry_enabled: true,
};

it('what somebody else has changed is not overwritten, where that is asked', async () => {
  const read = await settings();
  const before = new Date(Date.parse(read.updated_at) - 1).toISOString();
  expect(await change({ name: 'Mine', expected_updated_at: before })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('changed meanwhile') },
  });
  expect(await settings()).toEqual(read);
  expect((await change({ name: read.name, expected_updated_at: read.updated_at })).status).toBe(200);
});

/** Makes the change, tries what follows from it, and takes it back. */
async function withPolicy(policy: Readonly<Record<string, unknown>>, work: () => Promise<void>): Promise<void> {
  const changed = await change(policy);
  expect(changed).toMatchObject({ status: 200, body: policy });
  try {
    await work();
  } finally {
    expect((await change(none)).status).toBe(200);
  }
}

describe("a Team's settings", () => {
  it('change one by one, and those left out stay', async () => {
    const before = await settings();
    expect(before).toMatchObject({ id: t.teamId, ...none, imprint_url: '', primary_color: '' });
    const changed = await change({ name: 'Harbour & Sons', primary_color: '#1f6feb', imprint_url: 'https://example.com/imprint' });
    expect(changed.status).toBe(200);
    expect((await change({ privacy_url: 'https://example.com/privacy' })).body).toEqual({
      ...before,
      ...{ name: 'Harbour & Sons', primary_color: '#1f6feb', imprint_url: 'https://example.com/imprint' },
      privacy_url: 'https://example.com/privacy',
      updated_at: expect.any(String),
    });
    await change({ name: before.name });
  });

  it.each([
    [{ imprint_url: 'javascript:alert(1)' }, 'imprint_url: '],
    [{ logo_url: 'data:image/png;base64,AA' }, 'logo_url: '],
    [{ primary_color: 'red' }, 'primary_color'],
    [{ custom_expiry_default: 0 }, 'custom_expiry_default: '],
    [{ custom_expiry_default: 30, max_expiry_days: 20 }, 'custom_expiry_default: '],
    [{ custom_expiry_default: -1, max_expiry_days: 20 }, 'custom_expiry_default: '],
    [{ recipient_domains: ['example.com', 'no domain'] }, 'recipient_domains[1]: '],
    [{ chunk_size_default: 1_000 }, 'chunk_size: '],
  ])('refuse %j', async (body, message) => {
    const before = await settings();
    expect(await change(body)).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(await settings()).toEqual(before);
  });

  it('leave alone what is the operator’s', async () => {
    const before = await settings();
    await change({ max_email_recipients: 1_000_000, subdomain: 'mine', state: 'inactive', id: t.userId });
    expect(await settings()).toEqual({ ...before, updated_at: expect.any(String) });
  });

  it('come with "who am I", for whoever sends', async () => {
    await withPolicy({ recipient_domains: ['example.com'], max_expiry_days: 20 }, async () => {
      const { body } = await t.call<Account>('GET', '/v1/users/me', { headers: { 'x-user-token': t.userToken } });
      expect(body.teams[0]).toMatchObject({ recipient_domains: ['example.com'], max_expiry_days: 20, password_required: false });
    });
  });

  it('are the defaults of packages, also of those that come through Portals', async () => {
    const chunk = 8 * 1024 * 1024;
    const portal = await newPortal(t);
    await change({ chunk_size_default: chunk, custom_expiry_default: 7, download_limit_enabled: true, download_limit_default: 4 });
    const sent = (await send({})).body;
    expect(sent).toMatchObject({ chunk_size: chunk, access_limit: 4 });
    expect(daysKept(sent)).toBe(7);
    expect((await askPortalPackage(t, portal.id)).body).toMatchObject({ chunk_size: chunk, access_limit: 4 });
    expect((await send({ chunk_size: 2 * chunk, access_limit: 0 })).body).toMatchObject({ chunk_size: 2 * chunk, access_limit: 0 });
    await change({ chunk_size_default: 0, download_limit_enabled: false, ...none });
  });
});

describe('the policy on passwords', () => {
  it('holds for packages with recipients and for every link', async () => {
    const before = await putPackage(t);
    await withPolicy({ password_required: true }, async () => {
      const recipients = ['post@example.com'];
      const refused = { status: 403, body: { message: expect.stringMatching(/^password: /) } };
      expect(await send({ recipients })).toMatchObject(refused);
      expect(await send({ recipients, password: '' })).toMatchObject(refused);
      expect((await send({ recipients, password: 'open sesame' })).status).toBe(201);
      const { id } = (await send({})).body;
      expect(await link(id, {})).toMatchObject(refused);
      expect(await link(before, { email: 'post@example.com', password: '' })).toMatchObject(refused);
      expect(await link(before, { password: 'open sesame' })).toMatchObject({ status: 201, body: { password: '****' } });
    });
  });

  it('holds for Portals that send, and begins only when they have one', async () => {
    const open = await newPortal(t, { name: 'Open one', recipients: ['post@example.com'] });
    const silent = await newPortal(t, { name: 'Silent one' });
    expect(await change({ password_required: true })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^password_required: .*: Open one\. /) },
    });
    const portal = (id: string, body: object) => t.call<Refused>('PUT', `/v1/portals/${id}`, { headers: { 'x-api-key': t.apiKey }, body });
    await portal(open.id, { download_password: 'open sesame' });
    await withPolicy({ password_required: true }, async () => {
      const refused = { status: 403, body: { message: expect.stringMatching(/^download_password: /) } };
      expect(await portal(open.id, { has_download_password: false })).toMatchObject(refused);
      expect(await portal(silent.id, { recipients: ['post@example.com'] })).toMatchObject(refused);
      expect(await askPortal<Refused>(t, { active: true, recipients: ['post@example.com'] })).toMatchObject(refused);
      // One that is off sends nothing: it is asked when it is turned on.
      const off = await askPortal(t, { recipients: ['post@example.com'] });
      expect(off.status).toBe(201);
      expect(await portal(off.body.id, { active: true })).toMatchObject(refused);
      expect((await askPortalPackage(t, open.id)).body).toMatchObject({ password: '****' });
    });
    await portal(open.id, { active: false });
  });
});

describe('the policy on public links', () => {
  it('holds for each link that is made', async () => {
    const id = await putPackage(t);
    const before = (await link(id, {})).body;
    await withPolicy({ public_links_allowed: false }, async () => {
      expect(await link(id, {})).toMatchObject({ status: 403, body: { message: expect.stringContaining('public links') } });
      expect((await link(id, { email: 'post@example.com' })).status).toBe(201);
      const opened = await t.call('GET', `/v1/links/${before.id}?secret=${before.download_secret}`);
      expect(opened.status).toBe(200);
    });
  });
});

describe('mailed codes', () => {
  const recipients = ['post@example.com'];
  const email = 'jo@example.com';

  it('are asked for by default where the sender says nothing', async () => {
    const portal = await newPortal(t);
    await withPolicy({ verify_recipient_default: true }, async () => {
      expect((await send({ recipients })).body.verify_recipient).toBe(true);
      expect((await askPortalPackage(t, portal.id)).body.verify_recipient).toBe(true);
      expect((await send({ recipients, verify_recipient: false })).body.verify_recipient).toBe(false);
      const { id } = (await send({})).body;
      expect((await link(id, { email })).body.verify_recipient).toBe(true);
      expect((await link(id, { email, verify_recipient: false })).body.verify_recipient).toBe(false);
      expect((await link(id, {})).body.verify_recipient).toBe(false);
    });
  });

  it('cannot be turned off where the Team demands them', async () => {
    const portal = await newPortal(t);
    const before = (await send({ recipients })).body;
    await withPolicy({ verify_recipient_required: true }, async () => {
      const refused = { status: 403, body: { message: expect.stringMatching(/^verify_recipient: this Team asks every recipient/) } };
      expect(await send({ recipients, verify_recipient: false })).toMatchObject(refused);
      expect((await send({ recipients })).body.verify_recipient).toBe(true);
      expect((await askPortalPackage(t, portal.id)).body.verify_recipient).toBe(true);
      expect(await link(before.id, { email, verify_recipient: false })).toMatchObject(refused);
      expect((await link(before.id, { email })).body.verify_recipient).toBe(true);
      expect((await link(before.id, {})).body).toMatchObject({ email: '', verify_recipient: false });
      // What was begun before goes out as it was begun.
      expect((await finalize(before.id)).status).toBe(204);
      const links = await t.call<Link[]>('GET', `/v1/packages/${before.id}/links`, { headers: await managing(t, before.id) });
      expect(links.body.find((one) => one.email === recipients[0])).toMatchObject({ verify_recipient: false });
    });
  });

  it('are demanded by owners and admins alone', async () => {
    const member = await addUser(t, 'member');
    const headers = { 'x-user-token': member.token };
    for (const body of [{ verify_recipient_required: true }, { verify_recipient_default: true }])
      expect(await t.call('PUT', `/v1/teams/${t.teamId}`, { headers, body })).toMatchObject({ status: 403 });
    expect(await settings()).toMatchObject({ verify_recipient_default: false, verify_recipient_required: false });
  });
});

describe('the policy on domains', () => {
  it('holds for recipients of packages and links', async () => {
    const id = await putPackage(t);
    const before = (await send({ recipients: ['mia@elsewhere.test'] })).body;
    await withPolicy({ recipient_domains: ['example.com', 'films.example.org'] }, async () => {
      const refused = (field: string) => ({
        status: 403,
        body: { message: expect.stringMatching(new RegExp(`^${field}: .*mia@elsewhere`)) },
      });
      expect(await send({ recipients: ['post@EXAMPLE.com', 'mia@elsewhere.test'] })).toMatchObject(refused('recipients'));
      expect(await link(id, { email: 'mia@elsewhere.test' })).toMatchObject(refused('email'));
      expect((await send({ recipients: ['post@EXAMPLE.com', 'a@films.example.org'] })).status).toBe(201);
      expect((await link(id, { email: 'post@example.com' })).status).toBe(201);
      // What was begun before goes out as it was begun.
      expect((await finalize(before.id)).status).toBe(204);
      const links = await t.call<Link[]>('GET', `/v1/packages/${before.id}/links`, { headers: await managing(t, before.id) });
      expect(links.body.map(({ email }) => email)).toEqual(['mia@elsewhere.test']);
    });
  });

  it('holds for Portals, and begins only when theirs are changed', async () => {
    const portal = await newPortal(t, { name: 'To elsewhere', cc_recipients: ['mia@elsewhere.test'] });
    expect(await change({ recipient_domains: ['example.com'] })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^recipient_domains: .*: To elsewhere\. /) },
    });
    const update = (body: object) => t.call<Refused>('PUT', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': t.apiKey }, body });
    await update({ cc_recipients: ['mia@example.com'] });
    await withPolicy({ recipient_domains: ['example.com'] }, async () => {
      expect(await update({ recipients: ['mia@elsewhere.test'] })).toMatchObject({ status: 403 });
      expect((await update({ recipients: ['a@example.com'] })).status).toBe(200);
      expect((await askPortal(t, { active: true, recipients: ['mia@elsewhere.test'] })).status).toBe(403);
    });
  });
});

describe('the policy on expiry', () => {
  it('holds for new packages, changed ones and Portals', async () => {
    const forEver = await newPortal(t, { custom_expiry_days: -1 });
    const longer = await newPortal(t, { custom_expiry_days: 60 });
    const keptForEver = await putPackage(t, { unlimited_storage: true, finalized_at: t.service.services.now() });
    await withPolicy({ max_expiry_days: 20 }, async () => {
      const refused = (field: string) => ({ status: 403, body: { message: expect.stringMatching(new RegExp(`^${field}: .*20 days`)) } });
      expect(await send({ unlimited_storage: true })).toMatchObject(refused('unlimited_storage'));
      const { id } = (await send({})).body;
      expect(await expire(id, { expiry: days(21) })).toMatchObject(refused('expiry'));
      expect(await expire(id, { unlimited_storage: true })).toMatchObject(refused('unlimited_storage'));
      expect((await expire(id, { expiry: days(19.9) })).status).toBe(200);
      for (const portal of [forEver, longer]) {
        const made = (await askPortalPackage(t, portal.id)).body;
        expect(made.unlimited_storage).toBe(false);
        expect(daysKept(made)).toBe(20);
        expect(
          (await t.call('POST', `/v1/packages/${made.id}/finalize`, { headers: { 'x-package-token': made.access_token } })).status,
        ).toBe(204);
        expect(daysKept(await readPackage(t, made.id))).toBe(20);
      }
      expect(await askPortal<Refused>(t, { custom_expiry_days: 21 })).toMatchObject(refused('custom_expiry_days'));
      expect(await askPortal<Refused>(t, { custom_expiry_days: -1 })).toMatchObject(refused('custom_expiry_days'));
      expect((await askPortal(t, { custom_expiry_days: 20 })).status).toBe(201);
      // What is there keeps what it has, and may end earlier.
      expect((await readPackage(t, keptForEver)).unlimited_storage).toBe(true);
      expect((await expire(keptForEver, { expiry: days(300) })).status).toBe(200);
      expect(await expire(keptForEver, { expiry: days(301) })).toMatchObject(refused('expiry'));
    });
  });
});
