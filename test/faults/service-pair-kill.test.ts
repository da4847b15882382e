import { request as httpRequest } from 'node:http';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { CreatedWebhook, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { inAll } from '#test/support/level.ts';
import { senderOf } from '#test/support/service/sender.ts';
import { jobsLeft, passTime, signedIn, startOfPair, startPairDatabase } from '#test/support/service/service-pair.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';

describe('of two services on one database, one killed by kill -9', { timeout: 180_000 }, () => {
  it('amid a webhook leaves it to the other: the receiver gets the event again, under the same id', async () => {
    const database = await startPairDatabase();
    const [first, second] = database.folders;
    const heard: { readonly headers: Record<string, string>; readonly text: string }[] = [];
    const reached = Promise.withResolvers<void>();
    const receiver = await startHttpServer(async (request, response) => {
      heard.push({ text: (await bodyOf(request)).toString(), headers: request.headers as Record<string, string> });
      // The first attempt waits for an answer when its process is killed.
      if (heard.length > 1) response.writeHead(200).end();
      else reached.resolve();
    });
    onTestFinished(receiver.close);

    const victim = await startOfPair({ dataDir: first, databaseUrl: database.url });
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
    const survivor = await startOfPair({ dataDir: second, databaseUrl: database.url });
    expect(heard).toHaveLength(1);
    await victim.kill();
    expect(await passTime(database, 'webhooks.deliver')).toBe(1);

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

  it(
    'amid the recording of many webhooks: each is delivered, those that were recorded once only, and none stays under way',
    inAll('the same kill amid one webhook; many at once by service/webhooks-shared'),
    async () => {
      const database = await startPairDatabase();
      const [first, second] = database.folders;
      const [packages, webhooks] = [60, 2];
      const all = packages * webhooks;
      const answeredAtOnce = 30;
      /** By the webhook's path and the event. */
      const heard = new Map<string, number>();
      const open = Promise.withResolvers<void>();
      const held = new Set<string>();
      const receiver = await startHttpServer(async (request, response) => {
        await bodyOf(request);
        const key = `${request.url} ${request.headers['webhook-id']}`;
        heard.set(key, (heard.get(key) ?? 0) + 1);
        if (heard.size > answeredAtOnce) {
          held.add(key);
          await open.promise;
        }
        response.writeHead(200).end();
      });
      onTestFinished(receiver.close);

      const victim = await startOfPair({ dataDir: first, databaseUrl: database.url });
      const { call, teamId, headers } = await signedIn(victim.url);
      const paths = new Map<string, string>();
      for (let nth = 0; nth < webhooks; nth += 1) {
        const body = { active: true, events: ['package.created'], method: 'POST', url: `${receiver.url}/${nth}` };
        const { id } = (await call<CreatedWebhook>('POST', `/v1/teams/${teamId}/custom_webhooks`, { headers, body })).body;
        paths.set(id, `/${nth}`);
      }
      const portal = await call<Portal>('POST', `/v1/teams/${teamId}/portals`, {
        headers,
        body: { name: 'Dailies', subdomain: 'dailies', active: true, custom_webhooks: [...paths.keys()].map((id) => ({ id })) },
      });
      const made = Array.from({ length: packages }, (_, nth) =>
        call<Package>('POST', `/v1/portals/${portal.body.id}/packages`, {
          body: { name: `Day ${nth}`, description: '', sender: 'mia@example.com' },
        }),
      );
      expect((await Promise.all(made)).map(({ status }) => status)).toEqual(Array(packages).fill(201));

      const recorded = async (where = `state = 'delivered'`): Promise<string[]> => {
        const { rows } = await database.client.query<{ webhook_id: string; event_id: string }>(
          `select webhook_id, event_id from webhook_deliveries where ${where}`,
        );
        return rows.map(({ webhook_id, event_id }) => `${paths.get(webhook_id)} ${event_id}`);
      };
      await eventually('the first are recorded', async () => (await recorded()).length === answeredAtOnce);
      await eventually('several wait for their answer', async () => held.size >= 4);
      // The third row from now on waits for this lock, amid its statement and those of others.
      await database.client.query(`
        create sequence recorded_rows;
        create function hold_a_row() returns trigger language plpgsql as $$
          begin if nextval('recorded_rows') = 3 then perform pg_advisory_xact_lock(77); end if; return new; end $$;
        create trigger hold_a_row before insert on webhook_deliveries for each row execute function hold_a_row();
        select pg_advisory_lock(77)`);
      open.resolve();
      await eventually('a row waits', async () => {
        const { rowCount } = await database.client.query(
          `select from pg_locks where locktype = 'advisory' and objid = 77 and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        );
        return rowCount === 1;
      });
      await victim.kill();
      const before = await recorded();
      expect(before.length).toBeLessThan(all);
      // What the killed one had begun is not committed by anybody.
      await database.client.query('select pg_advisory_unlock(77)');

      const survivor = await startOfPair({ dataDir: second, databaseUrl: database.url });
      await passTime(database, 'webhooks.announce');
      expect(await passTime(database, 'webhooks.deliver')).toBeGreaterThan(1);
      await eventually('all are recorded', async () => (await recorded()).length === all);
      await eventually('no job is left', async () => {
        const left = await Promise.all((['webhooks.announce', 'webhooks.deliver'] as const).map((job) => jobsLeft(database, job)));
        return left.every((count) => count === 0);
      });
      expect(new Set(await recorded())).toEqual(new Set(heard.keys()));
      expect(heard.size).toBe(all);
      // One that waited too long for its answer has failed first.
      const attempts = Map.groupBy(await recorded('true'), (key) => key);
      expect(before.filter((key) => heard.get(key) !== attempts.get(key)!.length)).toEqual([]);
      await survivor.stop();
    },
  );

  it.skipIf(!hasSwift())(
    'amid the freeing of a package leaves the rest to the other: all bytes are gone from the storage',
    inAll('the same kill amid a webhook; freeing by service/package-jobs'),
    async () => {
      const swift = await newSwiftBucket();
      const storage = new URL(swift.url);
      const database = await startPairDatabase();
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
      onTestFinished(between.close);

      const detour = new URL(swift.url);
      detour.host = new URL(between.url).host;
      const victim = await startOfPair({ dataDir: first, databaseUrl: database.url, storageUrl: detour.href });
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
      const survivor = await startOfPair({ dataDir: second, databaseUrl: database.url, storageUrl: swift.url });
      expect((await swift.stored()).length).toBeGreaterThan(0);
      await victim.kill();
      expect(await passTime(database, 'packages.free')).toBe(1);
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
