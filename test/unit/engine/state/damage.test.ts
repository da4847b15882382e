import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '#engine/errors.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { salvageSettings, salvageTransfers } from '#engine/state/salvage.ts';
import { openStore } from '#engine/state/store.ts';
import type { NewFile, UploadRecord } from '#engine/transfer/record.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { runs, seeds, soaking } from '#test/support/faults/seeds.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A state file that is damaged, in every way that one can be: set aside with a message, and never silently thrown away. */

const now = Date.UTC(2026, 10, 20, 12);
const sealer = sealerOf(randomBytes(32));
const transfers = 12;
const filesEach = 60;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let whole: Buffer;
const dataDir = (): string => join(folder.path, 'agent');
const file = (): string => join(dataDir(), 'agent.db');

function record(number: number): UploadRecord {
  return {
    id: `upload-${number}`,
    kind: 'upload',
    phase: { state: number % 2 === 0 ? 'queued' : 'complete', ...(number % 2 === 0 ? {} : { finishedAt: 5 }) } as UploadRecord['phase'],
    name: `Dailies ${number}`,
    priority: 'normal',
    position: number,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: number,
    updatedAt: number,
    request: { serviceUrl: 'http://s', teamId: 't', paths: ['/a'], description: 'd'.repeat(200), recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'open', id: 'p' } },
    secrets: { packageToken: `token ${number}` },
  };
}

const newFile = (name: string): NewFile => ({
  kind: 'file',
  path: 'a',
  name,
  local: `/a/${name}`,
  size: 10,
  modifiedAt: 1.5,
  inode: '1:1',
});

beforeAll(async () => {
  folder = await tempFolder();
  const store = openStore(openDatabase(dataDir(), { now }), sealer, createFakeClock());
  store.writer.write(() => {
    for (let number = 0; number < transfers; number++) {
      store.transfers.insert(record(number));
      store.files.insert(
        `upload-${number}`,
        Array.from({ length: filesEach }, (_, index) => newFile(`file-${number}-${index}`)),
      );
    }
    store.settings.set('agent-settings', '{"history_days":7}');
  });
  store.close();
  whole = readFileSync(file());
});
beforeEach(() => {
  rmSync(dataDir(), { recursive: true });
  mkdirSync(dataDir());
  writeFileSync(file(), whole);
});
afterAll(() => folder.remove());

/** Opens what lies there, as the engine does. */
function open() {
  const opened = openDatabase(dataDir(), { now });
  try {
    const warnings = [...opened.warnings, ...salvageSettings(opened, now)];
    let unreadable = false;
    const store = openStore(opened, sealer, createFakeClock(), () => {
      unreadable = true;
    });
    // Whoever looks at all of them meets what cannot be read.
    let found = allTransfers(store);
    if (unreadable) {
      warnings.push(...drained(salvageTransfers(opened, sealer, { now: () => now, flush: store.writer.flush })));
      unreadable = false;
      found = allTransfers(store);
      expect(unreadable).toBe(false);
    }
    const files = found.reduce((sum, { id }) => sum + store.files.page(id, 0, 1).total, 0);
    const pending = found.reduce((sum, { id }) => sum + store.files.pending(id, 0, 1_000).length, 0);
    return { warnings, transfers: found.length, files, pending, setting: store.settings.get('agent-settings') };
  } finally {
    opened.db.close();
  }
}

/** What a generator comes to in the end. */
function drained<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const asides = (): string[] => readdirSync(dataDir()).filter((name) => name.includes('.damaged-'));

const complete = { warnings: [], transfers, files: transfers * filesEach, pending: transfers * filesEach, setting: '{"history_days":7}' };

/** Either nothing is lost, or somebody is told and the bytes are kept, or a file that looks newer is left as it is. */
function expectNothingLostSilently(corrupted: Buffer, how: string): 'whole' | 'aside' | 'refused' {
  let outcome: ReturnType<typeof open>;
  try {
    outcome = open();
  } catch (error) {
    expect(error, how).toBeInstanceOf(EngineError);
    expect((error as EngineError).code, how).toBe('data_folder_newer');
    expect(readFileSync(file()).equals(corrupted), how).toBe(true);
    return 'refused';
  }
  if (outcome.warnings.length === 0) {
    expect({ ...outcome, setting: '' }, how).toEqual({ ...complete, setting: '' });
    return 'whole';
  }
  const [aside] = asides();
  expect(outcome.warnings[0], how).toContain(aside);
  expect(readFileSync(join(dataDir(), aside!)).equals(corrupted), how).toBe(true);
  return 'aside';
}

it('is whole, as it is', () => {
  expect(open()).toEqual(complete);
});

describe('a flipped byte', () => {
  it.each(Array.from({ length: 100 }, (_, at) => at))('at %i of the header loses nothing silently', (at) => {
    const corrupted = Buffer.from(whole);
    corrupted[at]! ^= 0xff;
    writeFileSync(file(), corrupted);
    expectNothingLostSilently(corrupted, `byte ${at}`);
  });

  // Others each time in a soak.
  const seed = soaking ? seeds(1)[0]! : 4;
  it(`anywhere loses nothing silently (seed ${seed})`, () => {
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const outcomes = { whole: 0, aside: 0, refused: 0 };
    for (let round = 0; round < runs(75, 2_000); round++) {
      const corrupted = Buffer.from(whole);
      const at = random(whole.length);
      const mask = 1 + random(255);
      corrupted[at]! ^= mask;
      for (const name of asides()) rmSync(join(dataDir(), name));
      rmSync(`${file()}-wal`, { force: true });
      writeFileSync(file(), corrupted);
      outcomes[expectNothingLostSilently(corrupted, `seed ${seed}, round ${round}: byte ${at} ^ ${mask}`)]++;
    }
    // It does hit something.
    expect(outcomes.aside).toBeGreaterThan(5);
    expect(outcomes.whole).toBeGreaterThan(5);
  });
});

describe('what a table is made by, with one letter changed, though each page is as it should be,', () => {
  it.each([
    "CHECK (kind IN ('upload",
    'transfer_id TEXT NOT NULL REFERENCES transfers (id',
    "state TEXT NOT NULL DEFAULT 'pending",
    'DELETE FROM file_names WHERE rowid = old.id',
  ])('is damage: %s', (text) => {
    const corrupted = Buffer.from(whole);
    expect(corrupted.includes(text)).toBe(true);
    // In pages that are used no more it may stand as well.
    for (let at = corrupted.indexOf(text); at >= 0; at = corrupted.indexOf(text, at + 1)) corrupted[at + text.length - 1]! ^= 1;
    writeFileSync(file(), corrupted);
    expect(expectNothingLostSilently(corrupted, text)).toBe('aside');
  });
});

it.each([1, 99, 100, 511, 512, 4_095, 4_096, 4_097, 20_000, -4_096])('a file cut to %i bytes is set aside', (length) => {
  const size = length < 0 ? whole.length + length : length;
  truncateSync(file(), size);
  expect(expectNothingLostSilently(whole.subarray(0, size), `${size} bytes`)).toBe('aside');
});

it('a file without a byte is begun anew, and somebody is told', () => {
  truncateSync(file(), 0);
  expect(open()).toMatchObject({ warnings: [expect.stringMatching(/agent\.db was empty/)], transfers: 0 });
  expect(open().warnings).toEqual([]);
});

it('an emptied file takes the log beside it along, where the last changes may be', () => {
  const { db } = openDatabase(dataDir(), { now });
  db.exec("INSERT INTO settings VALUES ('late', '1')");
  copyFileSync(`${file()}-wal`, join(folder.path, 'log'));
  db.close();
  writeFileSync(file(), '');
  copyFileSync(join(folder.path, 'log'), `${file()}-wal`);
  expect(open().warnings).toEqual([expect.stringContaining('was damaged')]);
  const log = asides().find((name) => name.endsWith('-wal'))!;
  expect(readFileSync(join(dataDir(), log)).equals(readFileSync(join(folder.path, 'log')))).toBe(true);
});

it('another program’s database is set aside', () => {
  rmSync(file());
  const other = new Database(file());
  other.exec('CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES (1)');
  other.close();
  const theirs = readFileSync(file());
  expect(open()).toMatchObject({ warnings: [expect.stringContaining('was damaged')], transfers: 0 });
  expect(readFileSync(join(dataDir(), asides()[0]!)).equals(theirs)).toBe(true);
});

it('a second one within the same moment gets a name of its own', () => {
  writeFileSync(file(), 'no database');
  open();
  writeFileSync(file(), 'nor is this');
  open();
  const kept = asides().map((name) => readFileSync(join(dataDir(), name), 'utf8'));
  expect(kept.toSorted()).toEqual(['no database', 'nor is this']);
});

describe('what is corrupted inside of a row', () => {
  function corrupt(sql: string): void {
    const db = new Database(file());
    db.exec(sql);
    db.close();
  }

  it.each([
    ["UPDATE transfers SET request = substr(request, 2) WHERE id = 'upload-3'"],
    ["UPDATE transfers SET facts = '[]' WHERE id = 'upload-3'"],
    ["UPDATE transfers SET secrets = replace(secrets, 'v1.', 'v2.') WHERE id = 'upload-3'"],
    ["UPDATE transfers SET state = 'waving' WHERE id = 'upload-3'"],
    ["UPDATE transfers SET state = 'error', error = '{' WHERE id = 'upload-3'"],
  ])('takes that transfer out, and the others go on: %s', (sql) => {
    corrupt(sql);
    const corrupted = readFileSync(file());
    expect(open()).toMatchObject({
      warnings: [expect.stringMatching(/could not read 1 of its transfers, .* kept as .*\.damaged-/)],
      transfers: transfers - 1,
      files: (transfers - 1) * filesEach,
    });
    expect(readFileSync(join(dataDir(), asides()[0]!)).equals(corrupted)).toBe(true);
    expect(open().warnings).toEqual([]);
  });

  it('takes a setting out that cannot be read', () => {
    corrupt("UPDATE settings SET value = '{' WHERE name = 'agent-settings'");
    expect(open()).toMatchObject({ warnings: [expect.stringContaining('1 of its settings')], transfers, setting: null });
  });

  it('keeps a file whose own error cannot be read', () => {
    corrupt("UPDATE files SET state = 'error', error = '{' WHERE name = 'file-0-0'");
    const opened = openDatabase(dataDir(), { now });
    const store = openStore(opened, sealer, createFakeClock());
    expect(store.files.failures('upload-0')).toMatchObject({ count: 1, first: { name: 'file-0-0', error: { message: '{' } } });
    store.close();
  });

  it('does not trust an index that disagrees with its table', () => {
    const db = new Database(file());
    db.unsafeMode();
    db.pragma('writable_schema = ON');
    const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'files_pending'").get() as { rootpage: number };
    db.close();
    // The pages of the index that says which files are still to be sent: one entry names another file.
    const corrupted = Buffer.from(whole);
    const start = (rootpage - 1) * 4_096;
    const at = corrupted.indexOf('upload-4', start);
    expect(at).toBeGreaterThan(start);
    corrupted[at + 7] = '5'.charCodeAt(0);
    writeFileSync(file(), corrupted);
    expect(expectNothingLostSilently(corrupted, 'an index entry')).toBe('aside');
  });
});

describe('the log of the last changes', () => {
  let state: Buffer;
  let log: Buffer;
  const rows = 40;

  /** As a killed agent leaves it: forty commits that stand in the log alone. */
  beforeEach(() => {
    const { db } = openDatabase(dataDir(), { now });
    db.pragma('wal_checkpoint(TRUNCATE)');
    const insert = db.prepare("INSERT INTO settings VALUES (?, '1')");
    for (let row = 0; row < rows; row++) insert.run(`late-${row}`);
    state = readFileSync(file());
    log = readFileSync(`${file()}-wal`);
    db.close();
  });

  /** Opens the state with such a log. */
  function found(corrupted: Buffer) {
    for (const name of readdirSync(dataDir())) rmSync(join(dataDir(), name));
    writeFileSync(file(), state);
    writeFileSync(`${file()}-wal`, corrupted);
    const { db, warnings } = openDatabase(dataDir(), { now });
    const { count } = db.prepare("SELECT count(*) AS count FROM settings WHERE name LIKE 'late-%'").get() as { count: number };
    db.close();
    return { count, warnings };
  }

  it('comes out whole', () => {
    expect(found(log)).toEqual({ count: rows, warnings: [] });
    expect(found(Buffer.alloc(0))).toEqual({ count: 0, warnings: [] });
  });

  it('with a flipped byte anywhere but in its last frame is kept, and somebody is told', () => {
    const frame = 24 + 4_096;
    const step = soaking ? 97 : 9_973;
    const places = Array.from({ length: Math.floor((log.length - frame) / step) }, (_, index) => index * step);
    for (const at of [1, 9, 17, 25, 33, 37, 41, 49, ...places]) {
      const corrupted = Buffer.from(log);
      corrupted[at]! ^= 0x10;
      const { count, warnings } = found(corrupted);
      expect(count, `byte ${at}`).toBeLessThan(rows);
      expect(warnings, `byte ${at}`).toEqual([expect.stringContaining('log of the agent')]);
      const kept = asides().find((name) => name.endsWith('-wal'))!;
      expect(readFileSync(join(dataDir(), kept)).equals(corrupted), `byte ${at}`).toBe(true);
    }
  });

  it('with a torn end is the log of a power cut: nobody is told', () => {
    for (const length of [log.length - 1, log.length - 4_120, log.length - 4_121, 32 + 3 * 4_120, 40, 32, 31, 1]) {
      const { count, warnings } = found(log.subarray(0, length));
      expect(count).toBeLessThan(rows);
      expect(warnings, `${length} bytes`).toEqual([]);
    }
    const last = Buffer.from(log);
    last[last.length - 1]! ^= 1;
    expect(found(last)).toEqual({ count: rows - 1, warnings: [] });
  });

  it('may have an earlier one behind its end', () => {
    const { db } = openDatabase(dataDir(), { now });
    db.exec("INSERT INTO settings VALUES ('first', '1')");
    db.exec("INSERT INTO settings VALUES ('second', '1')");
    db.pragma('wal_checkpoint(RESTART)');
    db.exec("INSERT INTO settings VALUES ('third', '1')");
    const reused = readFileSync(`${file()}-wal`);
    state = readFileSync(file());
    db.close();
    expect(reused.length).toBeGreaterThan(32 + 4_120);
    expect(found(reused).warnings).toEqual([]);
  });
});
