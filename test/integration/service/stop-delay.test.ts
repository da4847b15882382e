import { expect, it } from 'vitest';
import { startTestService } from '#test/support/service/start-service.ts';

it('takes calls for a while when it is to stop, and is not ready any more', async () => {
  const t = await startTestService({ stopDelaySeconds: 3_600, processes: 1 });
  try {
    expect((await t.call('GET', '/readyz')).status).toBe(200);
    const stopped = t.stop();
    expect(await t.call('GET', '/readyz')).toMatchObject({ status: 503, body: { checks: { stop: { status: 'failed' } } } });
    expect((await t.call('GET', '/healthz')).status).toBe(200);
    expect((await t.call('GET', `/v1/teams/${t.teamId}/packages`, { headers: { 'x-api-key': t.apiKey } })).status).toBe(200);
    // Whoever asks again does not wait.
    await t.service.close();
    await stopped;
    await expect(t.call('GET', '/healthz')).rejects.toThrow();
  } finally {
    await t.close();
  }
});
