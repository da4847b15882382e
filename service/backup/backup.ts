import type pg from 'pg';
import { newClient } from '../database/clients.ts';
import { copyOut } from '../database/copy.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import { BackupError, storeProblem } from './backup-error.ts';
import { folderStore } from './folder-store.ts';
import { checkLocalObjects } from './local-objects.ts';
import {
  inSnapshot,
  type Manifest,
  names,
  ownerOf,
  readManifest,
  snapshotId,
  snapshotIds,
  type TableEntry,
  writeManifest,
  writeOwner,
} from './manifest.ts';
import { createMeter, type Meter } from './meter.ts';
import { explain, type Missing } from './missing.ts';
import { copyItem, inBackup } from './object-copy.ts';
import { listedItems, objectList, objectsOf, objectTotals } from './object-list.ts';
import type { FileStore, OnProgress } from './ports.ts';
import type { Fault } from './row-facts.ts';
import { sealSecret } from './seal-secret.ts';
import { digesting, type FileSum, forEachOf, gunzipped, gzipped, once } from './streams.ts';
import { columnList, quoted, tablesOf } from './tables.ts';

export interface BackupOptions {
  readonly store: FileStore;
  readonly connection: DatabaseConnection;
  /** The folder of local storage; `null` leaves objects out, which are kept safe by other means. */
  readonly objectsDir: string | null;
  readonly secret: Uint8Array;
  /** Seals the secret; `null` leaves it out. */
  readonly passphrase: string | null;
  /** Of Longshore. */
  readonly version: string;
  readonly now: () => Date;
  readonly onProgress: OnProgress;
}

export interface BackupResult {
  readonly manifest: Manifest;
  /** Bytes that the place did not have before. */
  readonly copiedBytes: number;
  readonly missing: readonly Missing[];
}

/** Objects copied concurrently. */
const width = 4;
/** So many lost objects are a wrong folder, not a fault of a disk. */
const mostLost = 10_000;
const inBucket =
  'which this command does not copy. Keep them safe by versions or replication of the bucket, and back up the rest with --without-objects.';
/** An arbitrary number: one backup of a service at a time. */
const lockNumber = 0x10abc;

/**
 * Backs up a service, whether it runs or not: objects that the place lacks, then all rows as of one moment, then what these
 * rows need beyond. Nothing is changed at the service, and earlier backups stay as they are; killed at any moment, the next
 * run goes on with the objects that are there. Errors: `BackupError`, and PostgreSQL's.
 */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const client = newClient(options.connection, { application_name: 'longshore backup' });
  // A broken connection fails the statement under way.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await backUpBy(client, options);
  } catch (error) {
    throw storeProblem(error, options.store.name);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function backUpBy(client: pg.Client, options: BackupOptions): Promise<BackupResult> {
  const { store, onProgress, now } = options;
  const begun = now();
  const id = snapshotId(begun);
  await prepare(client, options);

  const meter = createMeter(onProgress);
  let copiedBytes = 0;
  const copy = async (list: string): Promise<Fault[]> => {
    const faults: Fault[] = [];
    if (options.objectsDir === null) return faults;
    const from = folderStore(options.objectsDir);
    const moved = (bytes: number, copied: boolean) => {
      if (copied) copiedBytes += bytes;
      meter.moved(bytes, copied);
    };
    await forEachOf(listedItems(gunzipped(store.read(list))), width, async (item) => {
      faults.push(...(await copyItem(item, { from, to: store, damagedMark: inBackup, moved })));
      meter.finished(objectsOf(item).length);
    });
    return faults;
  };

  // Most bytes go before the moment of the rows, so that it is late, and little can be deleted after it.
  meter.begin('objects', await objectTotals(client));
  const first = inSnapshot(id, 'first.gz');
  await store.write(first, gzipped(objectList(client)));
  await copy(first);
  await store.remove(first);

  const rows = await copyRows(client, id, options, meter);
  meter.begin('rest', rows.totals);
  const missing = await explain(client, await copy(inSnapshot(id, names.objects)));
  const lost = missing.filter(({ why }) => why === 'lost').length;
  if (lost > mostLost)
    throw new BackupError(
      'lost',
      `The storage in ${options.objectsDir} lacks ${lost} objects of this database. Give the folder that has them (--data-dir).`,
    );
  const missingSum = await writeSummed(store, inSnapshot(id, names.missing), gzipped(linesOf(missing)));
  const secret =
    options.passphrase === null
      ? null
      : await writeSummed(store, inSnapshot(id, names.secret), once(sealSecret(options.secret, options.passphrase)));
  // All that the manifest speaks of is safe before it is there.
  await store.settle();
  const manifest: Manifest = {
    ...{ format: 1, id, begun_at: begun.toISOString(), ended_at: now().toISOString(), version: options.version },
    ...rows.facts,
    missing: { ...missingSum, ended: missing.length - lost, lost },
    secret,
  };
  await writeManifest(store, manifest);
  await store.settle();
  await store.sweep();
  return { manifest, copiedBytes, missing };
}

/** Claims the place for this service, and removes what killed runs left. */
async function prepare(client: pg.Client, { store, objectsDir }: BackupOptions): Promise<void> {
  const { rows: locks } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${lockNumber}) as free`);
  if (!locks[0]!.free)
    throw new BackupError(
      'busy',
      'Another backup of this service is under way. Wait for its end; one that was killed is noticed within seconds.',
    );
  const { rows } = await client.query<{ name: string; value: string }>('select name, value from service_facts');
  const facts = new Map(rows.map(({ name, value }) => [name, value]));
  if (objectsDir !== null) await checkLocalObjects(client, objectsDir, inBucket);
  const service = facts.get('secret_fingerprint')!;
  const owner = await ownerOf(store);
  if (owner !== null && owner !== service)
    throw new BackupError(
      'other_service',
      `${store.name} has the backups of another service. Choose another place: each service has its own.`,
    );
  if (owner === null) await writeOwner(store, service);
  await store.sweep();
  for (const id of await snapshotIds(store)) {
    const isDone = await readManifest(store, id).catch((error: unknown) => error instanceof BackupError);
    if (!isDone) await store.remove(`${names.snapshots}/${id}`);
  }
}

/** All rows, and the list of objects that they need, as of one moment: PostgreSQL's snapshot of a repeatable-read transaction. */
async function copyRows(client: pg.Client, id: string, { store, objectsDir }: BackupOptions, meter: Meter) {
  await client.query('begin isolation level repeatable read read only');
  try {
    const tables = await tablesOf(client);
    const { rows: about } = await client.query<{ migration: string; postgres: string }>(
      `select (select max(name) from kysely_migration) as migration, current_setting('server_version') as postgres`,
    );
    meter.begin('tables', { objects: tables.length, bytes: 0 });
    const entries: TableEntry[] = [];
    for (const [index, table] of tables.entries()) {
      const file = `tables/${String(index).padStart(3, '0')}.${table.name}.gz`;
      let rows = 0;
      const statement = `copy (select ${columnList(table.columns)} from ${quoted(table.schema, table.name)}) to stdout`;
      async function* counted() {
        const pieces = copyOut(client, statement);
        for (;;) {
          const { done, value } = await pieces.next();
          if (done) {
            rows = value;
            return;
          }
          meter.moved(value.length);
          yield value;
        }
      }
      const sum = await writeSummed(store, inSnapshot(id, file), gzipped(counted()));
      entries.push({ ...table, rows, file, sum });
      meter.finished(1);
    }
    const totals = await objectTotals(client);
    const sum = await writeSummed(store, inSnapshot(id, names.objects), gzipped(objectList(client)));
    await client.query('commit');
    return {
      totals,
      facts: { ...about[0]!, tables: entries, objects: { ...sum, count: totals.objects, bytes: totals.bytes, kept: objectsDir !== null } },
    };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function writeSummed(store: FileStore, path: string, bytes: AsyncIterable<Uint8Array>): Promise<FileSum> {
  const summed = digesting(bytes);
  await store.write(path, summed.bytes);
  return summed.sum();
}

async function* linesOf(records: readonly unknown[]): AsyncGenerator<Buffer> {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
}
