import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Portal, PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { newId } from '#service/ids.ts';
import { parseMail } from '#test/support/service/mail-server.ts';
import { askForm, askPortalPackage, askResponse, formField, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

let at: TestService;
let clockOffset = 0;
beforeAll(async () => {
  at = await startTestService({ now: () => new Date(Date.now() + clockOffset) });
});
afterAll(() => at?.close());

const as = (who: TestUser) => ({ 'x-user-token': who.token });
const key = () => ({ 'x-api-key': at.apiKey });
const fresh = () => `person-${newId()}@example.com`;
const saying = (status: number, text: string) => ({ status, body: { message: expect.stringContaining(text) } });

async function team() {
  const id = await addTeam(at, 'Harbour & Söhne');
  return { id, owner: await addUser(at, 'owner', id) };
}

describe('a pattern for names', () => {
  const pattern = { name_pattern: 'NL_{digits:4}_{A|B}', name_pattern_label: 'Number of the shoot, and the camera' };

  it('is shown with a label and an example, and holds for packages', async () => {
    const portal = await newPortal(at, pattern);
    expect(portal).toMatchObject({ ...pattern, name_pattern_example: '' });
    const shown = await at.call<PublicPortal>('GET', `/v1/portals/${portal.id}`);
    expect(shown.body).toMatchObject({ ...pattern, name_pattern_example: 'NL_1234_A' });
    expect(await askPortalPackage(at, portal.id, { name: 'Day 12' })).toMatchObject(saying(400, 'NL_1234_A'));
    expect((await askPortalPackage(at, portal.id, { name: 'NL_0042_B' })).status).toBe(201);
  });

  it("holds for names that a form's answers give, too", async () => {
    const portal = await newPortal(at, pattern);
    await askForm(at, portal.id, { fields: [formField('shoot', { type: 'package_name', help: 'As on the slate.' })] });
    const shown = await at.call<PublicPortal>('GET', `/v1/portals/${portal.id}`);
    expect(shown.body.custom_metadata?.[0]).toMatchObject({ help: 'As on the slate.' });
    const named = async (name: string) => (await askResponse(at, portal.id, { shoot: { value: name } })).body.id;
    const sent = { name: 'NL_0001_A' };
    expect((await askPortalPackage(at, portal.id, { ...sent, form_data_id: await named('Day 12') })).status).toBe(400);
    expect((await askPortalPackage(at, portal.id, { ...sent, form_data_id: await named('NL_0002_A') })).status).toBe(201);
  });

  it.each([
    ['name_pattern', { name_pattern: 'NL_{digits' }],
    ['name_pattern', { name_pattern: '{numbers}' }],
    ['name_pattern_example', { name_pattern: '{digits:4}', name_pattern_example: '12' }],
  ])('that cannot be is refused at its field: %s', async (field, body) => {
    const portal = await newPortal(at);
    expect(await at.call('PUT', `/v1/portals/${portal.id}`, { headers: key(), body })).toMatchObject(saying(400, `${field}: `));
  });
});

it('an update of what somebody else has changed is told, and changes nothing', async () => {
  const portal = await newPortal(at);
  const put = (body: object) => at.call<Portal>('PUT', `/v1/portals/${portal.id}`, { headers: key(), body });
  clockOffset += 5;
  const first = await put({ message: 'first', expected_updated_at: portal.updated_at });
  expect(first.status).toBe(200);
  expect(await put({ message: 'second', expected_updated_at: portal.updated_at })).toMatchObject(saying(409, 'changed meanwhile'));
  expect((await put({ name: 'Third', expected_updated_at: first.body.updated_at })).body).toMatchObject({
    message: 'first',
    name: 'Third',
  });
});

describe('an instant Portal', () => {
  it('takes uploads at once, and tells whoever made it', async () => {
    const { id, owner } = await team();
    const make = (body: object) => at.call<Portal>('POST', `/v1/teams/${id}/portals/instant`, { headers: as(owner), body });
    const { status, body } = await make({});
    expect([status, body]).toMatchObject([201, { name: 'Harbour & Söhne', active: true, recipients: [owner.email] }]);
    expect(body.subdomain).toMatch(/^harbour-sohne-[a-z2-9]{5}$/);
    expect((await askPortalPackage(at, body.id)).status).toBe(201);
    const named = await make({ name: 'Dailies '.repeat(30).trim(), recipients: ['post@example.com'] });
    expect(named.body).toMatchObject({ recipients: ['post@example.com'] });
    expect(named.body.subdomain.length).toBeLessThanOrEqual(53);
  });
});

describe('people who are asked for files', () => {
  const ask = (who: TestUser, portalId: string, body: object, headers = {}) =>
    at.call('POST', `/v1/portals/${portalId}/requests`, { headers: { ...as(who), ...headers }, body });
  const mailsTo = (email: string) => at.service.services.db.selectFrom('messages').selectAll().where('recipient', '=', email).execute();
  const portalOf = async (id: string, owner: TestUser, fields = {}) =>
    (
      await at.call<Portal>('POST', `/v1/teams/${id}/portals`, {
        headers: as(owner),
        body: { name: 'Northlight <b>', subdomain: `p-${newId()}`, active: true, ...fields },
      })
    ).body;

  it('get a mail with the address and the message, and without the access code', async () => {
    const { id, owner } = await team();
    const portal = await portalOf(id, owner, { access_code: 'blue hour', primary_color: '#7a2e8f' });
    const [email, other] = [fresh(), fresh()];
    const asked = await ask(
      owner,
      portal.id,
      { recipients: [email, other, email.toUpperCase()], message: 'The cards\nof day 12, please.' },
      { 'accept-language': 'de' },
    );
    expect([asked.status, asked.body]).toMatchObject([201, { recipients: [email, other] }]);
    const [message] = await mailsTo(email);
    const folder = join(at.dataDir, 'outbox');
    await eventually('a letter', async () => (await readdir(folder).catch((): string[] => [])).includes(`${message!.id}.eml`));
    const raw = await readFile(join(folder, `${message!.id}.eml`), 'utf8');
    const letter = parseMail(raw);
    expect(letter.text).toContain(`${at.url}/p/${portal.subdomain}`);
    expect(letter.text).toContain('of day 12, please.');
    expect(letter.text).toContain('bittet Sie um Dateien');
    expect(JSON.stringify(letter)).not.toContain('blue hour');
    expect(letter.html).not.toContain('<b>');
    expect(raw).toMatch(new RegExp(`reply-to: .*${owner.email}`, 'i'));
  });

  it('get a limited number of requests', async () => {
    const { id, owner } = await team();
    const email = fresh();
    for (let mail = 0; mail < limits.portalRequestsPerAddressAndDay.fromOneTeam; mail++) {
      // A Portal that is deleted gives none back.
      const portal = await portalOf(id, owner);
      expect((await ask(owner, portal.id, { recipients: [email] })).status).toBe(201);
      await at.call('DELETE', `/v1/portals/${portal.id}`, { headers: as(owner) });
    }
    const portal = await portalOf(id, owner);
    const nobody = fresh();
    expect((await ask(owner, portal.id, { recipients: [nobody, email.toUpperCase()] })).status).toBe(429);
    expect(await mailsTo(nobody)).toEqual([]);
    clockOffset += 25 * 3_600_000;
    const later = await team();
    const open = await portalOf(later.id, later.owner);
    expect((await ask(later.owner, open.id, { recipients: [email] })).status).toBe(201);
  });

  it('are not asked for a closed Portal, nor by a crowd at once', async () => {
    const { id, owner } = await team();
    const closed = await portalOf(id, owner, { active: false });
    expect((await ask(owner, closed.id, { recipients: [fresh()] })).status).toBe(403);
    const open = await portalOf(id, owner);
    expect((await ask(owner, open.id, { recipients: Array.from({ length: 51 }, fresh) })).status).toBe(400);
    expect((await ask(owner, open.id, { recipients: [] })).status).toBe(400);
  });
});

describe("a form's answers", () => {
  const answersOf = (portalId: string, who: Readonly<Record<string, string>> = key(), more = '') =>
    at.call<{ metadata: { total: number }; records: { package_name: string; values: object }[]; next: string }>(
      'GET',
      `/v1/portals/${portalId}/form/responses?limit=2${more}`,
      { headers: who },
    );
  const csvOf = async (portalId: string, who: Readonly<Record<string, string>> = key()) =>
    await (await fetch(`${at.url}/v1/portals/${portalId}/form/responses/csv`, { headers: who })).text();

  it('are a list and a table, with 40 fields and what a spreadsheet would run', async () => {
    const portal = await newPortal(at);
    const fields = Array.from({ length: 40 }, (_, n) => formField(`f${n}`, { label: n === 0 ? '=cmd|calc' : `Field ${n}`, position: n }));
    await askForm(at, portal.id, { fields: [...fields, formField('cards', { type: 'checkbox', options: ['A', 'B'], position: 41 })] });
    for (const name of ['One', 'Two', 'Three']) {
      const { body } = await askResponse(at, portal.id, {
        f0: { value: '=1+1' },
        f39: { value: `of "${name}"` },
        cards: { value: ['A', 'B'] },
      });
      expect((await askPortalPackage(at, portal.id, { name, form_data_id: body.id })).status).toBe(201);
    }
    // Answered, and not sent: it is nobody's yet.
    await askResponse(at, portal.id, {});
    const { body } = await answersOf(portal.id);
    expect(body.metadata.total).toBe(3);
    expect(body.records.map((one) => one.package_name)).toEqual(['Three', 'Two']);
    expect(body.records[0]!.values).toMatchObject({ f0: { value: '=1+1' } });
    // By where the page before ended, whatever comes meanwhile.
    expect((await askPortalPackage(at, portal.id, { form_data_id: (await askResponse(at, portal.id, {})).body.id })).status).toBe(201);
    const rest = (await answersOf(portal.id, key(), `&after=${body.next}`)).body;
    expect((await answersOf(portal.id, key(), '&count_up_to=3')).body.metadata).toEqual({ total: 3, at_least: true });
    expect(rest).toMatchObject({ metadata: { total: 4 }, records: [{ package_name: 'One' }], next: '' });
    expect((await answersOf(portal.id, key(), '&page=2&after=')).body.records[1]).toMatchObject({ package_name: 'One' });
    for (const after of ['x', Buffer.from('["now","x"]').toString('base64url')]) {
      const refused = await answersOf(portal.id, key(), `&after=${after}`);
      expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('after') } });
    }
    const lines = (await csvOf(portal.id)).replace('\uFEFF', '').trimEnd().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^package_id,package_name,sender,created_at,'=cmd\|calc,Field 1,.*,Field 39,cards$/);
    expect(lines[2]).toMatch(/,Three,mia@example\.com,[^,]+,'=1\+1,,.*,"of ""Three""",A; B$/);
  });

  it('of a private Portal are for its access list', async () => {
    const { id, owner } = await team();
    const admin = await addUser(at, 'admin', id);
    const fields = { name: 'P', subdomain: `p-${newId()}`, active: true, access_level: 'private', access_list: [admin.userId] };
    const { body: portal } = await at.call<Portal>('POST', `/v1/teams/${id}/portals`, { headers: as(owner), body: fields });
    await at.call('POST', `/v1/portals/${portal.id}/form`, {
      headers: as(owner),
      body: { name: 'F', delivery_formats: ['json'], fields: [formField('secret')] },
    });
    const { body } = await askResponse(at, portal.id, { secret: { value: 'hush' } });
    await askPortalPackage(at, portal.id, { form_data_id: body.id });
    expect((await answersOf(portal.id, as(owner))).body.metadata.total).toBe(0);
    expect(await csvOf(portal.id, as(owner))).not.toContain('hush');
    expect((await answersOf(portal.id, as(admin))).body.metadata.total).toBe(1);
    expect(await csvOf(portal.id, as(admin))).toContain('hush');
  });
});
