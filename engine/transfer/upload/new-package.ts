import { ServiceError } from '#client/errors.ts';
import type { Store } from '../../state/store.ts';
import type { JobContext, JobPorts } from '../job.ts';
import { packageIdOf, type RemotePackage, type UploadRecord } from '../record.ts';

/** Restarts an upload whose package is gone: everything is sent to a new package. */

/** Rows written before the event loop gets a turn: some milliseconds of work. */
const rowsAtOnce = 500;
/** Packages that may be lost in a row before a person is asked. */
const mostLost = 3;

/**
 * Whether the service does not know the package at all. A deleted or expired package is still known: that was intended.
 * An unknown one means that the service was restored from a backup that is older than the package.
 */
export function isUnknownPackage(error: unknown, { facts, request }: UploadRecord): boolean {
  if (request.intoPackage || request.adopted) return false;
  if (!(error instanceof ServiceError) || error.error !== 'not_found' || error.details['resource'] !== 'package') return false;
  return facts.package.state !== 'none' && (facts.packagesUnknown ?? 0) < mostLost;
}

/**
 * Resets the upload to its first byte; a new package is created later. After a crash in between, the old package is
 * found missing again.
 */
export async function beginNewPackage({ registry, store, log }: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  const { id, facts } = record;
  log.warn({ transfer: id, package: packageIdOf(record) }, 'the service does not know the package any more; all is sent to a new one');
  await resetFiles(store, id);
  store.writer.write(() => {
    const finalizeAsked = Boolean(facts.finalizeAsked || facts.package.state === 'finalized');
    const packagesUnknown = (facts.packagesUnknown ?? 0) + 1;
    registry.patchUpload(id, { ...withoutPackage(record), packagesUnknown, finalizeAsked });
    registry.log(id, 'new_package', '');
  });
  await store.writer.committed();
  context.activity.recount(store.files.counts(id));
}

/** Resets the files in small steps. Idempotent, because the transfer record stays unchanged meanwhile. */
export async function resetFiles({ files, writer }: Store, id: string): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last;
    last = writer.write(() => files.resetSome(id, after, rowsAtOnce));
    // Each step is committed before the next: if a step were lost, its files would count as sent.
    await writer.committed();
  }
}

/** A package that was being finalized takes files again; every other one stays as it is. */
export function reopened(remote: RemotePackage): RemotePackage {
  return remote.state === 'closing' ? { state: 'open', id: remote.id } : remote;
}

/** The facts of an upload without its package. */
export function withoutPackage({ facts }: UploadRecord): Pick<UploadRecord['facts'], 'package' | 'packagesLost'> {
  return { package: { state: 'none' }, packagesLost: (facts.packagesLost ?? 0) + 1 };
}
