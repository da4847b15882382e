import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Deliverable, planDeliverables, writeDeliverables } from '../forms/deliverables.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { newLink } from '../links/make.ts';
import { checkRestrictions } from '../portals/restrictions.ts';
import { signReceipt } from '../receipts/sign.ts';
import { managePackage } from './access.ts';
import { usualExpiry } from './expiry.ts';
import { noteOccasion } from './occasions.ts';
import { transition } from './states.ts';

/** A sender who replaces what the package delivers each time it is noted gets no further than that. */
const maxTurns = 5;

/**
 * Closes a package whose files are all finalized, and makes a link for each recipient (interface §3, §4.2).
 * Finalizing it again changes nothing. The package's row is locked first: additions hold a share lock on it, so
 * those under way are counted, and later ones are refused. The calls before it, which are many, take a token for
 * what it was; here it is looked at again, so that what somebody sends who has left the Team reaches nobody.
 */
export const finalizePackage: HandlersOf<'finalizePackage'>['finalizePackage'] = async ({ params }, context) => {
  const { db, credential } = context;
  if (credential.kind === 'package:manage') await managePackage({ ...context, credential }, params.package_id);
  for (let turn = 0; turn < maxTurns; turn++) {
    if ((await inTransaction(db, (trx) => finalize(trx, params.package_id, context))) === 'done') return;
  }
  throw new ApiError('state_conflict', { detail: 'Files of this package are still being replaced. Finalize it again when they stand.' });
};

/** One turn. `noted`: files that the package is to deliver have got their rows, which are committed before they are written. */
async function finalize(
  trx: Transaction<Database>,
  packageId: string,
  context: Pick<Context, 'jobs' | 'storage' | 'receipts' | 'urls' | 'now'>,
): Promise<'done' | 'noted'> {
  const { jobs, storage, now } = context;
  const row = await trx
    .selectFrom('packages')
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .select([
      'packages.state',
      'packages.recipients',
      'packages.password_hash',
      'packages.access_limit',
      'packages.expiry',
      'packages.custom_expiry',
      'packages.unlimited_storage',
      'packages.portal_id',
      'packages.form_response_id',
      'teams.custom_expiry_enabled',
      'teams.custom_expiry_default',
      'teams.state as team_state',
      'portals.custom_expiry_days',
    ])
    .where('packages.id', '=', packageId)
    .forUpdate('packages')
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  if (row.team_state !== 'active') throw new ApiError('team_inactive');
  const move = transition(row.state, 'finalize');
  if (move.outcome === 'stays') return 'done';
  if (move.outcome === 'refused') throw new ApiError(move.error, { detail: move.detail });

  const sent = await sentFiles(trx, packageId, row.form_response_id);
  await checkRestrictions(trx, packageId, row.portal_id);
  const at = now();
  let delivered: readonly Deliverable[] = [];
  if (row.form_response_id !== null) {
    const plan = await planDeliverables(trx, { packageId, responseId: row.form_response_id, storage, now: at });
    if (plan.kind === 'noted') return 'noted';
    delivered = plan.files;
    await writeDeliverables(trx, { packageId, storage, files: delivered });
  }

  // The usual time begins now: a slow upload must not use it up.
  const expiry = row.unlimited_storage || row.custom_expiry ? row.expiry : usualExpiry(row, at);
  const size = delivered.reduce((sum, { bytes }) => sum + bytes.length, sent.size);
  await trx
    .updateTable('packages')
    .set({ state: move.to, size, total_files: sent.total + delivered.length, usage_total_bytes: size, expiry, updated_at: at })
    .where('id', '=', packageId)
    .execute();
  await signReceipt(trx, context, packageId);
  await noteOccasion(trx, { jobs, now }, 'package.finalized', packageId);
  if (row.recipients.length === 0) return 'done';
  const links = row.recipients.map(() => newLink());
  // Arrays, so that the statement's text is the same for any number of recipients.
  await sql`
    insert into links (id, secret, email, package_id, password_hash, access_limit, created_at)
    select link.id, link.secret, link.email, ${packageId}::uuid, ${row.password_hash}::text, ${row.access_limit}::integer, ${at}::timestamptz
    from unnest(${links.map((link) => link.id)}::uuid[], ${links.map((link) => link.secret)}::text[], ${row.recipients}::text[])
      as link (id, secret, email)`.execute(trx);
  return 'done';
}

/** Bytes and number of what the sender has put into the package; all of it has to be finalized. */
async function sentFiles(trx: Kysely<Database>, packageId: string, responseId: string | null): Promise<{ size: number; total: number }> {
  const noted =
    responseId === null ? [] : await trx.selectFrom('form_deliverables').select('file_id').where('response_id', '=', responseId).execute();
  const files = await trx
    .selectFrom('files')
    .select((select) => [
      sql<string>`coalesce(sum(size), 0)`.as('size'),
      sql<string>`count(*) filter (where kind = 'file')`.as('total'),
      sql<string>`count(*) filter (where state = 'new')`.as('unfinished'),
      select.fn.min(sql<string | null>`case when state = 'new' then concat(nullif(path, '') || '/', name) collate "C" end`).as('first'),
    ])
    .where('package_id', '=', packageId)
    .where(sql<boolean>`id <> all(${noted.map(({ file_id }) => file_id)}::uuid[])`)
    .executeTakeFirstOrThrow();
  if (Number(files.unfinished) > 0) {
    const others = Number(files.unfinished) === 1 ? 'is' : `and ${Number(files.unfinished) - 1} more are`;
    throw new ApiError('state_conflict', {
      detail: `The file ${files.first} ${others} not finalized yet. Finish uploading or delete it, then finalize the package again.`,
    });
  }
  return { size: Number(files.size), total: Number(files.total) };
}
