import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { addFunctions } from '#engine/state/lists.ts';
import { migrations } from '#engine/state/migrations/index.ts';
import { salvageSettings } from '#engine/state/salvage.ts';
import { openStore } from '#engine/state/store.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Every earlier version's state, with rows as that version wrote them, opened by today's agent. */

const spent = { reading: 1, hashing: 2, writing: 0, network: 3, limit: 0, server: 4, waiting: 0, elapsed: 10, slowest: 'server' };

const sealer = sealerOf(Buffer.alloc(32, 3));

/** What each version wrote that the one before did not. A new version has to say here what its rows look like. */
const rowsOf: Readonly<Record<number, (db: Database.Database) => void>> = {
  1(db) {
    const request = { serviceUrl: 'http://s', teamId: 't', paths: ['/a'], description: 'd', recipients: ['a@b.c'], autoFinalize: true };
    const facts = { scanned: true, packageId: 'p', packageFinalized: false, cleanUpDue: false };
    const insert = db.prepare(`
      INSERT INTO transfers (id, kind, state, name, priority, position, request, facts, secrets, error, bytes, total_bytes, files,
        total_files, created_at, updated_at, finished_at)
      VALUES (?, ?, ?, 'Dailies', 1, ?, ?, ?, ?, ?, 5, 30, 1, 3, 10, 20, ?)`);
    const secrets = sealer.seal('{"packageToken":"secret"}');
    insert.run('up', 'upload', 'queued', 1, JSON.stringify(request), JSON.stringify(facts), secrets, null, null);
    insert.run('waits', 'upload', 'paused', 2, JSON.stringify(request), JSON.stringify(facts), secrets, null, null);
    const link = {
      serviceUrl: 'http://s',
      linkId: 'l',
      shownUrl: 'http://s/d/l',
      dstFolder: '/x',
      fileIds: null,
      createPackageFolder: false,
    };
    const planned = { packageId: 'p', root: '/x', planned: true };
    const linked = sealer.seal('{"linkSecret":"s"}');
    insert.run('down', 'download', 'complete', 3, JSON.stringify(link), JSON.stringify(planned), linked, null, 30);
    const failed = '{"code":7,"message":"no","retryable":true}';
    insert.run('failed', 'download', 'error', 4, JSON.stringify(link), JSON.stringify(planned), linked, failed, null);
    const owing = { ...facts, cleanUpDue: true };
    insert.run('cleanup', 'upload', 'cancelled', 5, JSON.stringify(request), JSON.stringify(owing), secrets, null, 40);
    db.exec("UPDATE transfers SET name = 'Übersee' WHERE id = 'cleanup'");
    const file = db.prepare(`
      INSERT INTO files (transfer_id, kind, path, name, local, size, modified_at, inode, state, remote_id, upload_id, chunk_size, chunk_checksum)
      VALUES ('up', 'file', 'a', ?, ?, 10, 1.5, '1:2', ?, 'r', 'u', 5, 'blake3')`);
    for (const [name, state] of [
      ['begun', 'pending'],
      ['through', 'complete'],
      ['left', 'skipped'],
    ])
      file.run(name, `/a/${name}`, state);
    db.exec("INSERT INTO chunks VALUES (1, 0, 'etag', 'b3')");
    db.exec(`INSERT INTO settings VALUES ('session', '{"serviceUrl":"http://s"}')`);
  },
  2(db) {
    db.exec("UPDATE transfers SET paused_since = 15, paused_until = 99 WHERE id = 'waits'");
    db.exec("INSERT INTO added_paths VALUES ('up', 1, '/b'), ('up', 2, '/c')");
  },
  4: (db) => db.exec("UPDATE transfers SET rate_limit = 1000 WHERE id = 'up'"),
  5(db) {
    db.prepare("UPDATE transfers SET time_spent = ? WHERE id = 'up'").run(JSON.stringify(spent));
    db.exec("UPDATE transfers SET removed = 1 WHERE id = 'failed'");
  },
  6(db) {
    db.exec("INSERT INTO tokens VALUES ('k', 'Render farm', 'read transfer', 'digest', 10, NULL, 12, NULL)");
    db.exec("INSERT INTO token_calls VALUES (1, 'k', 'GET', '/api/v1/transfers', 200, '127.0.0.1', 3, 11, 12)");
  },
  7: (db) => db.exec("INSERT INTO transfer_log VALUES ('up', 1, 11, 'waiting', 'The network is gone.')"),
  8(db) {
    const portal = {
      serviceUrl: 'http://s',
      teamId: '',
      paths: ['/a'],
      description: '',
      recipients: [],
      portal: { id: 'p', sender: 'a@b.c' },
    };
    const set = "request = ?, team_id = '', portal_id = 'p', folded_name = 'dailies'";
    db.prepare(`UPDATE transfers SET ${set} WHERE id = 'waits'`).run(JSON.stringify(portal));
  },
  9(db) {
    const set = "request = json_set(request, '$.source', json(?))";
    db.prepare(`UPDATE transfers SET ${set} WHERE id = 'failed'`).run('{"kind":"package","teamId":"t"}');
  },
  10(db) {
    const insert = 'INSERT INTO automations (id, kind, name, active, fields, facts, secrets, restricted, created_at, updated_at)';
    db.prepare(`${insert} VALUES ('cart', 'team_upload', 'Cart', 1, '{"name":"Cart"}', '{"counter":1}', ?, 0, 10, 20)`).run(
      sealer.seal('{}'),
    );
    db.exec(`INSERT INTO ledger (automation_id, key, path, size, modified_at, state, at)
      VALUES ('cart', 'a.mov', 'a.mov', 5, 1.5, 'sent', 30)`);
    db.exec("INSERT INTO automation_results (automation_id, at, kind, name) VALUES ('cart', 30, 'sent', 'a.mov')");
    db.exec("INSERT INTO automation_questions (id, automation_id, entry, fields, asked_at) VALUES ('q', 'cart', 'b', '[]', 30)");
  },
  11(db) {
    db.exec("INSERT INTO gateways VALUES ('g', 'http://s', 't', 10)");
    db.exec("INSERT INTO mounts VALUES ('m', 'g', 'c', 'NAS', '/mnt/nas', '/srv/nas', 0, 1, 10, 20)");
  },
  12: (db) => db.exec("UPDATE transfers SET due_at = 500 WHERE id = 'up'"),
  13: (db) =>
    db.exec(`INSERT INTO files (transfer_id, kind, path, name, local, size, modified_at, state, remote_id, upload_id, chunk_size, unknown_size)
      VALUES ('waits', 'file', '', 'clip.mov', '/a/clip.mov', 9, 1.5, 'growing', 'r', 'u', 5, 1)`),
  14: (db) => db.exec(`INSERT INTO upload_roots VALUES ('up', 0, '/a', '{"path":"/a","kind":"directory","ino":1,"entries":[]}')`),
  15: (db) =>
    db.exec(
      "INSERT INTO files (transfer_id, kind, path, name, local, size, modified_at) VALUES ('down', 'file', '', 'Aufnahme.mov', 'x', 1, 1)",
    ),
  // Names are added by the agent itself from here on.
  16: () => {},
  17: (db) => db.exec("INSERT INTO shown_bytes VALUES ('up', 7)"),
};

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** The file as an agent of that version left it. */
function stateOf(version: number): void {
  const db = new Database(join(folder.path, 'agent.db'));
  addFunctions(db);
  db.pragma('journal_mode = WAL');
  for (const migration of migrations.filter((one) => one.version <= version)) {
    db.exec(migration.sql);
    db.pragma(`user_version = ${migration.version}`);
    rowsOf[migration.version]!(db);
  }
  db.close();
}

it('knows the rows of every version', () => {
  expect(migrations.map(({ version }) => version)).toEqual(Object.keys(rowsOf).map(Number));
});

describe.each(migrations.map(({ version }) => version))('the state of version %i', (version) => {
  it('comes out as it went in, with what was new later at its beginning', () => {
    stateOf(version);
    const opened = openDatabase(folder.path, { now: 0 });
    expect([opened.warnings, salvageSettings(opened, 0)]).toEqual([[], []]);
    expect(opened.db.pragma('user_version', { simple: true })).toBe(migrations.at(-1)!.version);
    const store = openStore(opened, sealer, createFakeClock());
    const byId = Object.fromEntries(allTransfers(store).map((record) => [record.id, record]));
    expect(byId['up']).toMatchObject({
      kind: 'upload',
      phase: { state: 'queued' },
      name: 'Dailies',
      position: 1,
      bytes: 5,
      totalBytes: 30,
      request: { paths: ['/a'], recipients: ['a@b.c'], autoFinalize: true },
      added: version >= 2 ? ['/b', '/c'] : [],
      facts: { scanned: true, package: { state: 'open', id: 'p' } },
      secrets: { packageToken: 'secret' },
      rateLimit: version >= 4 ? 1_000 : 0,
      ...(version >= 5 ? { timeSpent: spent } : {}),
      ...(version >= 12 ? { dueAt: 500 } : {}),
    });
    expect(byId['waits']!.phase).toEqual(
      version >= 2 ? { state: 'paused', since: 15, until: 99 } : { state: 'paused', since: 20, until: null },
    );
    expect(byId['down']).toMatchObject({ kind: 'download', phase: { state: 'complete', finishedAt: 30 }, secrets: { linkSecret: 's' } });
    expect(byId['down']!.request).toEqual({
      serviceUrl: 'http://s',
      source: { kind: 'link', linkId: 'l', shownUrl: 'http://s/d/l' },
      dstFolder: '/x',
      fileIds: null,
      createPackageFolder: false,
    });
    expect(store.lists.page({ page: 1, limit: 9, sort: 'queue' })).toEqual(
      version >= 5 ? ['up', 'waits', 'cleanup', 'down'] : ['up', 'waits', 'failed', 'cleanup', 'down'],
    );
    expect(store.lists.all({ team_id: 't' }).toSorted()).toEqual(version >= 8 ? ['cleanup', 'up'] : ['cleanup', 'up', 'waits']);
    expect(store.lists.all({ portal_id: 'p' })).toEqual(version >= 8 ? ['waits'] : []);
    expect([store.lists.all({ name: 'üBER' }), store.lists.dueForCleanup(), store.lists.pausedForATime()]).toEqual([
      ['cleanup'],
      ['cleanup'],
      version >= 2 ? ['waits'] : [],
    ]);
    expect(store.lists.queuedDue().map(({ id, dueAt, scanned }) => [id, dueAt, scanned])).toEqual(version >= 12 ? [['up', 500, true]] : []);
    if (version >= 5) expect([byId['failed'], store.transfers.hidden()]).toEqual([undefined, ['failed']]);
    else expect(byId['failed']!.phase).toEqual({ state: 'error', failure: { code: 7, message: 'no', retryable: true } });
    expect(store.files.counts('up')).toEqual({ files: 1, totalFiles: 2, bytes: 15, totalBytes: 20 });
    const [begun] = store.files.pending('up', 0, 10);
    expect(begun).toMatchObject({ name: 'begun', local: '/a/begun', modifiedAt: 1.5 });
    expect(begun!.remote).toMatchObject({ state: 'open', fileId: 'r', uploadId: 'u', chunkSize: 5 });
    expect([...store.files.chunks(begun!.id)]).toEqual([[0, { etag: 'etag', blake3: 'b3' }]]);
    expect(store.files.growing('waits', 0, 10)).toMatchObject(
      version >= 13 ? [{ state: 'growing', remote: { state: 'open', unknownSize: true } }] : [],
    );
    expect(store.log.of('up')).toEqual(version >= 7 ? [{ at: 11, event: 'waiting', detail: 'The network is gone.' }] : []);
    expect(store.settings.get('session')).toBe('{"serviceUrl":"http://s"}');
    const { records, ledger, results, questions } = store.automations;
    expect(records.all().map(({ id }) => id)).toEqual(version >= 10 ? ['cart'] : []);
    expect([ledger.counts('cart').sent, results.last('cart', 9).length, questions.open('cart')]).toEqual(
      version >= 10 ? [1, 1, 1] : [0, 0, 0],
    );
    store.close();
  });

  it('can give back its free pages from then on', () => {
    stateOf(version);
    const { db } = openDatabase(folder.path, { now: 0 });
    expect(db.pragma('auto_vacuum', { simple: true })).toBe(2);
    db.close();
  });
});
