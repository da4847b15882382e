import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { openDataFolder, restoringFileName, secretFileName } from '../data-folder.ts';
import { newClient } from '../database/clients.ts';
import { connectionOf } from '../database/connection-of.ts';
import { checkReachable, migrateTo, openDatabase } from '../database/database.ts';
import { displayUrlOf } from '../database/display-url.ts';
import { migrations } from '../database/migrations/index.ts';
import { startPrivatePostgres } from '../database/private-postgres.ts';
import { versionOf } from '../database/versions.ts';
import { openJobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import { objectsIdFileName } from '../objects-folder.ts';
import { fileProblem } from '../start-error.ts';
import { BackupError, storeProblem } from './backup-error.ts';
import { folderStore } from './folder-store.ts';
import { chosenManifest, inSnapshot, type Manifest, names } from './manifest.ts';
import { createMeter } from './meter.ts';
import type { Missing } from './missing.ts';
import { copyItem, pathOf } from './object-copy.ts';
import { listedItems, objectsOf } from './object-list.ts';
import type { FileStore, OnProgress } from './ports.ts';
import { restoredFact, restoreRows } from './restore-rows.ts';
import type { Fault } from './row-facts.ts';
import { sealedKeyOf } from './sealed-key.ts';
import { forEachOf, gunzipped } from './streams.ts';
import { missingOf, problemOf } from './verify.ts';

export interface RestoreOptions {
  readonly store: FileStore;
  /** Default: the latest. */
  readonly snapshot?: string | undefined;
  /** The service's data folder: empty, or not there yet. */
  readonly dataDir: string;
  /** An empty database, for a service with one of its own; otherwise a private one is made. */
  readonly databaseUrl?: string | undefined;
  /** Opens the sealed key. `null`: `secret.key` lies in the data folder already. */
  readonly passphrase: string | null;
  readonly log: Log;
  readonly onProgress: OnProgress;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  readonly missing: readonly Missing[];
}

const width = 4;

/**
 * Makes a service of a backup, in an empty place. A file in the data folder keeps services from starting there until it is
 * done; killed at any moment, the same command goes on: objects that are there stay, rows come all at once. Errors:
 * `BackupError`, `StartError`, and PostgreSQL's.
 */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { store, databaseUrl, log } = options;
  const given = databaseUrl === undefined ? null : connectionOf(databaseUrl);
  const manifest = await chosenManifest(store, options.snapshot).catch((error: unknown) => {
    throw storeProblem(error, store.name);
  });
  if (!(manifest.migration in migrations)) {
    throw new BackupError(
      'other_version',
      `The backup is of Longshore ${manifest.version}, which is newer than this one. Restore with that version.`,
    );
  }
  const missing: Missing[] = [];
  for await (const one of missingOf(store, manifest)) missing.push(one);
  const path = resolve(options.dataDir);
  const secret = await secretOf(options, manifest, path);
  const goesOn = await claimFolder(path, manifest, store).catch((error: unknown) => {
    throw fileProblem(error, path);
  });
  await keep(join(path, secretFileName), `${secret.toString('base64url')}\n`);

  const folder = await openDataFolder(path, { restoring: true });
  try {
    const postgres =
      databaseUrl === undefined
        ? await startPrivatePostgres({ folder: folder.postgres, secret: folder.secret, logFile: join(folder.path, 'postgres.log'), log })
        : null;
    try {
      const connection = postgres?.connection ?? given!;
      const client = newClient(connection, { application_name: 'longshore restore' });
      client.on('error', () => undefined);
      const db = openDatabase(connection, log, 2);
      try {
        await checkReachable(db, databaseUrl === undefined ? path : displayUrlOf(databaseUrl));
        await client.connect();
        const isFilled = (await versionOf(db)) !== 'empty' && (await hasRows(client, goesOn ? manifest.id : null));
        if (manifest.objects.kept) await copyObjects(options, manifest, missing, folder.objects);
        if (!isFilled) {
          await migrateTo(db, manifest.migration, log);
          await (await openJobs(connection, log)).close(0);
          const meter = createMeter(options.onProgress);
          const bytes = manifest.tables.reduce((sum, table) => sum + table.sum.size, 0);
          meter.begin('tables', { objects: manifest.tables.length, bytes });
          await restoreRows(client, store, manifest, missing, ({ sum }) => {
            meter.moved(sum.size);
            meter.finished(1);
          });
        }
        const { rows } = await client.query<{ value: string }>(`select value from service_facts where name = 'objects_folder'`);
        if (rows[0] && manifest.objects.kept) await keep(join(folder.objects, objectsIdFileName), `${rows[0].value}\n`);
      } finally {
        await client.end().catch(() => undefined);
        await db.destroy();
      }
    } finally {
      await postgres?.close();
    }
    await rm(join(path, restoringFileName), { force: true });
    return { manifest, missing };
  } finally {
    folder.release();
  }
}

async function secretOf({ store, passphrase }: RestoreOptions, manifest: Manifest, path: string): Promise<Buffer> {
  const sealed = passphrase === null ? null : await sealedKeyOf(store, manifest, passphrase);
  if (sealed !== null) return sealed;
  const known = await readFile(join(path, secretFileName), 'utf8').catch(() => '');
  const secret = Buffer.from(known.trim(), 'base64url');
  if (secret.length === 32) return secret;
  throw new BackupError(
    'passphrase',
    manifest.secret
      ? 'The key in the backup is sealed. Give the passphrase (--passphrase-file or LONGSHORE_BACKUP_PASSPHRASE).'
      : `The backup has no key: it was made with --without-secret. Put the service's secret.key into ${path}, then run the same command again.`,
  );
}

/** Marks an empty folder as one that is being restored; true where that mark of the same snapshot is there already. */
async function claimFolder(path: string, { id }: Manifest, store: FileStore): Promise<boolean> {
  makeDirs(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  const mark = join(path, restoringFileName);
  const found = await readFile(mark, 'utf8').catch(() => null);
  if (found !== null) {
    const before = (JSON.parse(found) as { snapshot: string }).snapshot;
    if (before === id) return true;
    throw new BackupError(
      'not_empty',
      `In ${path} the backup ${before} is being restored. Go on with it (--snapshot ${before}), or empty the folder first.`,
    );
  }
  const others = (await readdir(path)).filter((name) => !['lost+found', secretFileName, `${restoringFileName}.new`].includes(name));
  if (others.length > 0)
    throw new BackupError(
      'not_empty',
      `${path} is not empty. A backup is restored into an empty folder only: choose another (--data-dir), or move what is there.`,
    );
  await keep(mark, `${JSON.stringify({ snapshot: id, from: store.name })}\n`);
  return false;
}

/**
 * Whether a database has the rows already. Throws `not_empty` for rows of anybody else.
 *
 * @param id the snapshot that a restore before was about
 */
async function hasRows(client: pg.Client, id: string | null): Promise<boolean> {
  const { rows: tables } = await client.query<{ known: boolean }>(`select to_regclass('service_facts') is not null as known`);
  // A restore that was killed before its rows has left empty tables, or a part of them.
  if (!tables[0]!.known) return false;
  const { rows: facts } = await client.query<{ value: string }>('select value from service_facts where name = $1', [restoredFact]);
  if (id !== null && facts[0]?.value === id) return true;
  const { rows: teams } = await client.query('select from teams limit 1');
  if (facts.length === 0 && teams.length === 0) return false;
  throw new BackupError(
    'not_empty',
    'The database is not empty: a service has used it. Give an empty one (--database-url), or drop and create it.',
  );
}

async function copyObjects(
  { store, onProgress }: RestoreOptions,
  manifest: Manifest,
  missing: readonly Missing[],
  objectsDir: string,
): Promise<void> {
  const list = inSnapshot(manifest.id, names.objects);
  if (await problemOf(store, list, manifest.objects, () => undefined))
    throw new BackupError('damaged', `${store.name}/${list} is damaged. Restore an earlier backup (--snapshot).`);
  const known = new Set(missing.map(({ key }) => key));
  const to = folderStore(objectsDir);
  makeDirs(objectsDir, 0o700);
  await to.sweep();
  const meter = createMeter(onProgress);
  meter.begin('objects', { objects: manifest.objects.count, bytes: manifest.objects.bytes });
  const faults: Fault[] = [];
  await forEachOf(listedItems(gunzipped(store.read(list))), width, async (item) => {
    const stores = { from: store, to, damagedMark: '', moved: (bytes: number, copied: boolean) => meter.moved(bytes, copied) };
    for (const fault of await copyItem(item, stores)) if (!known.has(fault.object.key)) faults.push(fault);
    meter.finished(objectsOf(item).length);
  });
  await to.settle();
  await to.sweep();
  const [first] = faults;
  if (first) {
    throw new BackupError(
      'damaged',
      `${store.name}/${pathOf(first.object.key)} is ${first.why === 'absent' ? 'not there' : 'damaged'}${faults.length > 1 ? `, and so are ${faults.length - 1} more` : ''}. ` +
        '`longshore admin backup verify` names all. Mend the backup or restore another one; the same command goes on then.',
    );
  }
}

/** Writes a small file, whole or not at all, so that it survives a power failure. */
async function keep(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
