import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { readTree, seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Small files over a storage that has no batch requests, where each has its own: the service's calls are shared all the same. */
describe.skipIf(!hasSwift())('many small files and empty folders over S3', () => {
  const files = 140;
  const folders = 60;
  const tree: Tree = Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n % 7}/${n}.bin`, seededBytes(50 + n, n)]));
  let faulty: ProxiedService;
  let engine: Engine;
  let folder: Awaited<ReturnType<typeof tempFolder>>;

  beforeAll(async () => {
    faulty = await startProxiedService({ storageUrl: (await newSwiftBucket()).url });
    folder = await tempFolder();
    writeTree(join(folder.path, 'source'), tree);
    for (let n = 0; n < folders; n++) mkdirSync(join(folder.path, 'source', `empty ${n}`));
    engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: faulty.api.url, apiKey: faulty.service.apiKey });
    await engine.session.current();
  });
  afterAll(async () => {
    await engine?.close();
    await faulty?.close();
    await folder?.remove();
  });

  /** Calls that fit meanwhile. */
  async function calls(fits: RegExp, work: () => Promise<void>): Promise<number> {
    const before = faulty.api.requests.length;
    await work();
    return faulty.api.requests.slice(before).filter(({ path }) => fits.test(path)).length;
  }

  test('cross by few calls', async () => {
    let url = '';
    const up = await calls(/\/files/, async () => {
      const paths = [join(folder.path, 'source')];
      const { id } = await engine.transfers.upload({
        team_id: faulty.service.teamId,
        paths,
        package_name: 'Small',
        recipients: ['a@x.org'],
      });
      const sent = await transferWhen(engine, id);
      expect(sent).toMatchObject({ state: 'complete', error: null, files: files + folders });
      url = sent.links![0]!.url;
    });
    expect(up).toBeLessThan(20);
    const down = await calls(/\/download$/, async () => {
      const { id } = await engine.transfers.download({ url, dst_folder: join(folder.path, 'target') });
      expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
    });
    expect(down).toBeLessThan(10);
    expect(readTree(join(folder.path, 'target', 'source'))).toEqual(readTree(join(folder.path, 'source')));
  });
});
