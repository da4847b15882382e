import { sql } from 'kysely';
import pLimit from 'p-limit';
import { ApiError } from '#protocol/errors.ts';
import type { BatchFinalized, BatchResult } from '#protocol/hosted/file-batches.ts';
import { StorageError } from '#storage/errors.ts';
import type { StoredPart } from '#storage/ports.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { toFailure } from '../http/failures.ts';
import { isId } from '../ids.ts';
import { type Claim, checkClaim, claimOf, digestOfParts } from './chunk-check.ts';
import { type ChunkFacts, checkDigest, contradicts, finalization, finalizeAttempts, finalizeOne, resolveUnrecorded } from './finalize.ts';
import { metFreedSegment } from './segment-cleanup.ts';
import { finalizeFiles as recordFinalized } from './writes.ts';

/** Concurrency for files that are handled one by one. */
const concurrency = 16;

/** A file of one chunk, whose claim is complete and matches the known facts. */
interface SimpleFile {
  readonly index: number;
  readonly result: BatchResult;
  readonly claim: Claim;
  readonly parts: readonly StoredPart[];
}

/**
 * Finalizes a batch of files (docs/decisions/0010). Files of one chunk that are valid in every respect share each
 * step: the lookup, the completion at the storage, and one statement that records them. Every other file, and every
 * unexpected result, is handled by the code for a single file, which determines the exact error.
 */
export const finalizeFiles: HandlersOf<'finalizeFiles'>['finalizeFiles'] = async ({ params, body }, context) => {
  const packageId = params.package_id;
  const answers: BatchFinalized[] = body.files.map(({ file_id }) => ({ file_id }));
  const refuse = (index: number, error: unknown): void => {
    answers[index] = { file_id: body.files[index]!.file_id, error: toFailure(error, context.log).body };
  };

  const simple = await selectSimple(context, packageId, body.files);
  const done = await finalizeSimple(context, packageId, simple, refuse);
  const rest = [...body.files.entries()].filter(([index]) => !done.has(index));
  await pLimit(concurrency).map(rest, async ([index, result]) => {
    try {
      if (!isId(result.file_id)) throw new ApiError('not_found', { resource: 'file' });
      await finalizeOne(context, packageId, result.file_id, result);
    } catch (error) {
      refuse(index, error);
    }
  });
  return { files: answers };
};

async function selectSimple(context: Context, packageId: string, results: readonly BatchResult[]): Promise<SimpleFile[]> {
  const known = await uploadFactsOf(context, packageId, results);
  const simple = new Map<string, SimpleFile>();
  for (const [index, result] of results.entries()) {
    const facts = known.get(result.file_id);
    // If a file is named twice, the second entry finds the file finalized by the first.
    if (!facts || facts.size === null || facts.size > facts.chunkSize || simple.has(result.file_id)) continue;
    if (contradicts(facts, result.chunk_size)) continue;
    const claim = claimOf(result, facts.size, facts.chunkSize);
    const verdict = checkClaim(claim);
    if (verdict.ok) simple.set(result.file_id, { index, result, claim, parts: verdict.parts });
  }
  return [...simple.values()];
}

/** The facts of those files that are not finalized yet, from the cache or by one statement. */
async function uploadFactsOf(
  { db, caches }: Pick<Context, 'db' | 'caches'>,
  packageId: string,
  results: readonly BatchResult[],
): Promise<Map<string, ChunkFacts>> {
  const known = new Map<string, ChunkFacts>();
  const unknown: string[] = [];
  for (const { file_id } of results) {
    const cached = caches.uploads.get(file_id);
    if (cached?.packageId === packageId) known.set(file_id, cached);
    else if (isId(file_id)) unknown.push(file_id);
  }
  if (unknown.length === 0) return known;
  const rows = await db
    .selectFrom('files')
    .select(['id', 'size', 'chunk_size'])
    .where(sql<boolean>`id = any(${unknown}::uuid[])`)
    .where('package_id', '=', packageId)
    .where('kind', '=', 'file')
    .where('state', '=', 'new')
    .execute();
  for (const { id, size, chunk_size } of rows) {
    known.set(id, { size: size === null ? null : Number(size), chunkSize: Number(chunk_size) });
  }
  return known;
}

/** Finalizes the simple files; returns the indexes whose result is certain. */
async function finalizeSimple(
  context: Context,
  packageId: string,
  simple: readonly SimpleFile[],
  refuse: (index: number, error: unknown) => void,
): Promise<Set<number>> {
  const { storage, caches } = context;
  const done = new Set<number>();
  if (!storage.completeAll) return done;
  const verified = simple.filter(({ index, result, parts }) => {
    try {
      checkDigest(result.file_extras.digest, digestOfParts(parts));
      return true;
    } catch (error) {
      refuse(index, error);
      done.add(index);
      return false;
    }
  });
  for (const { index, result, claim, isRecorded } of await completeAndRecord(context, packageId, verified)) {
    caches.uploads.delete(result.file_id);
    done.add(index);
    if (isRecorded) continue;
    try {
      await resolveUnrecorded(context, packageId, result.file_id, claim);
    } catch (error) {
      refuse(index, error);
    }
  }
  return done;
}

/** Those files that the storage could complete, and whether each was recorded. */
async function completeAndRecord(
  context: Context,
  packageId: string,
  files: readonly SimpleFile[],
): Promise<readonly (SimpleFile & { readonly isRecorded: boolean })[]> {
  const { storage, db, now } = context;
  const uploads = files.map(({ result, parts }) => ({ key: result.file_id, uploadId: result.file_extras.upload_id, parts }));
  for (let attempt = 1; ; attempt++) {
    const objects = await storage.completeAll!(uploads);
    const assembled = files.flatMap((one, at) => {
      const object = objects[at]!;
      return object instanceof StorageError || object.size !== one.claim.size ? [] : [{ ...one, object }];
    });
    if (assembled.length === 0) return [];
    const ends = assembled.map(({ result, claim, object }) =>
      finalization(packageId, result.file_id, claim, object, result.file_extras.digest),
    );
    try {
      const recorded = await recordFinalized(db, ends, now());
      return assembled.map((one, at) => ({ ...one, isRecorded: recorded[at]! }));
    } catch (error) {
      const keys = assembled.map(({ object }) => object.key);
      if (attempt === finalizeAttempts || !(await metFreedSegment(context, error, keys))) throw error;
    }
  }
}
