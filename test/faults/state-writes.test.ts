import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type FailingState, failingState, writeFaults } from '#test/support/faults/failing-state-file.ts';
import { filesOf } from '#test/support/faults/invariants.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { firstOf, whole } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * A state file that takes a write no more: what was in the open batch has not happened, so nothing of it may be known
 * of afterwards. An agent that remembered more than its file skipped files when it looked for them the next time.
 */

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
});
afterAll(async () => {
  await service?.close();
  await folder?.remove();
});

/** Begins an upload; who is told that it could not be written down asks again. */
async function upload(engine: Engine, source: string, name: string, code = 'SQLITE_FULL'): Promise<string> {
  const asked = { team_id: service.teamId, paths: [source], package_name: name, recipients: [] };
  const begun = await engine.transfers.upload(asked).catch(async (error: unknown) => {
    expect(error).toMatchObject({ code });
    expect((await engine.transfers.list('all', { page: 1, limit: 50, name, state: [] })).total).toBe(0);
    return engine.transfers.upload(asked);
  });
  return begun.id;
}

/** Complete, with a receipt, and the package has each file of the folder once. */
async function checkWhole(sent: AgentTransfer, source: string): Promise<void> {
  const files = await filesOf(service, sent.package_id, sent.name);
  const places = files.map(({ path, name }) => `${path}/${name}`.replace(/^[^/]*\//, '')).sort();
  expect(places).toEqual(Object.keys(readTree(source)).sort());
  expect(sent).toMatchObject({ state: 'complete', error: null, receipt: true, files: files.length, total_files: files.length });
}

/** What an upload writes: a test that does not come by one of them tries nothing. */
const kinds = [
  'BEGIN IMMEDIATE',
  'COMMIT',
  'DELETE FROM chunks',
  'DELETE FROM files',
  'DELETE FROM shown_bytes',
  'DELETE FROM transfer_log',
  'INSERT INTO files',
  'INSERT INTO shown_bytes',
  'INSERT INTO transfer_log',
  'INSERT INTO transfers',
  'INSERT INTO upload_roots',
  'INSERT OR REPLACE INTO chunks',
  'INSERT OR REPLACE INTO file_names',
  'UPDATE files',
  'UPDATE transfers',
];

test.each(firstOf(Object.keys(writeFaults) as (keyof typeof writeFaults)[]))(
  'every write of an upload fails once, by %s: the package is whole each time',
  async (code) => {
    const source = join(folder.path, `source ${code}`);
    writeTree(source, {
      'one.bin': seededBytes(1_000, 1),
      'below/three.bin': seededBytes(3_000, 3),
      // Too large to go with others.
      'below/large.bin': seededBytes(300_000, 4),
      empty: null,
    });
    const state: FailingState = failingState(code);
    const engine = await startTestEngine({
      dataDir: join(folder.path, `turns ${code}`),
      serviceUrl: service.url,
      apiKey: service.apiKey,
      clock: fastClock(200),
      openState: state.open,
    });
    try {
      const failed = new Set<string>();
      // What a write leaves undone depends on where it is, and who is told on its kind: each place fails by one code, each
      // kind by every code; in a soak each place by every code, and in a run of the first level none.
      for (let number = 1; soaking || (whole && code === 'SQLITE_FULL'); number++) {
        state.failAt(number);
        const name = `Write ${number} ${code}`;
        const sent = await transferWhen(engine, await upload(engine, source, name, code));
        expect([number, state.failed, sent.error]).toEqual([number, state.failed, null]);
        await checkWhole(sent, source);
        if (state.failed === '') break;
        failed.add(state.failed.replace(/\s+/g, ' ').replace(/^(\w+( OR REPLACE)? (INTO |FROM )?\w+).*$/, '$1'));
      }
      // The order of writes differs from run to run, so the number of a write says nothing of its kind.
      for (const kind of kinds.filter((one) => !failed.has(one))) {
        state.failFirst(kind);
        const name = `First ${kind} ${code}`;
        const sent = await transferWhen(engine, await upload(engine, source, name, code));
        expect([kind, state.failed.startsWith(kind), sent.error]).toEqual([kind, true, null]);
        await checkWhole(sent, source);
        failed.add(kind);
      }
      // Nothing else is written, and nothing that is written was left out.
      expect([...failed].sort()).toEqual(kinds);
    } finally {
      state.failAt(null);
      await engine.close();
    }
  },
);

/** Where a full disk shows: at the end of a batch, whose changes are all known in memory by then, or amid it. */
test.each(firstOf(['COMMIT', 'INSERT INTO files']))(
  'a state disk that is full amid a scan, at %s, is waited for, and no file is missed',
  async (where) => {
    const source = join(folder.path, where);
    const count = 1_500;
    for (const below of ['a', 'b', 'c']) {
      writeTree(join(source, below), Object.fromEntries(Array.from({ length: count / 3 }, (_, number) => [`${number}`, `${number}`])));
    }
    const state = failingState();
    const engine = await startTestEngine({
      dataDir: join(folder.path, `full ${where}`),
      serviceUrl: service.url,
      apiKey: service.apiKey,
      clock: fastClock(50),
      openState: state.open,
    });
    try {
      let found = 0;
      state.failWhere((sql) => {
        if (sql.startsWith('INSERT INTO files')) found++;
        return found > count / 2 && sql.startsWith(where);
      });
      const id = await upload(engine, source, `Full at ${where}`);
      const full = await transferWhen(engine, id, ({ waiting }) => waiting?.reason.includes('data folder is full') ?? false);
      expect(full).toMatchObject({ state: 'transferring', error: null });
      expect(full.total_files).toBeLessThan(count);
      state.failWhere(null);
      await checkWhole(await transferWhen(engine, id), source);
    } finally {
      state.failWhere(null);
      await engine.close();
    }
  },
);
