import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TransferFile } from '#protocol/agent/transfers.ts';
import { startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Somebody who may read less than we. */
const nobody = 65_534;
const canBeNobody = process.getuid?.() === 0;

test.skipIf(!canBeNobody)(
  'what may not be read is listed, the rest is sent, and once it may be read a retry sends it',
  async () => {
    const folder = await tempFolder();
    const service = await startTestService();
    const source = join(folder.path, 'source');
    const dataDir = join(folder.path, 'agent');
    const target = join(folder.path, 'target');
    writeTree(source, { 'a.txt': 'a', 'locked/b.txt': 'b', 'locked/deep/c.txt': 'c', 'secret.txt': 'secret' });
    for (const path of [folder.path, source]) chmodSync(path, 0o755);
    const compiled = join(folder.path, 'compiled');
    for (const path of [dataDir, target, compiled]) {
      mkdirSync(path);
      chownSync(path, nobody, nobody);
    }
    chmodSync(join(source, 'locked'), 0o700);
    chmodSync(join(source, 'secret.txt'), 0o600);
    const env = { NODE_COMPILE_CACHE: compiled };
    const agent = await startAgentProcess({ dataDir, serviceUrl: service.url, apiKey: service.apiKey, uid: nobody, env });
    try {
      const { id } = await agent.post('/uploads', { team_id: service.teamId, paths: [source], package_name: 'Locked', recipients: [] });
      const over = ({ state }: { state: string }) => state === 'error' || state === 'complete';
      const failed = await agent.when(id, over);
      expect(failed).toMatchObject({
        state: 'error',
        files: 1,
        total_files: 3,
        error: { message: expect.stringContaining('2 of 3 files') },
      });
      const { records } = await agent.call<{ records: TransferFile[] }>('GET', `/uploads/${id}/files`);
      expect(records.map(({ name, state, error }) => [name, state, error?.message ?? ''])).toEqual([
        ['a.txt', 'complete', ''],
        ['locked', 'error', `${join(source, 'locked')} cannot be read: the permission to read it is missing.`],
        ['secret.txt', 'error', `${join(source, 'secret.txt')} cannot be read: the permission to read it is missing.`],
      ]);
      await agent.call('PUT', `/uploads/${id}/retry`);
      expect(await agent.when(id, over)).toMatchObject({ state: 'error', files: 1, total_files: 3 });
      chmodSync(join(source, 'locked'), 0o755);
      chmodSync(join(source, 'secret.txt'), 0o644);
      await agent.call('PUT', `/uploads/${id}/retry`);
      const sent = await agent.when(id, over);
      expect(sent).toMatchObject({ state: 'complete', files: 4, total_files: 4, error: null });
      const { id: back } = await agent.post('/downloads', { url: sent.url, dst_folder: target });
      await agent.when(back, over);
      expect(readTree(join(target, 'source'))).toEqual(readTree(source));
      // Its next start finds them, also after it was killed.
      await eventually('compiled modules are written', async () =>
        readdirSync(compiled, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile()),
      );
    } finally {
      await agent.stop();
      await service.close();
      await folder.remove();
    }
  },
  180_000,
);
