import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { blueprintIn } from '#client/batch-records.ts';
import type { BatchBlueprint, Blueprint } from '#protocol/schema.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage, StoredObject } from '#storage/ports.ts';

export const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

export interface BegunUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly put: Blueprint;
}

export interface SentUpload extends BegunUpload {
  readonly parts: readonly [{ readonly partNumber: 1; readonly etag: string; readonly size: number }];
}

export async function beginWhole(storage: ObjectStorage, sizes: readonly number[]): Promise<BegunUpload[]> {
  const objects = sizes.map((size) => ({ key: randomUUID(), size }));
  const begun = await storage.beginWhole!(objects, inAnHour());
  return objects.map(({ key }, index) => ({ key, ...begun[index]! }));
}

/** Sends parts in one request; what the storage says of each: its etag, or the code of its refusal. */
export async function sendTogether(
  storage: Pick<ObjectStorage, 'batchPutUrl'>,
  uploads: readonly BegunUpload[],
  contents: readonly Buffer[],
): Promise<string[]> {
  const parts = uploads.map(({ put }, index) => ({ blueprint: put, length: contents[index]!.length }));
  const body = Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents]);
  const answer = await fetch(batchPutAddress(storage.batchPutUrl!, parts), { method: 'POST', body });
  const { parts: answers } = (await answer.json()) as { readonly parts: readonly { readonly etag?: string; readonly code?: string }[] };
  return answers.map(({ etag, code }) => etag ?? code!);
}

/** Begins an upload for each content and sends all in one request. */
export async function sendWhole(storage: ObjectStorage, contents: readonly Buffer[]): Promise<SentUpload[]> {
  const begun = await beginWhole(
    storage,
    contents.map((bytes) => bytes.length),
  );
  const etags = await sendTogether(storage, begun, contents);
  return begun.map((one, index) => ({ ...one, parts: [{ partNumber: 1, etag: etags[index]!, size: contents[index]!.length }] }));
}

/** Sends contents by one address for a batch, under these upload ids; what the storage says of each, as `sendTogether` does. */
export const sendByBatch = (
  storage: Pick<ObjectStorage, 'batchPutUrl'>,
  batch: BatchBlueprint,
  ids: readonly string[],
  contents: readonly Buffer[],
): Promise<string[]> =>
  sendTogether(
    storage,
    contents.map((_, index) => ({ key: '', uploadId: ids[index]!, put: blueprintIn(batch, ids[index]!) })),
    contents,
  );

/** Completes uploads, none of which may fail. */
export async function completed(storage: ObjectStorage, uploads: readonly SentUpload[]): Promise<StoredObject[]> {
  return (await storage.completeAll!(uploads)).map((object) => {
    if (object instanceof StorageError) throw object;
    return object;
  });
}

/** Paths of all files below a folder of the storage, ascending. */
export async function filesBelow(root: string, folder: string): Promise<string[]> {
  const found = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
