import { blake3 } from '@napi-rs/blake-hash';
import { BackupError, isAbsent } from './backup-error.ts';
import type { FileStore } from './ports.ts';
import { type FileSum, once, wholeOf } from './streams.ts';

/**
 * What a place of backups has:
 *
 *     backups.json                     whose backups these are
 *     objects/…, segments/…            objects of all backups, each once, as in the storage's own folder
 *     snapshots/<id>/tables/*.gz       rows, as PostgreSQL's COPY writes them
 *     snapshots/<id>/objects.gz        what of the objects these rows need (object-list.ts)
 *     snapshots/<id>/missing.gz        what of it was not to be had
 *     snapshots/<id>/secret.sealed     secret.key (seal-secret.ts)
 *     snapshots/<id>/manifest.json     written last: without it a snapshot is none
 */

export interface TableEntry {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly file: string;
  readonly sum: FileSum;
}

export interface Manifest {
  readonly format: 1;
  /** The moment of the rows, as the snapshot's name has it. */
  readonly id: string;
  readonly begun_at: string;
  readonly ended_at: string;
  /** Of Longshore. */
  readonly version: string;
  /** The last migration of the database. */
  readonly migration: string;
  readonly postgres: string;
  readonly tables: readonly TableEntry[];
  /** `kept`: the place has them. */
  readonly objects: FileSum & { readonly count: number; readonly bytes: number; readonly kept: boolean };
  /** `ended`: deleted while the backup ran. `lost`: the storage does not have it as it was stored. */
  readonly missing: FileSum & { readonly ended: number; readonly lost: number };
  readonly secret: FileSum | null;
}

export const names = {
  owner: 'backups.json',
  snapshots: 'snapshots',
  objects: 'objects.gz',
  missing: 'missing.gz',
  secret: 'secret.sealed',
  manifest: 'manifest.json',
} as const;

export const inSnapshot = (id: string, name: string): string => `${names.snapshots}/${id}/${name}`;

const digestOf = (text: string): string => blake3(Buffer.from(text)).toString('hex');

export async function writeManifest(store: FileStore, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest);
  await store.write(inSnapshot(manifest.id, names.manifest), once(Buffer.from(`{"digest":"${digestOf(text)}","manifest":${text}}\n`)));
}

/** `null` where the snapshot was not completed. Throws `damaged`, `unknown_format`. */
export async function readManifest(store: FileStore, id: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = (await wholeOf(store.read(inSnapshot(id, names.manifest)))).toString('utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  const [, digest, body] = /^\{"digest":"([0-9a-f]{64})","manifest":(.*)\}\n$/s.exec(text) ?? [];
  if (body === undefined || digestOf(body) !== digest)
    throw new BackupError(
      'damaged',
      `${store.name}/${inSnapshot(id, names.manifest)} is damaged. Use another snapshot (--snapshot), and make a new backup.`,
    );
  const manifest = JSON.parse(body) as Manifest;
  if (manifest.format !== 1)
    throw new BackupError(
      'unknown_format',
      `The backup ${id} was made by a newer version of Longshore (${manifest.version}). Use that version.`,
    );
  return manifest;
}

const isSnapshotId = (name: string): boolean => /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/.test(name);

export const snapshotId = (at: Date): string => at.toISOString().replaceAll(/[:.]/g, '-');

/** Ids of all snapshots, also of those that were not completed: the latest first. */
export async function snapshotIds(store: FileStore): Promise<string[]> {
  const entries = await store.list(names.snapshots);
  return entries
    .map(({ name }) => name)
    .filter(isSnapshotId)
    .sort()
    .reverse();
}

/** The snapshot of that name, or the latest. Throws `no_backups`, in words. */
export async function chosenManifest(store: FileStore, id: string | undefined): Promise<Manifest> {
  const ids = await snapshotIds(store);
  for (const one of id === undefined ? ids : ids.filter((known) => known === id)) {
    const manifest = await readManifest(store, one);
    if (manifest) return manifest;
  }
  const others = id === undefined ? '' : ' `longshore admin backup list` shows those that there are.';
  throw new BackupError('no_backups', `There is no complete backup${id === undefined ? '' : ` ${id}`} in ${store.name}.${others}`);
}

interface Owner {
  readonly format: 1;
  readonly service: string;
}

/** Whose backups these are; `null` where there are none. Throws `no_backups` where other things are there. */
export async function ownerOf(store: FileStore): Promise<string | null> {
  try {
    return (JSON.parse((await wholeOf(store.read(names.owner))).toString('utf8')) as Owner).service;
  } catch (error) {
    if (!isAbsent(error) && !(error instanceof SyntaxError)) throw error;
    const others = (await store.list('')).filter(({ name }) => name !== 'lost+found');
    if (others.length === 0) return null;
    throw new BackupError('no_backups', `${store.name} is not empty, and holds no backups of Longshore. Choose an empty place.`, {
      cause: error,
    });
  }
}

export const writeOwner = (store: FileStore, service: string): Promise<void> =>
  store.write(names.owner, once(Buffer.from(`${JSON.stringify({ format: 1, service } satisfies Owner)}\n`)));
