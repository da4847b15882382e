import { sql } from 'kysely';
import { HealthError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { JobContext, JobHandler } from '../jobs/context.ts';
import { type ScanLease, ScanLeaseLostError, takeScan } from './lease.ts';
import { ScanError, type VirusScanner } from './ports.ts';
import { recordVerdicts } from './record.ts';
import { type FileToScan, type ScannedFile, scanFile, scanSuspect } from './scan-file.ts';

/** Files between two notes of how far a scan is. */
const perPage = 64;
/** Files that are scanned at once. */
const filesAtOnce = 4;
/** After this long the next package has its turn, so that a large one does not hold up all others. */
const turnMilliseconds = 50_000;
const firstDelay = 5_000;
const longestDelay = 600_000;
/** After so many attempts that came no further, files are scanned one by one, to find the one on which the scanner fails. */
const patience = 4;

type ScanContext = JobContext & { readonly scanner: VirusScanner };

/**
 * Scans the packages that wait for it, page by page, each the one that waits longest (contract/packages.md §9). The rows of
 * `package_scans` are the queue: whoever dies amid a package leaves it to the next after its lease. A scanner that does not
 * answer is asked again with backoff, and is a problem of the service until it does.
 */
export const scanPackages: JobHandler<'viruses.scan'> = async (_, services) => {
  const { scanner, jobs, db, now, signal } = services;
  if (!scanner) return;
  const context = { ...services, scanner };
  const end = performance.now() + turnMilliseconds;
  for (;;) {
    signal.throwIfAborted();
    const lease = await takeScan(db, now);
    if (!lease) return;
    try {
      await scanPackage(context, lease, end);
    } catch (error) {
      if (!(error instanceof ScanLeaseLostError)) throw error;
    }
    if (performance.now() >= end) return await jobs.add(db, 'viruses.scan', {});
  }
};

async function scanPackage(context: ScanContext, lease: ScanLease, end: number): Promise<void> {
  const { db, now, facts, log, signal } = context;
  const dueIn = (milliseconds: number) => ({ due_at: new Date(now().getTime() + milliseconds) });
  let { position, attempts } = lease;
  for (;;) {
    const page = await scanNext(context, lease, position, attempts, end);
    const { files, scanned, failure } = page;
    if (scanned.length > 0) attempts = 0;
    position = files[scanned.length - 1]?.place ?? position;
    const isLast = failure === null && scanned.length === files.length && files.length < perPage;
    if (scanned.length > 0 || isLast) {
      const verdicts = scanned.map(({ verdict }, index) => ({ file: files[index]!, verdict }));
      await inTransaction(db, (trx) => recordVerdicts(trx, context, { lease, position, isLast, verdicts }));
    }
    if (scanned.some(({ asked }) => asked)) facts.health.works('virus scanner');
    if (isLast) return;
    if (signal.aborted) {
      await lease.release(db, { ...dueIn(0), attempts });
      throw signal.reason;
    }
    if (failure) {
      const { error } = failure;
      if (error instanceof ScanLeaseLostError) throw error;
      await lease.release(db, { ...dueIn(Math.min(firstDelay * 2 ** attempts, longestDelay)), attempts: attempts + 1 });
      log.warn({ err: error, package_id: lease.packageId, attempt: attempts + 1 }, 'a package could not be scanned; it is tried again');
      if (error instanceof ScanError)
        facts.health.failed('virus scanner', new HealthError('scanner_unavailable', { detail: error.message }));
      return;
    }
    if (performance.now() >= end) return await lease.release(db, dueIn(0));
  }
}

interface ScannedPage {
  readonly files: readonly FileToScan[];
  /** Of the first files. */
  readonly scanned: readonly ScannedFile[];
  /** Why not of all, unless the time was over. */
  readonly failure: { readonly error: unknown } | null;
}

async function scanNext(
  context: ScanContext,
  lease: ScanLease,
  position: Buffer | null,
  attempts: number,
  end: number,
): Promise<ScannedPage> {
  let files: readonly FileToScan[] = [];
  const results: ScannedFile[] = [];
  let failure: ScannedPage['failure'] = null;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const isSuspect = attempts >= patience;
  const scan = isSuspect ? scanSuspect : scanFile;
  try {
    files = await nextFiles(context, lease.packageId, position);
    const left = files.entries();
    const work = async (): Promise<void> => {
      for (const [index, file] of left) {
        if (signal.aborted || (index > 0 && performance.now() >= end)) return;
        await lease.renew();
        results[index] = await scan({ ...context, signal }, file);
      }
    };
    const fail = (error: unknown): void => {
      failure ??= { error };
      stop.abort();
    };
    await Promise.all(Array.from({ length: isSuspect ? 1 : filesAtOnce }, () => work().catch(fail)));
  } catch (error) {
    failure = { error };
  }
  const missing = files.findIndex((_, index) => results[index] === undefined);
  return { files, scanned: missing < 0 ? results : results.slice(0, missing), failure };
}

/** In the order of an index; none of a package that has ended meanwhile. */
async function nextFiles({ db }: ScanContext, packageId: string, position: Buffer | null): Promise<FileToScan[]> {
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
