import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createForecast, type Forecast } from '#engine/transfer/forecast.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry, type TransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
let registry: TransferRegistry;
let forecast: Forecast;
let closing: AbortController;

beforeEach(async () => {
  folder = await tempFolder();
  writeTree(join(folder.path, 'reel'), { 'a.mov': Buffer.alloc(3_000), 'audio/b.wav': Buffer.alloc(200), '.DS_Store': Buffer.alloc(50) });
  writeTree(join(folder.path, 'stills'), { 'c.dpx': Buffer.alloc(1_000) });
  const clock = createFakeClock();
  closing = new AbortController();
  store = openStore(openDatabase(join(folder.path, 'state'), { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
  registry = createTransferRegistry({ store, clock, emit: () => {} });
  forecast = createForecast({
    registry,
    lists: store.lists,
    pathGuard: (path) => path,
    fileSystem: nodeFileSystem,
    closing: closing.signal,
  });
});
afterEach(async () => {
  closing.abort();
  await forecast.settled();
  store.close();
  await folder.remove();
});

function add(id: string, paths: readonly string[], change: Partial<UploadRecord> = {}): void {
  registry.add({
    id,
    kind: 'upload',
    phase: { state: 'queued' },
    name: id,
    priority: 'normal',
    position: 1,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: 1,
    updatedAt: 1,
    request: {
      serviceUrl: 'http://s',
      teamId: 'team',
      paths: paths.map((path) => join(folder.path, path)),
      description: '',
      recipients: [],
      autoFinalize: true,
    },
    added: [],
    facts: { scanned: false, package: { state: 'none' } },
    secrets: {},
    ...change,
  });
}

const left = (name = ''): number => registry.summary(name === '' ? {} : { name }).bytes_left;

describe('what waits for its turn', () => {
  it('counts in what is to go, by what it holds and will send', async () => {
    add('waits', ['reel', 'stills']);
    add('also', ['stills'], { phase: { state: 'paused', since: 1, until: null } });
    expect(registry.summary({})).toMatchObject({ bytes_left: 0, unmeasured: 2 });
    forecast.look('waits');
    forecast.look('also');
    await forecast.settled();
    expect([left(), left('also')]).toEqual([5_200, 1_000]);
    expect(registry.summary({}).unmeasured).toBe(0);
  });

  it('is counted after a start as well', async () => {
    add('waits', ['reel']);
    forecast.recover();
    await forecast.settled();
    expect(left()).toBe(3_200);
  });

  it('counts once: what its scan has found takes the place of what was expected', async () => {
    add('waits', ['reel']);
    forecast.look('waits');
    await forecast.settled();
    registry.follow('waits');
    registry.apply('waits', { type: 'start' });
    registry.patchUpload('waits', { rootsScanned: 0 });
    registry.addTotals('waits', { bytes: 3_000, files: 1 });
    expect(left()).toBe(3_200);
    // It has become less since.
    registry.addTotals('waits', { bytes: 0, files: 0 }, { scanned: true });
    expect(left()).toBe(3_000);
  });

  it('is not counted while it is sent, when it is over, or where it is not there', async () => {
    add('runs', ['reel'], { phase: { state: 'transferring' } });
    add('over', ['reel'], { phase: { state: 'cancelled', finishedAt: 1 } });
    add('gone', ['nowhere']);
    add('waits', ['stills']);
    for (const id of ['runs', 'over', 'gone', 'nobody', 'waits']) forecast.look(id);
    await forecast.settled();
    expect(left()).toBe(1_000);
    registry.apply('waits', { type: 'cancel', at: 2 });
    expect(left()).toBe(0);
  });
});
