import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiKey } from '#protocol/hosted/accounts.ts';
import { startService } from '#service/server.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ privateDatabase: true });
});
afterAll(() => at?.close());

it('keeps keys, tokens and the last use of a key over a restart', async () => {
  const used = await at.call('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } });
  expect(used.status).toBe(200);
  await at.stop();
  const again = await startService({ listen: { host: '127.0.0.1', port: 0 }, dataDir: at.dataDir, logLevel: 'error' });
  try {
    const call = callAt(again.url);
    const keys = await call<ApiKey[]>('GET', `/v1/teams/${at.teamId}/api_keys`, { headers: { 'x-user-token': at.userToken } });
    const age = Date.now() - new Date(keys.body[0]!.last_request_at).getTime();
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(300_000);
    expect((await call('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } })).status).toBe(200);
  } finally {
    await again.close();
  }
});
