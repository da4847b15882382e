import { limits } from '#protocol/limits.ts';
import type { HandlersOf } from '../handler.ts';
import { packageFacts, requireOpenForFiles } from '../packages/package-facts.ts';

/**
 * Blueprints for small files that are created and finalized by one call, once the storage has them (record-many.ts). Nothing
 * is noted here, and a package that is over gets none. Senders through a Portal get none, also once it was deleted: their files
 * are created first, so that what a stranger has stored is within its limits before the first byte comes.
 */
export const createBatchBlueprints: HandlersOf<'createBatchBlueprints'>['createBatchBlueprints'] = async ({ params, body }, context) => {
  const { storage, now, credential } = context;
  const { portalId } = await packageFacts(context, params.package_id);
  await requireOpenForFiles(context, params.package_id);
  const { presignBatch } = storage;
  if (!presignBatch || portalId !== null || credential.kind === 'package:write') return { batches: [] };
  const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
  return { batches: await Promise.all(Array.from({ length: body.count }, () => presignBatch(params.package_id, expiresAt))) };
};
