import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '#protocol/example.ts';
import type { Link } from '#protocol/hosted/links.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { asJsonSchema } from '#protocol/json-schema.ts';
import type { Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { askForm, askPortalPackage, askResponse, formField, newPortal } from '#test/support/service/portals.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Every name that somebody can give, in the call that gives it: nobody can see a blank one, nor what turns its text. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const routes = (Object.entries(hostedRoutes) as [HostedRouteName, Route][]).filter(
  ([name, { body }]) => body && 'name' in (asJsonSchema(body).properties ?? {}) && name !== 'createFile',
);
/** Of somebody who has opened a link to its package. */
async function readToken(sender: Sender): Promise<Record<string, string>> {
  // As many as the example of a choice names.
  for (let number = 0; number < 5; number++) await sender.send('', `${number}.txt`, Buffer.from('hello'));
  await sender.finalize();
  const { body: link } = await t.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body: {} });
  return { 'x-package-token': (await openLink(t, link)).body.package_token };
}

const blanks = [' ', '\t', '\u00a0', '\u3000', '\u200b', '\ufeff\u2060', '\u3164'];
const turning = ['a\u202egpj.exe', '\u200fDay 12', 'Day\u2066 12'];
const naming = (field: string) => ({ status: 400, body: { message: expect.stringContaining(field) } });

describe('a name of a body', () => {
  it('is in all the calls that one expects', () => {
    expect(routes.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'createTeamPackage',
        'createPortalPackage',
        'updatePackage',
        'createPortal',
        'createTeamspace',
        'createTag',
        'createForm',
      ]),
    );
  });

  it.each(routes)('of %s has something to see and turns nothing', async (_, route) => {
    const credential = route.credentials.find((kind) => ['user', 'package:manage', 'package:read', 'none'].includes(kind));
    const sender = credential?.startsWith('package:') ? await newSender(t) : null;
    const headers = !sender ? { 'x-user-token': t.userToken } : credential === 'package:read' ? await readToken(sender) : sender.token;
    const path = route.path
      .replace('{team_id}', t.teamId)
      .replace('{package_id}', sender?.package.id ?? newId())
      .replace(/\{\w+\}/g, newId());
    const body = { ...((route.example ?? exampleOf(asJsonSchema(route.body!))) as object) };
    for (const name of [...blanks, ...turning]) {
      const answer = await t.call<{ message: string }>(route.method, path, { headers, body: { ...body, name } });
      expect(answer, `${route.path} ${JSON.stringify(name)}`).toMatchObject(naming('The field name must have something to see'));
    }
  });
});

describe('names beside those', () => {
  it('of files and folders, alone and in a batch', async () => {
    const sender = await newSender(t);
    for (const name of [...blanks, ...turning]) {
      for (const kind of ['file', 'directory'])
        expect(await sender.create({ kind, name, size: 1 }), JSON.stringify(name)).toMatchObject(naming('name: '));
      expect(await sender.create({ path: `camera/${name}`, name: 'a.mov', size: 1 })).toMatchObject(naming('path: '));
    }
    const files = [...blanks, ...turning, 'a.mov'].map((name) => ({ kind: 'file', path: '', name, size: 1, last_modified: sampleTime }));
    const batch = await t.call<{ files: { error?: object }[] }>('POST', `/v1/packages/${sender.package.id}/files/batch`, {
      headers: sender.token,
      body: { files },
    });
    expect(batch.body.files.map(({ error }) => error !== undefined)).toEqual([...Array(files.length - 1).fill(true), false]);
  });

  it("of a form's fields, and of the package that an answer names", async () => {
    const portal = await newPortal(t);
    for (const text of [...blanks, ...turning]) {
      expect(await askForm(t, portal.id, { fields: [formField('x'), formField(text, { label: 'x' })] })).toMatchObject(
        naming('fields[1].name'),
      );
      expect(await askForm(t, portal.id, { fields: [formField('x', { label: text })] })).toMatchObject(naming('fields[0].label'));
    }
    expect((await askForm(t, portal.id, { fields: [formField('title', { type: 'package_name' })] })).status).toBe(201);
    const answered = await askResponse(t, portal.id, { title: { value: turning[0] } });
    expect(await askPortalPackage(t, portal.id, { form_data_id: answered.body.id })).toMatchObject(naming('form_data_id: '));
  });

  it('that look like it are taken: emoji, right-to-left scripts, blanks between', async () => {
    for (const name of ['👩‍👩‍👧', 'שלום', 'Day  12', ' x ', '日本語']) expect((await newSender(t, { name })).package.name).toBe(name);
  });
});
