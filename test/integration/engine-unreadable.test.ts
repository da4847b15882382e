import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { putTransfers } from '#test/support/engine/stored-transfers.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const vaultKey = 'a key for tests alone';
const count = 600;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;

beforeEach(async () => {
  folder = await tempFolder();
  await putTransfers(folder.path, { count, vaultKey });
});
afterEach(async () => {
  await engine?.close();
  await folder.remove();
});

function corrupt(sql: string): void {
  const db = new Database(join(folder.path, 'agent.db'));
  db.exec(sql);
  db.close();
}

async function start(): Promise<void> {
  engine = await startTestEngine({ dataDir: folder.path, serviceUrl: 'http://127.0.0.1:9', vaultKey });
}

const damagedWarnings = (): readonly string[] => engine.status().warnings.filter((warning) => warning.includes('damaged'));
const asides = (): string[] => readdirSync(folder.path).filter((name) => name.includes('.damaged-') && !/-(wal|shm)$/.test(name));

test('transfers that cannot be read are taken out when one of them is met, all at once, and whoever listens is told', async () => {
  corrupt("UPDATE transfers SET facts = '[]' WHERE id IN ('many-0000003', 'many-0000599')");
  corrupt("UPDATE transfers SET secrets = 'v1.AAAA' WHERE id = 'many-0000004'");
  await start();
  // Nobody has looked at one yet.
  expect([damagedWarnings(), asides()]).toEqual([[], []]);
  const stop = new AbortController();
  const events = engine.events.subscribe(null, stop.signal)[Symbol.asyncIterator]();
  const lost = events.next();
  await expect(engine.transfers.get('many-0000003')).rejects.toMatchObject({ error: 'not_found' });
  await eventually('they are taken out', async () => damagedWarnings().length > 0);
  expect(await lost).toMatchObject({ value: { type: 'events.lost' } });
  stop.abort();
  expect(damagedWarnings()).toEqual([expect.stringMatching(/could not read 3 of its transfers, .* kept as .*\.damaged-/)]);
  expect(asides()).toHaveLength(1);
  const { total, records } = await engine.transfers.list('all', { page: 1, limit: 500, sort: 'position' });
  expect([total, records.length]).toEqual([count - 3, 500]);
  const { states } = await engine.transfers.summary({});
  expect(Object.values(states).reduce((sum, some) => sum + some, 0)).toBe(count - 3);

  await engine.close();
  await start();
  await engine.transfers.list('all', { page: 1, limit: 500 });
  expect([damagedWarnings(), asides().length]).toEqual([[], 1]);
});

test('one in the queue that cannot be read holds nothing up', async () => {
  corrupt("UPDATE transfers SET state = 'queued', paused_since = NULL WHERE id IN ('many-0000001', 'many-0000009')");
  corrupt("UPDATE transfers SET request = '{' WHERE id = 'many-0000001'");
  await start();
  await eventually('it is taken out', async () => damagedWarnings().length > 0);
  const { total } = await engine.transfers.list('all', { page: 1, limit: 1 });
  expect(total).toBe(count - 1);
  expect((await engine.transfers.log('many-0000009')).records[0]).toMatchObject({ event: 'started' });
});
