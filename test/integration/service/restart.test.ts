import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiKey } from '#protocol/hosted/accounts.ts';
import { type RunningService, startService } from '#service/server.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';

interface Queue {
  readonly name: string;
  readonly updated_on: Date;
  readonly settings: unknown;
}
interface Schedule {
  readonly name: string;
  readonly updated_on: Date;
  readonly cron: string;
  readonly timezone: string;
}

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ privateDatabase: true });
});
afterAll(() => at?.close());

/** How each kind of job is treated, and when; with the moment of the last change, which is a row's own. */
async function queuesOf({ services }: RunningService) {
  const { rows: queues } = await sql<Queue>`
    select name, updated_on, to_jsonb(q) - '{created_on,updated_on,monitor_on,maintain_on}'::text[] as settings from jobs.queue q`.execute(
    services.db,
  );
  const { rows: schedules } = await sql<Schedule>`select name, updated_on, cron, timezone from jobs.schedule`.execute(services.db);
  const byName = <T extends { readonly name: string }>(rows: readonly T[]) => Object.fromEntries(rows.map((row) => [row.name, row]));
  return { queues: byName(queues), schedules: byName(schedules) };
}

it('keeps keys, tokens and the last use of a key over a restart, and mends what jobs are to be like', async () => {
  const before = await queuesOf(at.service);
  // As an earlier version had them, or none of them.
  for (const statement of [
    sql`update jobs.queue set retry_limit = retry_limit + 1 where name = 'mail.send'`,
    sql`update jobs.schedule set cron = '0 0 * * *' where name = 'quotas.tell'`,
    sql`delete from jobs.schedule where name = 'audit.chain'`,
    sql`select jobs.delete_queue('webhooks.sweep')`,
  ])
    await statement.execute(at.service.services.db);
  const used = await at.call('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } });
  expect(used.status).toBe(200);
  await at.stop();
  const again = await startService({ listen: { host: '127.0.0.1', port: 0 }, dataDir: at.dataDir, logLevel: 'error' });
  try {
    const after = await queuesOf(again);
    const facts = ({ queues, schedules }: typeof after) => ({
      queues: Object.values(queues)
        .map(({ name, settings }) => [name, settings])
        .sort(),
      schedules: Object.values(schedules)
        .map(({ name, cron, timezone }) => [name, cron, timezone])
        .sort(),
    });
    expect(facts(after)).toEqual(facts(before));
    const changed = (of: 'queues' | 'schedules') =>
      Object.keys(after[of]).filter((name) => after[of][name]!.updated_on.getTime() !== before[of][name]!.updated_on.getTime());
    expect(changed('queues').sort()).toEqual(['mail.send', 'webhooks.sweep']);
    expect(changed('schedules').sort()).toEqual(['audit.chain', 'quotas.tell', 'webhooks.sweep']);
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
