import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder.remove();
});

const start = () => startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: 'http://127.0.0.1:9' });

it('a vault key that is set to nothing, as container files leave it, is none', async () => {
  vi.stubEnv('LONGSHORE_VAULT_KEY', '');
  const engine = await start();
  expect(engine.status().warnings).toEqual([expect.stringContaining('whose key stands beside it')]);
  await engine.close();
});

it('a vault key that is too short is refused', async () => {
  vi.stubEnv('LONGSHORE_VAULT_KEY', 'short');
  await expect(start()).rejects.toMatchObject({ code: 'vault_key_too_short' });
});
