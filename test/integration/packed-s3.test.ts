import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { startForwarding } from '#test/support/storage/forwarding.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import type { TestServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Small files of an agent, packed in S3 storage: what the storage is asked for them is counted on the way to it. */

describe.skipIf(!hasSwift())('small files in S3 storage', () => {
  let s3: TestServer;
  let faulty: ProxiedService;
  let engine: Engine;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeAll(async () => {
    folder = await tempFolder();
    const bucket = await newSwiftBucket();
    s3 = await startForwarding(bucket.endpoint);
    const url = new URL(bucket.url);
    url.host = new URL(s3.url).host;
    url.searchParams.set('packed', 'true');
    faulty = await startProxiedService({ processes: 1, storageUrl: url.href });
    const { api, service } = faulty;
    engine = await startTestEngine({
      dataDir: join(folder.path, 'agent'),
      serviceUrl: api.url,
      apiKey: service.apiKey,
      clock: fastClock(20),
    });
  });
  afterAll(async () => {
    await engine?.close();
    await faulty?.close();
    await s3?.close();
    await folder?.remove();
  });

  it('cost a few requests, and arrive as they were beside a large one', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${index % 7}/${index}.txt`);
    const tree = {
      ...Object.fromEntries(names.map((name, index) => [name, seededBytes(index % 300, index)])),
      large: seededBytes(300_000, 1),
    };
    const source = join(folder.path, 'source');
    writeTree(source, tree);
    s3.requests.length = 0;
    const sent = await transferWhen(
      engine,
      (await engine.transfers.upload({ team_id: faulty.service.teamId, paths: [source], package_name: 'Many', recipients: [] })).id,
    );
    expect(sent).toMatchObject({ state: 'complete', error: null });
    const puts = s3.requests.filter((one) => one.startsWith('PUT '));
    const packed = puts.filter((one) => one.includes('/segments/'));
    // At most 200 files go in one request of an agent.
    expect(packed.length).toBeLessThanOrEqual(8);
    expect(puts.length - packed.length).toBe(1);

    s3.requests.length = 0;
    const target = join(folder.path, 'target');
    const got = await transferWhen(engine, (await engine.transfers.download({ url: sent.url, dst_folder: target })).id);
    expect(got).toMatchObject({ state: 'complete', error: null });
    expect(readTree(join(target, 'source'))).toEqual(readTree(source));
    expect(s3.requests.length).toBeLessThanOrEqual(30);
  });

  it('are recorded by one call, and do not go again where its answer is lost', async () => {
    const { api, service } = faulty;
    const source = join(folder.path, 'lost');
    writeTree(source, Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}.txt`, seededBytes(500 + index, index)])));
    const recording = { method: 'POST', path: /\/files\/batch\/record$/ };
    api.plan([{ on: recording, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }]);
    s3.requests.length = 0;
    const asked = { team_id: service.teamId, paths: [source], package_name: 'Lost', recipients: [] };
    const { id } = await engine.transfers.upload(asked);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, files: 100 });
    await faulty.verify();
    const rows = await service.service.services.db
      .selectFrom('files')
      .innerJoin('packages', 'packages.id', 'files.package_id')
      .select('object_key')
      .where('packages.name', '=', 'Lost')
      .execute();
    const segments = new Set(rows.map(({ object_key: key }) => key!.split('.')[0]));
    expect(s3.requests.filter((one) => one.startsWith('PUT ') && one.includes('/segments/'))).toHaveLength(segments.size);
  });
});
