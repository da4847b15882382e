import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { filesOf } from '#test/support/faults/invariants.ts';
import { inAll } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The service is put back from a backup that is older than what an upload has sent. */

const MiB = 1024 * 1024;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService | undefined;
let engine: Engine | undefined;
let address: { host: string; port: number } | undefined;
let storage: { host: string; port: number } | undefined;
let apiKey: string;
const at = (name: string): string => join(folder.path, name);

const start = (): Promise<TestService> =>
  startTestService({
    processes: 1,
    privateDatabase: true,
    dataDir: at('service'),
    ...(address && storage && { listen: address, storageListen: storage }),
  });

/** With owners and rights, to which PostgreSQL holds. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', at(from), at(to)]);

async function backUp(): Promise<void> {
  await service!.stop();
  copy('service', 'backup');
  service = await start();
}

async function restore(): Promise<void> {
  await service!.stop();
  rmSync(at('service'), { recursive: true });
  copy('backup', 'service');
  service = await start();
}

const portOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

beforeEach(async () => {
  folder = await tempFolder();
  address = undefined;
  storage = undefined;
  service = await start();
  address = portOf(service.url);
  storage = portOf(service.storageUrl);
  apiKey = service.apiKey;
  writeTree(at('day'), { 'one.txt': 'one', 'sub/two.txt': 'two', 'large.bin': seededBytes(11 * MiB, 1) });
  engine = await startTestEngine({ dataDir: at('agent'), serviceUrl: service.url, apiKey });
});
afterEach(async () => {
  await engine?.close();
  await service?.close();
  await folder.remove();
});

/** Sent so far that its small files are through, and one chunk of the large one; then held. */
async function sentInPart(): Promise<string> {
  const asked = { team_id: service!.teamId, paths: [at('day')], package_name: 'Day', recipients: [], chunk_size: 5 * MiB };
  const { id } = await engine!.transfers.upload(asked);
  await engine!.transfers.change(id, { rate_limit_bps: 6 * MiB });
  await transferWhen(engine!, id, ({ files, bytes }) => files === 2 && bytes > 5 * MiB);
  await engine!.transfers.pause(id);
  await engine!.transfers.change(id, { rate_limit_bps: 0 });
  return id;
}

async function goesOn(id: string) {
  await engine!.transfers.resume(id);
  const sent = await transferWhen(engine!, id);
  expect(sent).toMatchObject({ state: 'complete', error: null, files: 3, total_files: 3, receipt: true });
  const there = (await filesOf(service!, sent.package_id, 'Day')).map(({ path, name, state }) => `${path}/${name} ${state}`).sort();
  expect(there).toEqual(['day/large.bin finalized', 'day/one.txt finalized', 'day/sub/two.txt finalized']);
  const { records } = await engine!.transfers.log(id);
  return { sent, began: records.filter(({ event }) => event === 'new_package').length };
}

test('a package that is not in it: all of it is sent to a new one, which the log and the view tell', async () => {
  await backUp();
  const id = await sentInPart();
  const before = (await engine!.transfers.get(id)).package_id;
  await restore();
  const { sent, began } = await goesOn(id);
  expect([began, sent.packages_lost]).toEqual([1, 1]);
  expect(sent.package_id).not.toBe(before);
});

test('a package of which it has the beginning: what is missing is sent again', inAll('a package that is not in it'), async () => {
  const { id } = await engine!.transfers.upload({
    team_id: service!.teamId,
    paths: [at('day/one.txt')],
    package_name: 'Day',
    recipients: [],
    chunk_size: 5 * MiB,
    auto_finalize: false,
  });
  const before = (await transferWhen(engine!, id)).package_id;
  await backUp();
  await engine!.transfers.addFiles(id, [at('day/sub'), at('day/large.bin')]);
  await engine!.transfers.change(id, { rate_limit_bps: 6 * MiB });
  await transferWhen(engine!, id, ({ files, bytes }) => files === 2 && bytes > 5 * MiB);
  await engine!.transfers.pause(id);
  await restore();
  await engine!.transfers.change(id, { rate_limit_bps: 0 });
  await engine!.transfers.resume(id);
  await transferWhen(engine!, id, ({ state }) => state === 'idle' || state === 'error');
  await engine!.transfers.finalize(id);
  const sent = await transferWhen(engine!, id);
  expect(sent).toMatchObject({ state: 'complete', error: null, files: 3, package_id: before });
  const there = (await filesOf(service!, sent.package_id, 'Day')).map(({ path, name, state }) => `${path}/${name} ${state}`).sort();
  expect(there).toEqual(['/large.bin finalized', '/one.txt finalized', 'sub/two.txt finalized']);
});
