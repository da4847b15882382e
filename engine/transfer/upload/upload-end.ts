import { isGone } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import { ApiError } from '#protocol/errors.ts';
import { deletionsInProgress } from '../concurrency/limits.ts';
import type { JobContext } from '../job.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';

/** Totals of the sent files, from the upload's own table. */
interface SentFiles {
  /** Without folders. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Closes a package with this number of files and bytes. Idempotent: a package that is closed already (the answer was
 * lost) is accepted. `package_differs` if it contains others.
 */
export async function finalizePackage(api: HostedClient, packageId: string, sent: SentFiles, signal: AbortSignal): Promise<void> {
  const params = { package_id: packageId };
  try {
    await api.call('finalizePackage', { params, query: { total_files: sent.files, size: sent.bytes }, signal });
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.error !== 'state_conflict') throw cause;
    const current = await api.call('getPackage', { params, signal });
    if (current.state !== 'finalized') throw cause;
  }
}

/** The links of a closed package. A package without recipients has none yet: one link for nobody in particular is created. */
export async function readLinks(api: HostedClient, record: UploadRecord, signal: AbortSignal): Promise<{ email: string; url: string }[]> {
  const params = { package_id: packageIdOf(record) };
  const active = (await api.call('listLinks', { params, signal })).filter((link) => link.active);
  const links =
    active.length > 0 ? active : [await api.call('createLink', { params, body: {}, idempotencyKey: `link-${record.id}`, signal })];
  return links.map(({ email, url }) => ({ email, url }));
}

/**
 * Deletes the files of a cancelled upload at the service, unless it was closed meanwhile: the whole package at once if
 * its token permits (`true`: it is deleted), otherwise each file.
 */
export async function cleanUp(api: HostedClient, packageId: string, mayDelete: boolean, signal: AbortSignal): Promise<boolean> {
  const params = { package_id: packageId };
  if (mayDelete) {
    const current = await unlessGone(api.call('getPackage', { params, signal }));
    if (current === null) return true;
    if (current.state === 'finalized') return false;
    // Deleted already, but the agent died before that was noted.
    if (current.state !== 'new') return true;
    try {
      await api.call('deletePackage', { params, signal });
      return true;
    } catch (cause) {
      // An older service.
      if (!(cause instanceof ApiError) || cause.error !== 'no_such_endpoint') throw cause;
    }
  }
  const files = (await unlessGone(api.call('listFiles', { params, signal }))) ?? [];
  const waiting = files.values();
  const worker = async (): Promise<void> => {
    for (const file of waiting) {
      await unlessGone(api.call('deleteFile', { params: { ...params, file_id: file.id }, signal }));
    }
  };
  await Promise.all(Array.from({ length: deletionsInProgress }, worker));
  return false;
}

/** Deletes what the service has of a file that was begun and will not be finished. */
export async function deletePartial(
  api: HostedClient,
  packageId: string,
  { remote }: Pick<FileRecord, 'remote'>,
  context: JobContext,
): Promise<void> {
  if (remote.state !== 'open') return;
  const params = { package_id: packageId, file_id: remote.fileId };
  await retryWithActivity(context, () => unlessGone(api.call('deleteFile', { params, signal: context.signal })));
}

/** A package that is gone, or was closed in the meantime, needs no cleanup. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (cause) {
    if (isGone(cause) || (cause instanceof ApiError && cause.error === 'state_conflict')) return null;
    throw cause;
  }
}
