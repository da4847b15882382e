import { type Selectable, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { StorageError } from '#storage/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { objectKeyOf } from '../files/object-key.ts';
import type { JobContext, JobHandler } from '../jobs/jobs.ts';
import { type FileVerdict, ScanError, type VirusScanner } from './ports.ts';
import { recordVerdicts } from './record.ts';

/** Files between two notes of how far a scan is. */
const perPage = 64;
/** Files that are scanned at once. */
const filesAtOnce = 4;
/** After this long the next package has its turn, so that a large one does not hold up all others. */
const turnMilliseconds = 50_000;
/** For how long a package is one process's between two notes: far more than a page takes. */
const leaseMilliseconds = 30 * 60_000;
const firstDelay = 5_000;
const longestDelay = 600_000;
/** Attempts after which a file on which a scanner fails that can be reached counts as one that it cannot scan. */
const mostFailures = 5;

type Scan = Pick<Selectable<Database['package_scans']>, 'package_id' | 'position' | 'attempts'>;
type ScanContext = JobContext & { readonly scanner: VirusScanner };
type FileRow = Pick<Selectable<Database['files']>, 'id' | 'object_key' | 'size' | 'place' | 'path' | 'name'>;

/**
 * Scans the packages that wait for it, page by page, each the one that waits longest (contract/packages.md §9). The rows of
 * `package_scans` are the queue: whoever dies amid a package leaves it to the next after its lease. A scanner that does not
 * answer is asked again with backoff, and is a problem of the service until it does.
 */
export const scanPackages: JobHandler<'viruses.scan'> = async (_, services) => {
  const { scanner, jobs, db, signal } = services;
  if (!scanner) return;
  const context = { ...services, scanner };
  const end = performance.now() + turnMilliseconds;
  for (;;) {
    signal.throwIfAborted();
    const scan = await takeScan(context);
    if (!scan) return;
    await scanPackage(context, scan, end);
    if (performance.now() >= end) return await jobs.add(db, 'viruses.scan', {});
  }
};

async function takeScan({ db, now }: ScanContext): Promise<Scan | undefined> {
  const at = now();
  return await db
    .updateTable('package_scans')
    .set({ leased_until: new Date(at.getTime() + leaseMilliseconds) })
    .where('package_id', '=', (select) =>
      select
        .selectFrom('package_scans')
        .select('package_id')
        .where('state', '=', 'pending')
        .where('due_at', '<=', at)
        .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', at)]))
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['package_id', 'position', 'attempts'])
    .executeTakeFirst();
}

async function scanPackage(context: ScanContext, { package_id: packageId, position, attempts }: Scan, end: number): Promise<void> {
  const { db, now, facts, log, signal } = context;
  const leave = async (delay: number, failures: number): Promise<void> => {
    await db
      .updateTable('package_scans')
      .set({ leased_until: null, due_at: new Date(now().getTime() + delay), attempts: failures })
      .where('package_id', '=', packageId)
      .where('state', '=', 'pending')
      .execute();
  };
  let at = position;
  let failures = attempts;
  try {
    for (;;) {
      const files = await nextFiles(context, packageId, at);
      const verdicts = await scanFiles(context, files, failures);
      at = files.at(-1)?.place ?? at;
      await inTransaction(db, (trx) =>
        recordVerdicts(trx, context, {
          ...{ packageId, position: at, isLast: files.length < perPage, leasedUntil: new Date(now().getTime() + leaseMilliseconds) },
          verdicts: files.map((file, index) => ({ file, verdict: verdicts[index]! })),
        }),
      );
      if (files.length > 0) facts.health.works('virus scanner');
      if (files.length < perPage) return;
      failures = 0;
      if (performance.now() >= end) return await leave(0, 0);
    }
  } catch (error) {
    if (signal.aborted) {
      await leave(0, failures);
      throw error;
    }
    await leave(Math.min(firstDelay * 2 ** failures, longestDelay), failures + 1);
    log.warn({ err: error, package_id: packageId, attempt: failures + 1 }, 'a package could not be scanned; it is tried again');
    if (error instanceof ScanError) facts.health.failed('virus scanner', new ApiError('scanner_unavailable', { detail: error.message }));
  }
}

/** In the order of an index; none of a package that has ended meanwhile. */
async function nextFiles({ db }: ScanContext, packageId: string, position: Buffer | null): Promise<FileRow[]> {
  return await db
    .selectFrom('files')
    .innerJoin('packages', 'packages.id', 'files.package_id')
    .select(['files.id', 'files.object_key', 'files.size', 'files.place', 'files.path', 'files.name'])
    .where('files.package_id', '=', packageId)
    .where('packages.state', '=', 'finalized')
    .where('files.kind', '=', 'file')
    .$if(position !== null, (query) => query.where(sql<boolean>`files.place > ${position}`))
    .orderBy('files.place')
    .limit(perPage)
    .execute();
}

async function scanFiles(context: ScanContext, files: readonly FileRow[], failures: number): Promise<FileVerdict[]> {
  const verdicts: FileVerdict[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const left = files.entries();
  const work = async (): Promise<void> => {
    for (const [index, file] of left) verdicts[index] = await scanFile({ ...context, signal }, file, failures);
  };
  try {
    await Promise.all(Array.from({ length: filesAtOnce }, work));
  } finally {
    stop.abort();
  }
  return verdicts;
}

async function scanFile({ scanner, storage, signal }: ScanContext, file: FileRow, failures: number): Promise<FileVerdict> {
  const size = Number(file.size ?? 0);
  if (size === 0) return { kind: 'clean' };
  if (size > scanner.maxBytes) return { kind: 'unscanned', reason: 'too_large' };
  try {
    const bytes = await storage.read(objectKeyOf(file));
    try {
      const verdict = await scanner.scan(bytes, signal);
      return verdict.kind === 'too_large' ? { kind: 'unscanned', reason: 'too_large' } : verdict;
    } finally {
      bytes.destroy();
    }
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'no_such_object' || error.code === 'object_damaged'))
      return { kind: 'unscanned', reason: 'unreadable' };
    if (error instanceof ScanError && error.code !== 'unreachable' && failures + 1 >= mostFailures)
      return { kind: 'unscanned', reason: 'refused' };
    throw error;
  }
}
