import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConnectionCheck } from '#protocol/hosted/connections.ts';
import { ProviderError } from '#providers/errors.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { putConnection } from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

/** A policy that allows what lies below these folders, and no look at anything else. */
function allow(...folders: readonly string[]): void {
  clouds.before = async (_call, request) => {
    const { path, folder, id } = request as { path?: string; folder?: string; id?: string };
    const place = path ?? folder ?? id;
    if (place === undefined || folders.some((one) => place === one || place.startsWith(`${one}/`))) return;
    throw new ProviderError('forbidden', 'The storage does not allow this.');
  };
}

async function validate(target: string): Promise<ConnectionCheck & { readonly state: string }> {
  const id = await putConnection(t, { target_directory_id: target });
  const headers = { 'x-api-key': t.apiKey };
  const { body } = await t.call<ConnectionCheck>('POST', `/v1/cloud_connections/${id}/validate`, { headers });
  const { body: connection } = await t.call<{ state: string }>('GET', `/v1/cloud_connections/${id}`, { headers });
  expect(clouds.cloud.files.size).toBe(0);
  return { ...body, state: connection.state };
}

it.each([
  ['', ['Portal Downloads', 'Longshore'], []],
  ['', ['Portal Downloads'], ['Nothing can be delivered to Longshore/. The storage does not allow this.']],
  ['', ['Longshore'], ['Nothing can be delivered to Portal Downloads/. The storage does not allow this.']],
  ['in/{portal}/{package}', ['in'], []],
])('deliveries to %j are validated where they land: a policy for %j is enough', async (target, folders, notes) => {
  allow(...folders);
  expect(await validate(target)).toMatchObject({ ok: true, notes, state: 'ok' });
});

it('a policy for another folder is not', async () => {
  allow('elsewhere');
  const { ok, steps, state } = await validate('');
  expect([ok, steps[0], state]).toEqual([false, { step: 'put', ok: false, message: 'The storage does not allow this.' }, 'error']);
});

it('what is not about permissions is asked once', async () => {
  let asked = 0;
  clouds.before = async () => {
    asked++;
    throw new ProviderError('credentials_refused', 'The storage does not know these credentials.');
  };
  expect(await validate('')).toMatchObject({ ok: false, state: 'error' });
  expect(asked).toBe(1);
});
