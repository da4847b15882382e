import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let engine: Engine;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await folder?.remove();
});

/** Flips one bit of what the storage holds of these bytes. */
function damage(bytes: Buffer): void {
  const root = join(service.dataDir, 'objects');
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const at = readFileSync(path).indexOf(bytes);
      return at === -1 ? [] : [{ path, at }];
    });
  expect(found).toHaveLength(1);
  const [{ path, at }] = found as [(typeof found)[number]];
  const all = readFileSync(path);
  all[at + 7]! ^= 1;
  writeFileSync(path, all);
}

test('a small file that is damaged in the storage ends in words, and those beside it arrive', async () => {
  const source = join(folder.path, 'reel');
  writeTree(source, { 'a.bin': seededBytes(5_000, 1), 'b.bin': seededBytes(5_000, 2), 'c.bin': seededBytes(5_000, 3) });
  const sent = await engine.transfers.upload({ team_id: service.teamId, paths: [source], package_name: 'Reel', recipients: [] });
  const { url } = await transferWhen(engine, sent.id);
  damage(seededBytes(5_000, 2));

  const target = join(folder.path, 'target');
  const { id } = await engine.transfers.download({ url, dst_folder: target });
  const got = await transferWhen(engine, id);
  // Nothing that is done on this side brings it.
  expect(got).toMatchObject({ state: 'error', error: { cause: 'files_failed', remedy: 'finalize_without' } });
  expect(got.error?.message).toMatch(/copy of the file is damaged/);
  const { records } = await engine.transfers.files(id, { page: 1, limit: 10 });
  expect(records.filter(({ error }) => error).map(({ name, error }) => [name, error?.message])).toEqual([
    ['b.bin', expect.stringMatching(/copy of the file is damaged/)],
  ]);
  const { 'reel/b.bin': _, ...others } = Object.fromEntries(Object.entries(readTree(source)).map(([path, file]) => [`reel/${path}`, file]));
  expect(readTree(target)).toMatchObject(others);

  // Tried again it fails again; without it the download is done, and compared with the receipt.
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 2, total_files: 3 });
  await engine.transfers.finalize(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 2, total_files: 3, error: null, receipt: true });
  await expect(engine.transfers.finalize(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
});
