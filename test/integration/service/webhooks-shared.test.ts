import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { CreatedWebhook, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { hurryJobs } from '#test/support/service/jobs.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';

/** So many that working them off one by one with pauses in between would take minutes. */
const packages = 60;

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 2, logLevel: 'silent', allowPrivateWebhooks: true });
});
afterAll(() => t?.close());

describe('webhooks of two services on one database', () => {
  it('are each told of every event once, whichever service it happened at', async () => {
    const { call, teamId } = t;
    const headers = { 'x-user-token': t.userToken };

    const heard: { readonly path: string; readonly headers: Record<string, string>; readonly text: string }[] = [];
    const failed = new Set<string>();
    const receiver = await startHttpServer(async (request, response) => {
      const text = (await bodyOf(request)).toString();
      heard.push({ path: request.url!, headers: request.headers as Record<string, string>, text });
      // The first attempt at every event fails there.
      const event = request.headers['webhook-id'] as string;
      const isFirst = request.url === '/unsteady' && !failed.has(event);
      if (isFirst) failed.add(event);
      response.writeHead(isFirst ? 503 : 200).end();
    });
    const webhooks = new Map<string, CreatedWebhook>();
    for (const path of ['/steady', '/unsteady']) {
      const body = { active: true, events: ['package.created'], method: 'POST', url: receiver.url + path };
      webhooks.set(path, (await call<CreatedWebhook>('POST', `/v1/teams/${teamId}/custom_webhooks`, { headers, body })).body);
    }
    const portal = await call<Portal>('POST', `/v1/teams/${teamId}/portals`, {
      headers,
      body: { name: 'Dailies', subdomain: 'dailies', active: true, custom_webhooks: [...webhooks.values()].map(({ id }) => ({ id })) },
    });
    const made = await Promise.all(
      Array.from({ length: packages }, (_, n) =>
        // Each service has half of them.
        call<Package>('POST', `/v1/portals/${portal.body.id}/packages`, {
          body: { name: `Day ${n}`, description: '', sender: 'mia@example.com' },
        }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));

    const { db } = t.service.services;
    const count = async (state: WebhookDelivery['state']) => {
      const rows = await db.selectFrom('webhook_deliveries').select('id').where('state', '=', state).execute();
      return rows.length;
    };
    await eventually('every first attempt', async () => (await count('delivered')) + (await count('failed')) >= 2 * packages);
    // The second attempts, ahead of their time.
    await hurryJobs(db, 'webhooks.deliver');
    await eventually('every second attempt', async () => (await count('delivered')) === 2 * packages);

    expect([await count('failed'), await count('gave_up')]).toEqual([packages, 0]);
    for (const [path, attempts] of [
      ['/steady', 1],
      ['/unsteady', 2],
    ] as const) {
      const { secret } = webhooks.get(path)!;
      const requests = heard.filter((one) => one.path === path);
      expect(requests).toHaveLength(attempts * packages);
      const payloads = requests.map(({ text, headers }) => new Verifier(secret).verify(text, headers) as WebhookPayload);
      expect(new Set(payloads.map(({ event_id }) => event_id)).size).toBe(packages);
      expect(new Set(payloads.map(({ object }) => object.id))).toEqual(new Set(made.map(({ body }) => body.id)));
    }
    await receiver.close();
  });
});
