import { limits } from '#protocol/limits.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { packageFacts, requireOpenForFiles } from '../packages/package-facts.ts';
import { addFiles } from './add.ts';
import { toFile } from './file-record.ts';
import { cleanUpObjects } from './object-cleanup.ts';
import { pathTaken, planFile } from './plan.ts';
import { noteForTask } from './task-access.ts';

export const createFile: HandlersOf<'createFile'>['createFile'] = creation(
  // The owner of the token was checked before the body was read (credentials/resolve.ts).
  async () => undefined,
  async ({ params, body }, context) => {
    const { storage, caches, now } = context;
    const facts = await packageFacts(context, params.package_id);
    const file = planFile(body, params.package_id, facts, context);
    await noteForTask(context, [file.id]);
    const [added] = await addFiles(context, facts, [file]);
    if (added!.refusal) throw added!.refusal;
    const { made } = added!;
    if (!made) {
      await requireOpenForFiles(context, params.package_id);
      throw pathTaken(file);
    }
    if (made.replacedId) {
      caches.uploads.delete(made.replacedId);
      await cleanUpObjects(context, [made.replacedId]);
    }
    const record = toFile({ ...file, id: made.id, etag: null, digest: null, virus_detected: false }, storage.chunkChecksum);
    if (file.kind === 'directory') return { create_blueprint: null, file: record };
    caches.uploads.set(file.id, { packageId: file.package_id, size: file.size, chunkSize: file.chunk_size, at: now().getTime() });
    const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
    return { create_blueprint: await storage.presignCreate(file.id, expiresAt), file: record };
  },
);
