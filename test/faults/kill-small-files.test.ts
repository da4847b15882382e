import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { startAgentProcess } from '#test/support/agent-process.ts';
import { startTestService } from '#test/support/service.ts';
import { repeated, startStorageProxy } from '#test/support/storage-proxy.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { readTree, seededBytes, type Tree, writeTree } from '#test/support/trees.ts';

const count = 400;
const tree: Tree = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [`${index % 7}/${index}.bin`, seededBytes(3_000 + index, index + 1)]),
);
const total = count * 3_000 + ((count - 1) * count) / 2;
/** Shares of the bytes after which the agent is killed: among them the first batch, which is not finalized yet. */
const moments = [0.03, 0.3, 0.7];

test('many small files, sent by batch by an agent that is killed again and again, are each sent once', async () => {
  const folder = await tempFolder();
  const proxy = await startStorageProxy();
  const service = await startTestService({ storagePublicUrl: proxy.url });
  proxy.upstream = service.storageUrl;
  proxy.rate = 1_000_000;
  const source = join(folder.path, 'source');
  writeTree(source, tree);
  const start = (name: string) => startAgentProcess({ dataDir: join(folder.path, name), serviceUrl: service.url, apiKey: service.apiKey });
  let agent = await start('agent');
  try {
    const { id } = await agent.post('/uploads', { team_id: service.teamId, paths: [source], package_name: 'Killed', recipients: [] });
    for (const moment of moments) {
      await proxy.passed(moment * total);
      await agent.kill();
      agent = await start('agent');
    }
    const sent = await agent.when(id, ({ state }) => state === 'complete' || state === 'error');
    expect(sent).toMatchObject({ state: 'complete', error: null, bytes: total, files: count });
    expect(repeated(proxy.passages, 'PUT')).toEqual([]);
    // No upload was begun by a request of its own: all came from the batch calls.
    expect(proxy.passages.filter(({ method }) => method === 'POST')).toEqual([]);

    const { db } = service.service.services;
    const files = await db.selectFrom('files').select(['path', 'name', 'state']).where('package_id', '=', sent.package_id).execute();
    expect(files).toHaveLength(count);
    expect(files.every(({ state }: Pick<File, 'state'>) => state === 'finalized')).toBe(true);

    proxy.rate = 0;
    const target = join(folder.path, 'received');
    const download = await agent.post('/downloads', { url: sent.url, dst_folder: target });
    const got = await agent.when(download.id, ({ state }) => state === 'complete' || state === 'error');
    expect(got).toMatchObject({ state: 'complete', files: count });
    expect(readTree(join(target, 'source'))).toEqual(readTree(source));
  } finally {
    await agent.stop().catch(() => {});
    await service.close();
    await proxy.close();
    await folder.remove();
  }
}, 300_000);
