import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { EventParser } from '#client/server-sent-events.ts';
import type { ConnectionCheck, ConnectionCheckEvent } from '#protocol/hosted/connections.ts';
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

/** Watches a check, and holds it before it lists until `release` is called. */
async function watched(signal?: AbortSignal) {
  const listing = Promise.withResolvers<void>();
  clouds.before = (call, _request, stopped) => {
    if (call !== 'list' || !clouds.cloud.files.size) return Promise.resolve();
    return Promise.race([
      listing.promise,
      new Promise<void>((_, reject) => stopped.addEventListener('abort', () => reject(stopped.reason))),
    ]);
  };
  const id = await putConnection(t, { target_directory_id: 'in' });
  const response = await fetch(`${t.url}/v1/cloud_connections/${id}/validate/events`, {
    method: 'POST',
    headers: { 'x-api-key': t.apiKey },
    ...(signal && { signal }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const parser = new EventParser();
  const events = (async function* () {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      for (const { data } of parser.push(piece)) yield JSON.parse(data) as ConnectionCheckEvent;
    }
  })();
  const first = [(await events.next()).value, (await events.next()).value, (await events.next()).value];
  expect(first).toEqual([
    { type: 'step_began', folder: 'in', step: 'put' },
    { type: 'step_ended', folder: 'in', step: 'put', ok: true, message: '' },
    { type: 'step_began', folder: 'in', step: 'list' },
  ]);
  return { events, release: listing.resolve };
}

it('steps are told while the check runs, and the last message is what the other call answers', async () => {
  const { events, release } = await watched();
  release();
  const rest = await Array.fromAsync(events);
  const steps = ['put', 'list', 'get', 'abort', 'delete'].map((step) => ({ step, ok: true, message: '' }));
  expect(rest.filter(({ type }) => type === 'step_ended')).toEqual(
    steps.slice(1).map((step) => ({ type: 'step_ended', folder: 'in', ...step })),
  );
  expect(rest.at(-1)).toEqual({ type: 'ended', check: { ok: true, steps, notes: [] } });
});

it('a check ends when whoever watches it leaves, and takes away what it wrote', async () => {
  const leaving = new AbortController();
  await watched(leaving.signal);
  expect(clouds.cloud.files.size).toBe(1);
  leaving.abort();
  await expect.poll(() => clouds.cloud.files.size).toBe(0);
});
