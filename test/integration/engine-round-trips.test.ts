import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type InterceptingProxy, startInterceptingProxy } from '#test/support/faults/intercepting-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let proxy: InterceptingProxy;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  proxy = await startInterceptingProxy(service.url);
});
afterAll(async () => {
  await proxy?.close();
  await service?.close();
  await folder?.remove();
});

// Each call that waits for another without need costs a far line a round trip.
test('an upload makes calls beside each other where none needs the other’s answer', async () => {
  proxy.holdUntil(/\/teams\/[^/]+\/packages$/, /\/system\/packages\/spec$/);
  proxy.holdUntil(/\/receipt$/, /\/links$/);
  const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: proxy.url, apiKey: service.apiKey });
  try {
    writeTree(join(folder.path, 'reel'), { 'clip.mov': 'bytes' });
    const paths = [join(folder.path, 'reel')];
    const { id } = await engine.transfers.upload({ team_id: service.teamId, paths, package_name: 'Reel', recipients: [] });
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', error: null, receipt: true });
    expect(sent.links).toHaveLength(1);
  } finally {
    await engine.close();
  }
});
