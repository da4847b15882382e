import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let service: TestService;
let own: Awaited<ReturnType<typeof diskFolder>>;
beforeAll(async () => {
  [service, own] = await Promise.all([startTestService(), diskFolder()]);
});
afterAll(async () => {
  await service?.close();
  await own?.remove();
});

it('a folder that was empty is not read anew through a link that has come above it since', async () => {
  const root = join(own.path, 'hot');
  writeTree(own.path, { 'hot/a.txt': 'a', 'outside/d/secret.txt': 'secret' });
  mkdirSync(join(root, 'in/d'), { recursive: true });
  let looks = 0;
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    lstatNow(path) {
      // The scan looks twice. The next look is whether it is still empty.
      if (path.endsWith('/d') && ++looks === 3) {
        renameSync(join(root, 'in'), join(own.path, 'away'));
        symlinkSync(join(own.path, 'outside'), join(root, 'in'));
      }
      return nodeFileSystem.lstatNow(path);
    },
  };
  const engine = await startTestEngine({
    ...{ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, fileSystem },
  });
  try {
    const { id } = await engine.transfers.upload({ team_id: service.teamId, paths: [root], package_name: 'Hot', recipients: [] });
    await transferWhen(engine, id);
    expect(looks).toBeGreaterThanOrEqual(3);
    const sent = await service.service.services.db.selectFrom('files').select('name').where('kind', '=', 'file').execute();
    expect(sent.map(({ name }) => name)).toEqual(['a.txt']);
  } finally {
    await engine.close();
  }
});
