import { systemClock } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore } from '#engine/state/store.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';

/**
 * A process that begins and ends transfers in the state of a folder as fast as it can, some of which leave the list, until it
 * is killed. It writes a line for what it has told: `complete` or `removed`, and the id.
 */
const [folder, run] = process.argv.slice(2) as [string, string];
const store = openStore(openDatabase(folder, { now: Date.now() }), sealerOf(Buffer.alloc(32)), systemClock);
const registry = createTransferRegistry({ store, clock: systemClock, emit: () => {} });
for (let number = 0; ; number++) {
  const id = `${run}-${number}`;
  registry.add({
    id,
    kind: 'upload',
    phase: { state: 'queued' },
    name: id,
    priority: 'normal',
    position: store.transfers.nextPosition(),
    rateLimit: 0,
    bytes: 0,
    totalBytes: 5,
    files: 0,
    totalFiles: 1,
    createdAt: Date.now(),
    updatedAt: Date.now(),
    request: { serviceUrl: 'http://s', teamId: 'team', paths: ['/a'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'open', id: 'p' } },
    secrets: { packageToken: 'token' },
  });
  registry.follow(id);
  registry.apply(id, { type: 'start' });
  registry.apply(id, { type: 'finish', at: Date.now() });
  process.stdout.write(`complete ${id}\n`);
  registry.unfollow(id);
  if (number % 3 !== 0) continue;
  registry.remove(id);
  await store.writer.committed();
  process.stdout.write(`removed ${id}\n`);
}
