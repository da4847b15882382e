import { type Kysely, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { hexOf, objectDigest } from '#storage/digests.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { Database } from '../database/schema/database.ts';
import { fingerprint } from '../files/chunk-check.ts';
import { pathHash } from '../files/plan.ts';
import { finalizeFiles } from '../files/writes.ts';
import { newId } from '../ids.ts';
import { type Answered, type FileFormat, fileFormats } from './formats.ts';

/**
 * The answers to a form as files in the package's root (contract/forms.md §5). Their rows are committed before
 * anything is written, so that a crash never leaves an object in the storage without a row. The package's row is
 * locked throughout.
 */

export interface Deliverable {
  readonly fileId: string;
  readonly bytes: Buffer;
}

/** Names tried per statement. */
const namesPerQuery = 20;

/**
 * The files that a package delivers: `ready` if each has a row, or `noted` if rows were just created and must be
 * committed first.
 */
export async function planDeliverables(
  trx: Kysely<Database>,
  { packageId, responseId, storage, now }: { packageId: string; responseId: string; storage: ObjectStorage; now: Date },
): Promise<{ readonly kind: 'noted' } | { readonly kind: 'ready'; readonly files: readonly Deliverable[] }> {
  const response = await trx
    .selectFrom('form_responses')
    .select(['id', 'form', 'answers', 'created_at'])
    .where('id', '=', responseId)
    .executeTakeFirst();
  const formats = response ? response.form.delivery_formats.filter((format) => format !== 'email_body') : [];
  if (!response || formats.length === 0) return { kind: 'ready', files: [] };
  // A file that the sender has replaced or deleted is created again, under another name.
  const noted = await trx
    .selectFrom('form_deliverables')
    .innerJoin('files', 'files.id', 'form_deliverables.file_id')
    .select(['form_deliverables.format', 'files.id'])
    .where('form_deliverables.response_id', '=', responseId)
    .where('files.state', '=', 'new')
    .execute();
  const idOf = new Map(noted.map(({ format, id }) => [format, id]));
  const files = formats.map((format) => ({ format, fileId: idOf.get(format), bytes: bytesOf(response, format) }));
  const missing = files.filter((file) => file.fileId === undefined);
  if (missing.length === 0) return { kind: 'ready', files: files.map(({ fileId, bytes }) => ({ fileId: fileId!, bytes })) };
  for (const { format, bytes } of missing) {
    const id = newId();
    const name = await freeName(trx, packageId, format);
    await trx
      .insertInto('files')
      .values({
        id,
        package_id: packageId,
        place: Buffer.from(pathHash('', name), 'hex'),
        kind: 'file',
        path: '',
        name,
        last_modified: response.created_at,
        state: 'new',
        size: bytes.length,
        chunk_size: chunkSizeAt(storage),
        created_at: now,
      })
      .execute();
    await trx
      .insertInto('form_deliverables')
      .values({ response_id: responseId, format, file_id: id })
      .onConflict((conflict) => conflict.columns(['response_id', 'format']).doUpdateSet({ file_id: id }))
      .execute();
  }
  return { kind: 'noted' };
}

const bytesOf = (answered: Answered, format: FileFormat): Buffer => Buffer.from(fileFormats[format](answered), 'utf8');

const chunkSizeAt = (storage: ObjectStorage): number =>
  Math.min(storage.limits.maxChunkSize, Math.max(storage.limits.minChunkSize, limits.defaultChunkSize));

/**
 * `metadata.json`, or the first of `metadata-2.json`, … that is free in the root, regardless of case: the senders'
 * files keep their names.
 */
async function freeName(trx: Kysely<Database>, packageId: string, format: FileFormat): Promise<string> {
  for (let from = 1; ; from += namesPerQuery) {
    const names = Array.from({ length: namesPerQuery }, (_, index) =>
      from + index === 1 ? `metadata.${format}` : `metadata-${from + index}.${format}`,
    );
    const { rows } = await sql<{ taken: string }>`
      select distinct lower(split_part(concat(nullif(path, '') || '/', name), '/', 1)) as taken from files
      where package_id = ${packageId} and lower(split_part(concat(nullif(path, '') || '/', name), '/', 1)) = any(${names}::text[])`.execute(
      trx,
    );
    const taken = new Set(rows.map((row) => row.taken));
    const free = names.find((name) => !taken.has(name));
    if (free !== undefined) return free;
  }
}

/**
 * Writes the `ready` files to the storage, and finalizes their rows. Idempotent: a retry writes the same bytes to the
 * same keys.
 */
export async function writeDeliverables(
  trx: Kysely<Database>,
  { packageId, storage, files, now }: { packageId: string; storage: ObjectStorage; files: readonly Deliverable[]; now: Date },
): Promise<void> {
  const written = [];
  for (const { fileId, bytes } of files) {
    const object = await storage.write(fileId, bytes);
    const chunkSize = chunkSizeAt(storage);
    written.push({
      id: fileId,
      package_id: packageId,
      size: bytes.length,
      chunk_size: chunkSize,
      etag: object.etag,
      digest: object.digest ?? objectDigest([hexOf(bytes)]),
      object_key: null,
      fingerprint: fingerprint({ size: bytes.length, declared: bytes.length, chunkSize, chunks: [{ number: 1, etag: object.etag }] }),
    });
  }
  if (written.length > 0) await finalizeFiles(trx, written, now);
}
