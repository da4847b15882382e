import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

test('a folder that was gone when it was looked at is sent with all that is in it once it is back', async () => {
  const folder = await tempFolder();
  const service = await startTestService();
  const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  try {
    const [card, away] = [join(folder.path, 'card'), join(folder.path, 'away')];
    writeTree(card, { 'a.mov': 'a', 'deep/b.mov': 'b' });
    await engine.transfers.pauseAll();
    const { id } = await engine.transfers.upload({ team_id: service.teamId, paths: [card], package_name: 'Card', recipients: [] });
    renameSync(card, away);
    await engine.transfers.resumeAll();
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 0, total_files: 1 });
    renameSync(away, card);
    await engine.transfers.retry(id);
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 2, total_files: 2, error: null });
    const target = join(folder.path, 'target');
    const { id: back } = await engine.transfers.download({ url: sent.url!, dst_folder: target, create_package_folder: false });
    expect(await transferWhen(engine, back)).toMatchObject({ state: 'complete' });
    expect(readTree(join(target, 'card'))).toEqual(readTree(card));
  } finally {
    await engine.close();
    await service.close();
    await folder.remove();
  }
});
