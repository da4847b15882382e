import { limits } from '#protocol/limits.ts';
import type { HandlersOf } from '../handler.ts';
import { packageFacts, refuseAddition } from '../packages/open.ts';
import { refusalsOf } from '../portals/restrictions.ts';
import { freeObjects } from './freed.ts';
import { placeTaken, planFile } from './plan.ts';
import { toFile } from './wire.ts';
import { insertFiles } from './writes.ts';

export const createFile: HandlersOf<'createFile'>['createFile'] = async ({ params, body }, context) => {
  const { db, storage, memory, fileWrites, now } = context;
  const facts = await packageFacts(context, params.package_id);
  const file = planFile(body, params.package_id, facts, context);
  const [refusal] = await refusalsOf(context, facts, [file]);
  if (refusal) throw refusal;
  // Within a transaction of its own (under an Idempotency-Key) it does not run together with others.
  const made = db.isTransaction ? (await insertFiles(db, [file]))[0] : await fileWrites.insert(file);
  if (!made) {
    await refuseAddition(context, params.package_id);
    throw placeTaken(file);
  }
  if (made.replacedId) {
    memory.uploads.delete(made.replacedId);
    await freeObjects(context, [made.replacedId]);
  }
  const record = toFile({ ...file, id: made.id, etag: null, digest: null, virus_detected: false }, storage.chunkChecksum);
  if (file.kind === 'directory') return { create_blueprint: null, file: record };
  memory.uploads.set(file.id, { packageId: file.package_id, size: file.size, chunkSize: file.chunk_size });
  const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
  return { create_blueprint: await storage.presignCreate(file.id, expiresAt), file: record };
};
