import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { openDatabase } from '#engine/state/database.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { filesOf, packagesOf } from '#test/support/faults/invariants.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Before a package is closed an upload compares what its scan counted, what its rows hold and what the service has. */

const MiB = 1024 * 1024;
let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let db: Database.Database;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({
    dataDir: join(folder.path, 'agent'),
    serviceUrl: service.url,
    apiKey: service.apiKey,
    openState(place, options) {
      const opened = openDatabase(place, options);
      db = opened.db;
      return opened;
    },
  });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await folder?.remove();
});

async function upload(name: string, more: object = {}): Promise<string> {
  const asked = { team_id: service.teamId, paths: [join(folder.path, name)], package_name: name, recipients: [], ...more };
  return (await engine.transfers.upload(asked)).id;
}

const places = async (sent: AgentTransfer): Promise<string[]> =>
  (await filesOf(service, sent.package_id, sent.name)).map(({ path, name, state }) => `${path}/${name} ${state}`).sort();

/** A call with the package's own token. */
async function callPackage(name: string, method: string, path: string, body?: unknown) {
  const [found] = await packagesOf(service, name);
  const headers = { 'x-package-token': found!.access_token };
  return service.call<{ id: string; name: string }[]>(method, `/v1/packages/${found!.id}${path}`, { headers, body });
}

describe('a package that does not hold what was found', () => {
  /** All is sent and the package is open; then something is lost, and a person finalizes. */
  async function closedAfter(name: string, lose: (id: string) => Promise<void>): Promise<AgentTransfer> {
    writeTree(join(folder.path, name), { 'one.txt': 'one', 'below/two.txt': 'two', 'below/three.txt': 'three', empty: null });
    const id = await upload(name, { auto_finalize: false });
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'idle', files: 4 });
    await lose(id);
    await engine.transfers.finalize(id);
    return transferWhen(engine, id);
  }

  it.each<[string, (id: string, name: string) => Promise<void>]>([
    ['a row is lost', async (id) => void db.prepare("DELETE FROM files WHERE transfer_id = ? AND name = 'two.txt'").run(id)],
    [
      'a row is lost with the counts',
      async (id) => {
        db.prepare("DELETE FROM files WHERE transfer_id = ? AND name = 'two.txt'").run(id);
        db.prepare('UPDATE transfers SET total_files = total_files - 1, total_bytes = total_bytes - 3 WHERE id = ?').run(id);
      },
    ],
    [
      'the service has lost a file',
      async (_, name) => {
        const { body } = await callPackage(name, 'GET', '/files');
        const { id } = body.find((file) => file.name === 'three.txt')!;
        expect((await callPackage(name, 'DELETE', `/files/${id}`)).status).toBe(204);
      },
    ],
    [
      'the service has the beginning of a file that no row knows of',
      async (_, name) => {
        const body = { kind: 'file', name: 'gone.txt', path: `${name}/below`, last_modified: new Date(0).toISOString(), size: 9 };
        expect((await callPackage(name, 'POST', '/files', body)).status).toBe(201);
      },
    ],
  ])('is looked through until it does: %s', async (what, lose) => {
    const name = what.replaceAll(' ', '-');
    const sent = await closedAfter(name, (id) => lose(id, name));
    expect(sent).toMatchObject({ state: 'complete', error: null, files: 4, total_files: 4, receipt: true });
    expect(await places(sent)).toEqual([
      `${name}/below/three.txt finalized`,
      `${name}/below/two.txt finalized`,
      `${name}/empty finalized`,
      `${name}/one.txt finalized`,
    ]);
  });

  it('gets small files as they are now, of which it has others that were recorded and never noted', async () => {
    const name = 'changed-since';
    const sent = await closedAfter(name, async (id) => {
      db.prepare("DELETE FROM files WHERE transfer_id = ? AND path LIKE '%below'").run(id);
      writeTree(join(folder.path, name), { 'below/two.txt': 'two, once more', 'below/three.txt': 'three, once more' });
    });
    expect(sent).toMatchObject({ state: 'complete', error: null, files: 4, total_files: 4, receipt: true });
    const files = await filesOf(service, sent.package_id, sent.name);
    expect(files.filter(({ kind }) => kind === 'file').map((file) => [file.name, file.size])).toEqual(
      expect.arrayContaining([
        ['one.txt', 3],
        ['two.txt', 14],
        ['three.txt', 16],
      ]),
    );
  });

  it('is never closed where the difference stays: a file of somebody else is in it', async () => {
    const sent = await closedAfter('foreign', async () => {
      const body = { kind: 'file', name: 'theirs.txt', path: '', last_modified: new Date(0).toISOString(), size: 9 };
      expect((await callPackage('foreign', 'POST', '/files', body)).status).toBe(201);
    });
    expect(sent).toMatchObject({ state: 'error', error: { message: expect.stringContaining('theirs.txt') } });
    expect(await places(sent)).toContain('/theirs.txt new');
  });
});

it('a file that was begun and then vanished does not keep its package open, once a person does without it', async () => {
  const source = join(folder.path, 'vanished');
  writeTree(source, { 'here.txt': 'here', 'large.bin': seededBytes(6 * MiB, 1) });
  // So slow from its first byte that no chunk is through, nor let finish on pause, before the file has gone.
  await engine.transfers.pauseAll();
  const id = await upload('vanished', { chunk_size: 5 * MiB });
  await engine.transfers.change(id, { rate_limit_bps: MiB / 4 });
  await engine.transfers.resumeAll();
  await transferWhen(engine, id, ({ bytes, package_id }) => package_id !== '' && bytes > 100_000);
  await engine.transfers.pause(id);
  rmSync(join(source, 'large.bin'));
  await engine.transfers.change(id, { rate_limit_bps: 0 });
  await engine.transfers.resume(id);
  const failed = await transferWhen(engine, id);
  expect(failed).toMatchObject({ state: 'error', files: 1, error: { message: expect.stringContaining('1 of 2 files') } });
  expect(await places(failed)).toEqual(['vanished/here.txt finalized', 'vanished/large.bin new']);
  await engine.transfers.finalize(id);
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({ state: 'complete', error: null, receipt: true });
  expect(await places(sent)).toEqual(['vanished/here.txt finalized']);
});
