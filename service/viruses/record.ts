import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import type { JobContext } from '../jobs/context.ts';
import { packageObject } from '../packages/lifecycle-events.ts';
import type { ScanLease } from './lease.ts';
import type { FileVerdict } from './ports.ts';

interface ScannedPage {
  readonly lease: ScanLease;
  /** Of the last file that was scanned. */
  readonly position: Buffer | null;
  readonly isLast: boolean;
  readonly verdicts: readonly {
    readonly file: { readonly id: string; readonly path: string; readonly name: string };
    readonly verdict: FileVerdict;
  }[];
}

/**
 * Writes down what was found in a page of files, and how far the scan is. The first virus of a package is told to webhooks
 * (contract/webhooks.md §1). The package's row is locked first, as by all who change it and its files.
 */
export async function recordVerdicts(
  trx: Transaction<Database>,
  { jobs, now }: Pick<JobContext, 'jobs' | 'now'>,
  { lease, position, isLast, verdicts }: ScannedPage,
): Promise<void> {
  const at = now();
  const { packageId } = lease;
  const found = verdicts.filter(({ verdict }) => verdict.kind !== 'clean');
  const infected = found.flatMap(({ file, verdict }) => (verdict.kind === 'infected' ? [{ ...file, virus: verdict.virus }] : []));
  if (infected.length > 0) {
    const row = await trx.selectFrom('packages').selectAll().where('id', '=', packageId).forUpdate().executeTakeFirst();
    if (!row) return;
    if (!row.contains_virus) {
      await trx.updateTable('packages').set({ contains_virus: true, updated_at: at }).where('id', '=', packageId).execute();
      const [{ id, path, name, virus }] = infected as [(typeof infected)[0]];
      await jobs.add(trx, 'webhooks.announce', {
        ...{ event_id: newId(), event_time: at.toISOString(), event_type: 'package.virus_found' },
        object: { ...packageObject({ ...row, updated_at: at }), virus: { file_id: id, path, name, virus } },
      });
    }
    await trx
      .updateTable('files')
      .set({ virus_detected: true })
      .where(sql<boolean>`id = any(${infected.map(({ id }) => id)}::uuid[])`)
      .where('package_id', '=', packageId)
      .execute();
  }
  if (found.length > 0) {
    // Files may be gone meanwhile.
    await sql`
      insert into scan_findings (file_id, package_id, kind, detail, created_at)
      select found.id, ${packageId}::uuid, found.kind, found.detail, ${at}::timestamptz
      from unnest(${found.map(({ file }) => file.id)}::uuid[], ${found.map(({ verdict }) => verdict.kind)}::text[],
        ${found.map(({ verdict }) => ('virus' in verdict ? verdict.virus : 'reason' in verdict ? verdict.reason : ''))}::text[])
        as found (id, kind, detail)
      where exists (select from files where files.id = found.id)
      on conflict (file_id) do update set kind = excluded.kind, detail = excluded.detail, created_at = excluded.created_at`.execute(trx);
  }
  await lease.write(trx, {
    position,
    files: sql<number>`files + ${verdicts.length}`,
    infected: sql<number>`infected + ${infected.length}`,
    unscanned: sql<number>`unscanned + ${found.length - infected.length}`,
    attempts: 0,
    ...(isLast && { state: 'done', ended_at: at }),
  });
  if (isLast) await tellOfScan(trx, { jobs, now }, packageId);
}

/** A package that has ended meanwhile was not scanned to its end. */
async function tellOfScan(trx: Transaction<Database>, { jobs, now }: Pick<JobContext, 'jobs' | 'now'>, packageId: string): Promise<void> {
  const row = await trx
    .selectFrom('packages')
    .innerJoin('package_scans', 'package_scans.package_id', 'packages.id')
    .selectAll('packages')
    .select(['package_scans.files', 'package_scans.infected', 'package_scans.unscanned'])
    .where('packages.id', '=', packageId)
    .where('packages.state', '=', 'finalized')
    .executeTakeFirst();
  if (!row) return;
  const { files, infected, unscanned, contains_virus } = row;
  await jobs.add(trx, 'webhooks.announce', {
    ...{ event_id: newId(), event_time: now().toISOString(), event_type: 'package.scanned' },
    object: { ...packageObject(row), contains_virus, scan: { files, infected, not_scanned: unscanned } },
  });
}
