import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ metricsListen: { host: '127.0.0.1', port: 0 }, processes: 1 });
});
afterAll(() => t?.close());

it('gives its metrics on an address of their own, without ids, and not to the world', async () => {
  const key = { headers: { 'x-api-key': t.apiKey } };
  expect((await t.call('GET', `/v1.1/teams/${t.teamId}/packages`, key)).status).toBe(200);
  const text = await (await fetch(`${t.service.metricsUrl}/metrics`)).text();
  expect(text).toContain('longshore_service_calls_total{method="GET",route="/v1.1/teams/:team_id/packages",status="200"} 1');
  expect(text).toContain('longshore_service_database_up 1');
  expect(text).toMatch(/^longshore_service_jobs\{job="mail\.send",state="queued"\} \d+$/m);
  expect(text).toContain('longshore_service_transfers{state="pending"} 0');
  expect(text).toContain('longshore_service_transfer_limit_ratio 1');
  expect(text).not.toContain(t.teamId);
  expect((await t.call('GET', '/metrics')).status).toBe(404);
});
