import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { CreatedWebhook, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { inAll } from '#test/support/level.ts';
import { tellOfJobs } from '#test/support/service/jobs.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { senderOf } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { startServiceProcess } from '#test/support/service/start-service-process.ts';
import { shareSecret } from '#test/support/service/two-services.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A database and two data folders with the same secret, where a service has been before. */
async function startDatabase() {
  const folder = await tempFolder();
  cleanups.push(folder.remove);
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  const { url, close } = await startedTestDatabase(first);
  cleanups.push(close);
  await shareSecret(first, second);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanups.push(() => client.end());
  return { url, client, folders: [first, second] as const };
}

async function startProcess(options: Parameters<typeof startServiceProcess>[0]) {
  const started = await startServiceProcess({ owner: usualOwner, allowPrivateWebhooks: true, ...options });
  cleanups.push(started.kill);
  return started;
}

async function signedIn(url: string) {
  const call = callAt(url);
  const { body } = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
  return { call, teamId: body.teams[0]!.id, headers: { 'x-user-token': body.token } };
}

/**
 * Lets no time pass that only clocks would: the jobs of a process that is gone count as long unheard of, which the
 * others find at their next look (within a minute; here somebody looks at once) and do at their next chance.
 */
async function passTime({ url, client }: Awaited<ReturnType<typeof startDatabase>>, job: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: 'jobs', schedule: false, supervise: false });
  boss.on('error', () => undefined);
  await boss.start();
  await client.query(
    `update jobs.job set started_on = started_on - interval '1 day', heartbeat_on = heartbeat_on - interval '1 day'
     where name = $1 and state = 'active'`,
    [job],
  );
  await client.query('update jobs.queue set monitor_claim_on = null, monitor_on = null where name = $1', [job]);
  await boss.supervise(job);
  await boss.stop();
  const { rowCount } = await client.query(`update jobs.job set start_after = now() where name = $1 and state = 'retry'`, [job]);
  expect(rowCount).toBe(1);
  await client.query(tellOfJobs, [job]);
}

const jobsLeft = async ({ client }: { readonly client: pg.Client }, job: string): Promise<number> => {
  const { rows } = await client.query(`select count(*)::int as left from jobs.job where name = $1 and state <> 'completed'`, [job]);
  return rows[0].left as number;
};

describe('of two services on one database, one killed by kill -9', { timeout: 180_000 }, () => {
  it('amid a webhook leaves it to the other: the receiver gets the event again, under the same id', async () => {
    const database = await startDatabase();
    const [first, second] = database.folders;
    const heard: { readonly headers: Record<string, string>; readonly text: string }[] = [];
    const reached = Promise.withResolvers<void>();
    const receiver = await startHttpServer(async (request, response) => {
      heard.push({ text: (await bodyOf(request)).toString(), headers: request.headers as Record<string, string> });
      // The first attempt waits for an answer when its process is killed.
      if (heard.length > 1) response.writeHead(200).end();
      else reached.resolve();
    });
    cleanups.push(receiver.close);

    const victim = await startProcess({ dataDir: first, databaseUrl: database.url });
    const { call, teamId, headers } = await signedIn(victim.url);
    const webhook = await call<CreatedWebhook>('POST', `/v1/teams/${teamId}/custom_webhooks`, {
      headers,
      body: { active: true, events: ['package.created'], method: 'POST', url: receiver.url },
    });
    const portal = await call<Portal>('POST', `/v1/teams/${teamId}/portals`, {
      headers,
      body: { name: 'Dailies', subdomain: 'dailies', active: true, custom_webhooks: [{ id: webhook.body.id }] },
    });
    const made = await call<Package>('POST', `/v1/portals/${portal.body.id}/packages`, {
      body: { name: 'Day 1', description: '', sender: 'mia@example.com' },
    });
    expect(made.status).toBe(201);
    await reached.promise;
    const survivor = await startProcess({ dataDir: second, databaseUrl: database.url });
    expect(heard).toHaveLength(1);
    await victim.kill();
    await passTime(database, 'webhooks.deliver');

    const other = await signedIn(survivor.url);
    const deliveries = async () =>
      (await other.call<WebhookDelivery[]>('GET', `/v1/custom_webhooks/${webhook.body.id}/deliveries`, { headers: other.headers })).body;
    await eventually('it is delivered', async () => (await deliveries()).length > 0);
    expect(await deliveries()).toMatchObject([{ attempt: 1, state: 'delivered', status: 200 }]);
    expect(heard.map(({ headers: sent }) => sent['webhook-id'])).toEqual([
      heard[0]!.headers['webhook-id'],
      heard[0]!.headers['webhook-id'],
    ]);
    for (const { text, headers: sent } of heard) {
      expect((new Verifier(webhook.body.secret).verify(text, sent) as WebhookPayload).object.id).toBe(made.body.id);
    }
    await eventually('no job is left', async () => (await jobsLeft(database, 'webhooks.deliver')) === 0);
    await survivor.stop();
  });

  it.skipIf(!hasSwift())(
    'amid the freeing of a package leaves the rest to the other: all bytes are gone from the storage',
    inAll('the same kill amid a webhook; freeing by service/package-jobs'),
    async () => {
      const swift = await newSwiftBucket();
      const storage = new URL(swift.url);
      const database = await startDatabase();
      const [first, second] = database.folders;
      let deleted = 0;
      const reached = Promise.withResolvers<void>();
      /** Stands between the first service and the storage, and keeps the fourth deletion from it. */
      const between = await startHttpServer((request, response) => {
        if (request.method === 'DELETE' && ++deleted > 3) return void reached.resolve();
        const { method, url: path, headers } = request;
        const onward = httpRequest({ host: storage.hostname, port: storage.port, method, path, headers, agent: false }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        request.pipe(onward);
      });
      cleanups.push(between.close);

      const detour = new URL(swift.url);
      detour.host = new URL(between.url).host;
      const victim = await startProcess({ dataDir: first, databaseUrl: database.url, storageUrl: detour.href });
      const { call, teamId, headers } = await signedIn(victim.url);
      const made = await call<Package>('POST', `/v1/teams/${teamId}/packages`, {
        headers,
        body: { name: 'Day 1', description: '', recipients: [] },
      });
      const token = { 'x-package-token': made.body.access_token };
      const sender = senderOf({ call }, made.body, token);
      const names = Array.from({ length: 8 }, (_, n) => `${n}.mov`);
      for (const name of names) await sender.send('', name, Buffer.from(name));
      expect((await sender.finalize()).status).toBe(204);
      expect((await swift.stored()).length).toBeGreaterThanOrEqual(names.length);

      expect((await call('DELETE', `/v1/packages/${made.body.id}`, { headers: token })).status).toBe(204);
      await reached.promise;
      const survivor = await startProcess({ dataDir: second, databaseUrl: database.url, storageUrl: swift.url });
      expect((await swift.stored()).length).toBeGreaterThan(0);
      await victim.kill();
      await passTime(database, 'packages.free');
      const freed = async () => {
        const { rows } = await database.client.query('select free_asked_at from packages where id = $1', [made.body.id]);
        return rows[0].free_asked_at === null;
      };
      await eventually('the other has freed it', freed);
      expect(await swift.stored()).toEqual([]);
      expect((await database.client.query('select 1 from files where package_id = $1', [made.body.id])).rowCount).toBe(0);
      await eventually('no job is left', async () => (await jobsLeft(database, 'packages.free')) === 0);
      expect((await callAt(survivor.url)<Package>('GET', `/v1/packages/${made.body.id}`, { headers: token })).body.state).toBe('expired');
      await survivor.stop();
    },
  );
});
