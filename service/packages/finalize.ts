import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { recordAudit } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Deliverable, planDeliverables, writeDeliverables } from '../forms/deliverables.ts';
import type { Context, HandlersOf, Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { newLink } from '../links/make.ts';
import { checkRestrictions } from '../portals/restrictions.ts';
import { mayMailPackage } from '../portals/sender-limits.ts';
import { notifyFinalized } from '../realtime/finalizations.ts';
import { signReceipt } from '../receipts/sign.ts';
import { requireNoImports } from '../transfers/import/finalizing.ts';
import { addPortalTransfers } from '../transfers/portal-transfers.ts';
import { queueScan } from '../viruses/queue.ts';
import { defaultExpiry } from '../wire-times.ts';
import { managePackage } from './access.ts';
import { recordLifecycleEvent } from './lifecycle-events.ts';
import { transition } from './state-machine.ts';

/** Maximum attempts. A sender could otherwise loop for ever by replacing the generated files each time they are recorded. */
const maxTurns = 5;

/**
 * Closes a package whose files are all finalized, and creates a link for each recipient (contract/packages.md §3).
 * Idempotent. The package's row is locked first: additions hold a share lock on it, so additions in progress are
 * counted, and later ones are refused. The many earlier calls trust the token without a lookup. Here the permissions
 * are checked again, so that nothing is sent for somebody who has left the Team.
 */
export const finalizePackage: HandlersOf<'finalizePackage'>['finalizePackage'] = async ({ params, query }, context) => {
  const { credential } = context;
  if (credential.task)
    throw new ApiError('not_allowed', { detail: 'Who made the package finalizes it, and not the task of a storage gateway.' });
  if (credential.kind === 'package:manage') await managePackage({ ...context, credential }, params.package_id);
  await finalizeStanding(params.package_id, query, context);
};

async function finalizeStanding(packageId: string, expected: Expected, context: FinalizeContext & Pick<Context, 'db'>): Promise<void> {
  for (let turn = 0; turn < maxTurns; turn++) {
    if ((await inTransaction(context.db, (trx) => finalize(trx, packageId, expected, context))) === 'done') return;
  }
  throw new ApiError('state_conflict', { detail: 'Files of this package are still being replaced. Finalize it again when they stand.' });
}

/** The same without a call, as a user who may manage the package. Errors: those of the call. */
export async function finalizePackageAs(services: Services, packageId: string, userId: string): Promise<void> {
  const credential = {
    kind: 'package:manage',
    packageId,
    tokenId: newId(),
    linkId: null,
    userId,
    verified: false,
    task: null,
    token: '',
  } as const;
  const context = { ...services, credential, peer: '', source: { userAgent: '', address: '' } };
  await managePackage(context, packageId);
  await finalizeStanding(packageId, {}, context);
}

/** The totals that the sender states, if it does. */
interface Expected {
  readonly total_files?: number;
  readonly size?: number;
}

/** Detects a sender that lost count, or lost files, before the package is closed (docs/decisions/0038). */
function checkExpected(sent: { readonly size: number; readonly total: number }, { total_files: total, size }: Expected): void {
  if ((total ?? sent.total) === sent.total && (size ?? sent.size) === sent.size) return;
  const expected = [total === undefined ? null : `${total} files`, size === undefined ? null : `${size} bytes`];
  throw new ApiError('package_differs', {
    files: sent.total,
    bytes: sent.size,
    expected: expected.filter((part) => part !== null).join(' with '),
  });
}

type FinalizeContext = Pick<
  Context,
  | 'jobs'
  | 'caches'
  | 'seal'
  | 'storage'
  | 'receipts'
  | 'urls'
  | 'now'
  | 'peer'
  | 'buckets'
  | 'senderLimits'
  | 'credential'
  | 'source'
  | 'scanner'
>;

/**
 * One attempt. `noted`: the files that the package is to deliver have got their rows. These are committed before the
 * files are written.
 */
async function finalize(
  trx: Transaction<Database>,
  packageId: string,
  expected: Expected,
  context: FinalizeContext,
): Promise<'done' | 'noted'> {
  const { jobs, storage, now } = context;
  const row = await trx
    .selectFrom('packages')
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .select([
      'packages.state',
      'packages.team_id',
      'packages.name',
      'packages.sender',
      'packages.recipients',
      'packages.password_hash',
      'packages.access_limit',
      'packages.verify_recipient',
      'packages.expiry',
      'packages.custom_expiry',
      'packages.unlimited_storage',
      'packages.portal_id',
      'packages.through_portal',
      'packages.form_response_id',
      'teams.custom_expiry_enabled',
      'teams.custom_expiry_default',
      'teams.max_expiry_days',
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

  await requireNoImports(trx, packageId);
  const sent = await sentFiles(trx, packageId, row.form_response_id);
  checkExpected(sent, expected);
  await checkRestrictions(trx, packageId, row.portal_id);
  const at = now();
  let delivered: readonly Deliverable[] = [];
  if (row.form_response_id !== null) {
    const plan = await planDeliverables(trx, { packageId, responseId: row.form_response_id, storage, now: at });
    if (plan.kind === 'noted') return 'noted';
    delivered = plan.files;
    await writeDeliverables(trx, { packageId, storage, files: delivered, now: at });
  }

  // The default time starts now, so that a slow upload does not shorten it.
  const expiry = row.unlimited_storage || row.custom_expiry ? row.expiry : defaultExpiry(row, at);
  const size = delivered.reduce((sum, { bytes }) => sum + bytes.length, sent.size);
  await trx
    .updateTable('packages')
    .set({
      state: move.to,
      size,
      total_files: sent.total + delivered.length,
      usage_total_bytes: size,
      expiry,
      updated_at: at,
      finalized_at: at,
    })
    .where('id', '=', packageId)
    .execute();
  await signReceipt(trx, context, packageId);
  const mayMail = row.portal_id === null || !row.through_portal || (await mayMailPackage(context, row.portal_id, context.peer));
  await recordLifecycleEvent(trx, { jobs, now }, 'package.finalized', packageId, mayMail ? {} : { held_back: true });
  await notifyFinalized(trx, row.team_id);
  if (sent.total + delivered.length > 0) await queueScan(trx, context, packageId);
  await recordAudit(trx, context, row.team_id, {
    action: 'package.sent',
    target: { kind: 'package', id: packageId, name: row.name },
    details: {
      files: sent.total + delivered.length,
      bytes: size,
      recipients: row.recipients.length,
      ...(row.through_portal && { sender: row.sender }),
    },
  });
  if (row.portal_id !== null && row.through_portal) {
    await addPortalTransfers(trx, context, { id: packageId, portalId: row.portal_id, size, totalFiles: sent.total + delivered.length });
  }
  if (row.recipients.length === 0) return 'done';
  const links = row.recipients.map(() => newLink());
  // Arrays keep the statement's text the same for any number of recipients.
  await sql`
    insert into links (id, secret, email, package_id, password_hash, access_limit, verify_recipient, created_at)
    select link.id, link.secret, link.email, ${packageId}::uuid, ${row.password_hash}::text, ${row.access_limit}::integer,
      ${row.verify_recipient}::boolean, ${at}::timestamptz
    from unnest(${links.map((link) => link.id)}::uuid[], ${links.map((link) => link.secret)}::text[], ${row.recipients}::text[])
      as link (id, secret, email)`.execute(trx);
  return 'done';
}

/** Total bytes and number of files from the sender; all of them must be finalized. */
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
