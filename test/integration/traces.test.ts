import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#engine/ports.ts';
import { openAgentTracing } from '#main/tracing.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { type OtlpCollector, startOtlpCollector } from '#test/support/system/otlp-collector.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let collector: OtlpCollector;
let service: TestService;

beforeAll(async () => {
  [folder, collector] = await Promise.all([tempFolder(), startOtlpCollector()]);
  service = await startTestService({
    processes: 1,
    storageInProcess: false,
    allowPrivateWebhooks: true,
    metricsListen: { host: '127.0.0.1', port: 0 },
    tracing: { url: collector.url, headers: 'authorization=Bearer%20of%20the%20collector', ratio: 0 },
  });
});
afterAll(async () => {
  await service?.close();
  await collector?.close();
  await folder?.remove();
});

/** Keeps the headers of each request. */
async function startReceiver() {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((asked, answer) => {
    received.push(asked.headers);
    asked.resume().on('end', () => answer.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close: () => server.close() };
}

// The service itself keeps no trace (its ratio is 0), and goes by what the agent has decided.
test('an upload and its download are one trace each, through agent, service, storage, jobs and a webhook', async () => {
  const key = { 'x-api-key': service.apiKey };
  const receiver = await startReceiver();
  const hook = { active: true, scope: 'team', events: ['package.finalized'], method: 'POST', url: receiver.url };
  expect(await service.call('POST', `/v1/teams/${service.teamId}/custom_webhooks`, { headers: key, body: hook })).toMatchObject({
    status: 201,
  });
  const tracing = openAgentTracing({ url: collector.url }, 'test', silentLog);
  const dataDir = join(folder.path, 'agent');
  const engine = await startTestEngine({ dataDir, serviceUrl: service.url, apiKey: service.apiKey, tracer: tracing.tracer });
  try {
    const secretName = 'unreleased-film';
    const tree = { [`${secretName}.mov`]: seededBytes(7_000_000, 1), 'notes/a.txt': 'small', 'notes/b.txt': 'small too' };
    writeTree(join(folder.path, secretName), tree);
    const paths = [join(folder.path, secretName)];
    const { id } = await engine.transfers.upload({
      team_id: service.teamId,
      paths,
      package_name: secretName,
      recipients: ['me@example.com'],
    });
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', error: null });
    const trace = id.replaceAll('-', '');
    const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === trace);
    const names = () => new Set(ofTrace().map(({ scope, name }) => `${scope}: ${name}`));
    const wanted = [
      ...[
        'agent: upload',
        'agent: chunk put',
        'service: POST /v1/teams/:team_id/packages',
        'service: POST /v1/packages/:package_id/finalize',
      ],
      ...['storage: storage PUT', 'service: job webhooks.announce', 'service: job webhooks.deliver', 'service: job mail.send'],
    ];
    await collector.when(() => wanted.every((name) => names().has(name)));

    // Each span but the first hangs on another one of the same trace.
    const ids = new Set(ofTrace().map(({ spanId }) => spanId));
    const roots = ofTrace().filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId));
    expect(roots.map(({ name }) => name)).toEqual(['upload']);
    expect(ofTrace().filter(({ error }) => error !== null)).toEqual([]);
    const of = (name: string) => ofTrace().find((one) => one.name === name)!;
    expect(of('storage PUT').attributes).toMatchObject({ 'http.request.body.size': expect.stringMatching(/^\d+$/) });
    expect(of('POST /v1/packages/:package_id/finalize').attributes).toMatchObject({
      'longshore.route': 'finalizePackage',
      'http.response.status_code': '204',
      'longshore.db.statements': expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(receiver.received[0]!.traceparent).toBe(`00-${trace}-${of('job webhooks.deliver').spanId}-01`);

    const { id: got } = await engine.transfers.download({ url: sent.links[0]!.url, dst_folder: join(folder.path, 'got') });
    expect(await transferWhen(engine, got)).toMatchObject({ state: 'complete' });
    const down = () => collector.spans.filter(({ traceId }) => traceId === got.replaceAll('-', ''));
    await collector.when(() => down().some(({ name }) => name === 'storage GET') && down().some(({ name }) => name === 'download'));

    expect(collector.problems).toEqual([]);
    expect(collector.authorizations).toEqual(new Set(['Bearer of the collector']));
    for (const hidden of [secretName, 'a.txt', folder.path, service.apiKey, 'signature=', 'me@example.com', service.userToken])
      expect(collector.received()).not.toContain(hidden);
    const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^longshore_service_spans_total\{outcome="exported"\} [1-9]/m);
    expect(metrics).toMatch(/^longshore_service_spans_total\{outcome="dropped"\} 0$/m);
  } finally {
    await engine.close();
    await tracing.close();
    receiver.close();
  }
});

const trace = '0af7651916cd43dd8448eb211c80319c';

test('every error answer has the id of its trace: the caller’s, or one of its own', async () => {
  const ask = (headers: Record<string, string>, path = '/v1/portals/0197f3c1-0000-7000-8000-000000000000') =>
    service.call('GET', path, { headers });
  const idOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).headers.get('x-trace-id');
  expect(await idOf({ traceparent: `00-${trace}-b7ad6b7169203331-00` })).toBe(trace);
  expect(await idOf({ traceparent: `00-${trace}-b7ad6b7169203331-00` }, '/v1/nowhere')).toBe(trace);
  const own = [await idOf({}), await idOf({ traceparent: `00-${trace}-b7ad6b7169203331-00-no` }), await idOf({}, '/v1/nowhere')];
  for (const id of own) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([...own, trace]).size).toBe(4);
  expect((await service.call('GET', '/v1/system/packages/spec')).headers.get('x-trace-id')).toBeNull();
});
