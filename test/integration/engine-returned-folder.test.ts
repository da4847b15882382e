import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A retry of an upload whose folders were away when they were looked at, and are back. Two, so that they go in a batch. */
async function sendReturned(
  request: { readonly auto_finalize?: boolean },
  check: (at: { engine: Engine; service: TestService; folder: string; id: string; card: string }) => Promise<void>,
): Promise<void> {
  const folder = await tempFolder();
  const service = await startTestService();
  const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  try {
    const [card, sound] = [join(folder.path, 'card'), join(folder.path, 'sound')];
    writeTree(card, { 'a.mov': 'a', 'deep/b.mov': 'b' });
    writeTree(sound, { 'c.wav': 'c' });
    await engine.transfers.pauseAll();
    const { id } = await engine.transfers.upload({
      team_id: service.teamId,
      paths: [card, sound],
      package_name: 'Card',
      recipients: [],
      ...request,
    });
    for (const one of [card, sound]) renameSync(one, `${one}-away`);
    await engine.transfers.resumeAll();
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 0 });
    for (const one of [card, sound]) renameSync(`${one}-away`, one);
    await engine.transfers.retry(id);
    await check({ engine, service, folder: folder.path, id, card });
  } finally {
    await engine.close();
    await service.close();
    await folder.remove();
  }
}

test('a folder that was gone when it was looked at is sent with all that is in it once it is back', () =>
  sendReturned({}, async ({ engine, folder, id, card }) => {
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 3, total_files: 3, error: null });
    const target = join(folder, 'target');
    const { id: back } = await engine.transfers.download({ url: sent.url!, dst_folder: target, create_package_folder: false });
    expect(await transferWhen(engine, back)).toMatchObject({ state: 'complete' });
    expect(readTree(join(target, 'card'))).toEqual(readTree(card));
  }));

test('and leaves no begun file in its place, for which a package that is closed later would wait', () =>
  sendReturned({ auto_finalize: false }, async ({ engine, service, id }) => {
    expect(await transferWhen(engine, id, ({ files }) => files === 3)).toMatchObject({ total_files: 3 });
    const files = await service.service.services.db.selectFrom('files').select(['name', 'state']).orderBy('name').execute();
    expect(files).toEqual([
      { name: 'a.mov', state: 'finalized' },
      { name: 'b.mov', state: 'finalized' },
      { name: 'c.wav', state: 'finalized' },
    ]);
  }));
