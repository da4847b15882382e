import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Image } from '#protocol/hosted/images.ts';
import type { MailPreview } from '#protocol/hosted/mail-preview.ts';
import { newId } from '#service/ids.ts';
import { png } from '#test/support/service/images.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const headers = () => ({ 'x-api-key': t.apiKey });
const preview = (body: object) =>
  t.call<MailPreview & { message: string }>('POST', `/v1/teams/${t.teamId}/mail_preview`, { headers: headers(), body });

it('shows the settings that are given, and those of the Team where none are; saves and mails nothing', async () => {
  const { db } = t.service.services;
  const [team] = await db.selectFrom('teams').selectAll().where('id', '=', t.teamId).execute();
  const { name } = team!;
  const plain = await preview({ kind: 'link', language: 'en' });
  expect(plain.status).toBe(200);
  expect(plain.body.subject).toContain('Dailies, day 12');
  expect(plain.body.text).toContain(name);
  expect(plain.body.html).toContain('background:#1d5fbf');

  const image = await t.call<Image>('POST', `/v1/teams/${t.teamId}/images`, {
    headers: headers(),
    body: { data: png({ width: 64, height: 16 }).toString('base64') },
  });
  const { body } = await preview({
    ...{ kind: 'portal', language: 'de', name: '<b>Nordlicht</b>', primary_color: '#0b6b74', logo_url: image.body.url },
    ...{ imprint_url: 'https://example.com/impressum', privacy_url: '' },
  });
  expect(body.subject).toContain('Muster, Drehtag 12');
  expect(body.html).toContain(`src="${image.body.url}"`);
  expect(body.html).toContain('#0b6b74');
  expect(body.html).toContain('href="https://example.com/impressum"');
  expect(body.html).not.toContain('<b>Nordlicht');
  expect(body.text).toContain('Impressum: https://example.com/impressum');

  const invitation = await preview({ kind: 'invitation', language: 'en', name: 'Northlight' });
  expect(invitation.body.subject).toMatch(/invites you to the Team Northlight$/);

  expect(await db.selectFrom('teams').selectAll().where('id', '=', t.teamId).execute()).toEqual([team]);
  expect(await db.selectFrom('messages').select('id').execute()).toEqual([]);
});

it.each([
  ['receipt', 'You sent “Dailies, day 12”'],
  ['code', 'Your code for “Dailies, day 12”'],
  ['downloaded', 'jonas@example.com downloaded “Dailies, day 12”'],
  ['expires', '“Dailies, day 12” expires tomorrow'],
  ['failed', 'Something about “Dailies, day 12” failed'],
  ['request', 'asks you for files: Northlight'],
])('shows a mail of the kind %s', async (kind, subject) => {
  const { body } = await preview({ kind, language: 'en', name: 'Northlight', primary_color: '#0b6b74' });
  expect(body.subject).toContain(subject);
  expect(body.html).toContain('#0b6b74');
  expect(body.text).toContain('Northlight');
});

it('shows the mails of a Portal, in its own branding and else in that of the Team', async () => {
  const { db } = t.service.services;
  await db
    .updateTable('teams')
    .set({ primary_color: '#aa5500', imprint_url: 'https://example.com/imprint' })
    .where('id', '=', t.teamId)
    .execute();
  const portal = await newPortal(t, { name: 'Dailies in' });
  const show = (body: object) =>
    t.call<MailPreview & { message: string }>('POST', `/v1/portals/${portal.id}/mail_preview`, { headers: headers(), body });
  const plain = (await show({ kind: 'portal', language: 'en' })).body;
  expect(plain.text).toContain('Dailies in');
  expect(plain.html).toContain('#aa5500');
  expect(plain.text).toContain('https://example.com/imprint');
  const image = await t.call<Image>('POST', `/v1/teams/${t.teamId}/images`, {
    headers: headers(),
    body: { data: png({ width: 64, height: 16 }).toString('base64') },
  });
  const dressed = { name: '<i>Muster</i>', primary_color: '#0b6b74', logo_url: image.body.url };
  for (const kind of ['portal', 'request', 'receipt', 'code', 'downloaded', 'expires', 'failed']) {
    const { status, body } = await show({ kind, language: 'de', ...dressed });
    expect([kind, status]).toEqual([kind, 200]);
    expect(body.html).toContain(`src="${image.body.url}"`);
    expect(body.html).toContain('#0b6b74');
    expect(body.html).not.toContain('<i>Muster');
  }
  expect(await show({ kind: 'link', language: 'en' })).toMatchObject({ status: 400, body: { message: expect.stringContaining('kind') } });
  expect((await show({ kind: 'portal', language: 'en', logo_url: `${t.url}/images/${newId()}` })).status).toBe(404);
  const { name } = await db.selectFrom('portals').select('name').where('id', '=', portal.id).executeTakeFirstOrThrow();
  expect(name).toBe('Dailies in');
});

it('refuses what the settings refuse', async () => {
  const refused = async (body: object) => {
    const answer = await preview({ kind: 'link', language: 'en', ...body });
    return [answer.status, answer.body.message];
  };
  expect(await refused({ imprint_url: 'javascript:alert(1)' })).toEqual([
    400,
    'imprint_url: it must be an http or https address, such as https://example.com/, or empty.',
  ]);
  expect(await refused({ primary_color: 'red' })).toMatchObject([400, expect.stringContaining('primary_color')]);
  expect(await refused({ logo_url: `${t.url}/images/${newId()}` })).toMatchObject([404, expect.stringContaining('logo_url')]);
  expect(await refused({ language: 'fr' })).toMatchObject([400, expect.stringContaining('language')]);
  expect(await refused({ kind: 'other' })).toMatchObject([400, expect.stringContaining('kind')]);
});

it('is shown in a document that runs nothing and that only our own pages frame', async () => {
  const frame = await fetch(`${t.url}/mail-frame`);
  const policy = frame.headers.get('content-security-policy');
  expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; img-src 'self';/);
  expect(policy).toContain("frame-ancestors 'self'; sandbox allow-same-origin");
  expect(policy).not.toContain('script');
});
