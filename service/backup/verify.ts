import { isAbsent, storeProblem } from './backup-error.ts';
import { chosenManifest, inSnapshot, type Manifest, names } from './manifest.ts';
import { createMeter } from './meter.ts';
import type { Missing } from './missing.ts';
import { pathOf, verifyItem } from './object-copy.ts';
import { listedItems, objectsOf } from './object-list.ts';
import type { FileStore, OnProgress } from './ports.ts';
import { openSecret } from './seal-secret.ts';
import { digesting, type FileSum, forEachOf, gunzipped, lineGroups, wholeOf } from './streams.ts';

export interface VerifyOptions {
  readonly store: FileStore;
  /** Default: the latest. */
  readonly snapshot?: string | undefined;
  /** Names and sizes of objects only. */
  readonly quick: boolean;
  /** Also opens the sealed key. */
  readonly passphrase: string | null;
  readonly onProgress: OnProgress;
}

export interface Finding {
  /** In the place. */
  readonly path: string;
  readonly why: 'absent' | 'damaged';
  /** Of a stored file. */
  readonly file_id?: string;
  readonly package_id?: string;
}

const width = 4;

/**
 * Compares a backup with its manifest: every table and list by its digest, every object by its digest, or by its size where
 * it is quick. Tells each finding, and returns the manifest. Changes nothing. Errors: `BackupError`.
 */
export async function verifyBackup(options: VerifyOptions, found: (finding: Finding) => void): Promise<Manifest> {
  try {
    return await verifyIn(options, found);
  } catch (error) {
    throw storeProblem(error, options.store.name);
  }
}

async function verifyIn(
  { store, snapshot, quick, passphrase, onProgress }: VerifyOptions,
  found: (finding: Finding) => void,
): Promise<Manifest> {
  const manifest = await chosenManifest(store, snapshot);
  const { id, tables, objects, missing, secret } = manifest;
  const meter = createMeter(onProgress);
  const files: [string, FileSum][] = [
    ...tables.map(({ file, sum }): [string, FileSum] => [file, sum]),
    [names.objects, objects],
    [names.missing, missing],
    ...(secret ? [[names.secret, secret] as [string, FileSum]] : []),
  ];
  meter.begin('tables', { objects: files.length, bytes: files.reduce((sum, [, { size }]) => sum + size, 0) });
  const bad = new Set<string>();
  for (const [file, sum] of files) {
    const why = await problemOf(store, inSnapshot(id, file), sum, (bytes) => meter.moved(bytes));
    if (why) {
      bad.add(file);
      found({ path: inSnapshot(id, file), why });
    }
    meter.finished(1);
  }
  if (secret && passphrase !== null && !bad.has(names.secret))
    openSecret(await wholeOf(store.read(inSnapshot(id, names.secret))), passphrase);
  // What to look for is not known then.
  if (!objects.kept || bad.has(names.objects) || bad.has(names.missing)) return manifest;

  const known = new Set<string>();
  for await (const one of missingOf(store, manifest)) known.add(one.key);
  meter.begin('verify', { objects: objects.count, bytes: objects.bytes });
  await forEachOf(listedItems(gunzipped(store.read(inSnapshot(id, names.objects)))), width, async (item) => {
    for (const { object, why } of await verifyItem(item, { at: store, quick, moved: (bytes) => meter.moved(bytes) })) {
      if (!known.has(object.key))
        found({
          path: pathOf(object.key),
          why: why === 'absent' ? 'absent' : 'damaged',
          ...(object.fileId !== '' && { file_id: object.fileId, package_id: object.packageId }),
        });
    }
    meter.finished(objectsOf(item).length);
  });
  return manifest;
}

/** What is wrong with a file of a backup; `null` where it is as the manifest says. */
export async function problemOf(
  store: FileStore,
  path: string,
  { size, digest }: FileSum,
  moved: (bytes: number) => void,
): Promise<Finding['why'] | null> {
  try {
    const summed = digesting(store.read(path));
    for await (const piece of summed.bytes) moved(piece.length);
    const sum = summed.sum();
    return sum.size === size && sum.digest === digest ? null : 'damaged';
  } catch (error) {
    if (isAbsent(error)) return 'absent';
    throw error;
  }
}

/** What the backup could not get, by its own words. */
export async function* missingOf(store: FileStore, { id }: Manifest): AsyncGenerator<Missing> {
  for await (const lines of lineGroups(gunzipped(store.read(inSnapshot(id, names.missing))))) {
    for (const line of lines) yield JSON.parse(line) as Missing;
  }
}
