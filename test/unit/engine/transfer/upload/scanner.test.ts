import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { namesPerPage } from '#engine/folders/folder-pages.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import type { JobContext, JobPorts } from '#engine/transfer/job.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createScanner } from '#engine/transfer/upload/scanner.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
const clock = createFakeClock();
beforeEach(async () => {
  folder = await tempFolder();
  store = open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const open = (): Store => openStore(openDatabase(join(folder.path, 'agent'), { now: 0 }), sealerOf(Buffer.alloc(32)), clock);

const upload = (path: string): UploadRecord => ({
  id: 'u',
  kind: 'upload',
  phase: { state: 'transferring' },
  name: 'Many',
  priority: 'normal',
  position: 1,
  rateLimit: 0,
  bytes: 0,
  totalBytes: 0,
  files: 0,
  totalFiles: 0,
  createdAt: 1,
  updatedAt: 1,
  request: { serviceUrl: 'http://s', teamId: 't', paths: [path], description: '', recipients: [], autoFinalize: true },
  added: [],
  facts: { scanned: false, package: { state: 'none' } },
  secrets: {},
});

function setting() {
  const registry = createTransferRegistry({ store, clock, emit: () => {} });
  const activity = createActivity({ bytes: 0, files: 0, now: () => clock.now(), changed: () => {} });
  const context = { signal: new AbortController().signal, activity } as Partial<JobContext> as JobContext;
  const scanner = () => createScanner({ registry, store, fileSystem: nodeFileSystem } as Partial<JobPorts> as JobPorts, 'u', context);
  return { registry, scanner };
}

it('a folder of more names than are read at once: cut off again and again, each file is found once', async () => {
  const source = join(folder.path, 'many');
  mkdirSync(source);
  const total = namesPerPage + 2_000;
  for (let number = 0; number < total; number++) writeFileSync(join(source, `${number}`), '');
  setting().registry.add(upload(source));
  let interruptions = 0;
  for (;;) {
    const { registry, scanner } = setting();
    const record = registry.get('u') as UploadRecord;
    if (record.facts.scanned) break;
    const scanning = scanner();
    scanning.ensure();
    const batches = 5 * (interruptions + 1);
    for (let batch = 0; batch < batches && scanning.running; batch++) await scanning.nextUpdate();
    await scanning.close();
    // As a kill does: what was not committed is lost.
    store.writer.flush();
    store.close();
    store = open();
    interruptions++;
  }
  expect(interruptions).toBeGreaterThan(2);
  const found = new Set<string>();
  let rows = 0;
  for (let afterId = 0; ; ) {
    const places = store.files.paths('u', afterId, 5_000);
    if (places.length === 0) break;
    afterId = places.at(-1)!.id;
    rows += places.length;
    for (const { name } of places) found.add(name);
  }
  expect([rows, found.size]).toEqual([total, total]);
  expect(setting().registry.get('u')).toMatchObject({ totalFiles: total, facts: { scanned: true } });
});
