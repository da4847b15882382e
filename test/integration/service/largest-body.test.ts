import { afterAll, beforeAll, expect, it } from 'vitest';
import { askPortalPackage, newPortal } from '#test/support/service/portals.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

const MB = 1_000_000;
let t: TestService;
beforeAll(async () => {
  t = await startTestService({ storageMaxBody: 20 * MB });
});
afterAll(() => t?.close());

const refused = { status: 400, body: { message: expect.stringContaining(`no larger body than ${20 * MB} bytes`) } };

it('says the largest body that the front lets through, and lets no chunk be larger', async () => {
  expect((await t.call('GET', '/v1/system/packages/spec')).body).toMatchObject({ max_chunk_size: 20 * MB, storage_max_body: 20 * MB });
  const sender = await newSender(t);
  expect(await sender.create({ name: 'a.mov', size: 5, chunk_size: 20 * MB + 1 })).toMatchObject(refused);
  expect(await sender.create({ name: 'a.mov', size: 200 * MB })).toMatchObject({ status: 201, body: { file: { chunk_size: 20 * MB } } });
});

it('refuses a package whose chunks would be larger, a Portal’s too', async () => {
  const body = { name: 'Dailies', description: '', recipients: [], chunk_size: 21 * MB };
  const headers = { 'x-api-key': t.apiKey };
  expect(await t.call('POST', `/v1/teams/${t.teamId}/packages`, { headers, body })).toMatchObject(refused);
  const portal = await newPortal(t);
  expect(await askPortalPackage(t, portal.id, { chunk_size: 21 * MB })).toMatchObject(refused);
});
