import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { newLink } from '../links/make.ts';
import { managePackage } from './access.ts';
import { usualExpiry } from './expiry.ts';
import { noteOccasion } from './occasions.ts';
import { transition } from './states.ts';

/**
 * Closes a package whose files are all finalized, and makes a link for each recipient (interface §3, §4.2).
 * Finalizing it again changes nothing. The package's row is locked first: additions hold a share lock on it, so
 * those under way are counted, and later ones are refused. The calls before it, which are many, take a token for
 * what it was; here it is looked at again, so that what somebody sends who has left the Team reaches nobody.
 */
export const finalizePackage: HandlersOf<'finalizePackage'>['finalizePackage'] = async ({ params }, context) => {
  const { db, jobs, now, credential } = context;
  if (credential.kind === 'package:manage') await managePackage({ ...context, credential }, params.package_id);
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('packages')
      .innerJoin('teams', 'teams.id', 'packages.team_id')
      .select([
        'packages.state',
        'packages.recipients',
        'packages.password_hash',
        'packages.access_limit',
        'packages.expiry',
        'packages.custom_expiry',
        'packages.unlimited_storage',
        'teams.custom_expiry_enabled',
        'teams.custom_expiry_default',
        'teams.state as team_state',
      ])
      .where('packages.id', '=', params.package_id)
      .forUpdate('packages')
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'package' });
    if (row.team_state !== 'active') throw new ApiError('team_inactive');
    const move = transition(row.state, 'finalize');
    if (move.outcome === 'stays') return;
    if (move.outcome === 'refused') throw new ApiError(move.error, { detail: move.detail });

    const files = await trx
      .selectFrom('files')
      .select((select) => [
        sql<string>`coalesce(sum(size), 0)`.as('size'),
        sql<string>`count(*) filter (where kind = 'file')`.as('total'),
        sql<string>`count(*) filter (where state = 'new')`.as('unfinished'),
        select.fn.min(sql<string | null>`case when state = 'new' then concat(nullif(path, '') || '/', name) collate "C" end`).as('first'),
      ])
      .where('package_id', '=', params.package_id)
      .executeTakeFirstOrThrow();
    if (Number(files.unfinished) > 0) {
      const others = Number(files.unfinished) === 1 ? 'is' : `and ${Number(files.unfinished) - 1} more are`;
      throw new ApiError('state_conflict', {
        detail: `The file ${files.first} ${others} not finalized yet. Finish uploading or delete it, then finalize the package again.`,
      });
    }

    const at = now();
    // The usual time begins now: a slow upload must not use it up.
    const expiry = row.unlimited_storage || row.custom_expiry ? row.expiry : usualExpiry(row, at);
    const size = Number(files.size);
    await trx
      .updateTable('packages')
      .set({ state: move.to, size, total_files: Number(files.total), usage_total_bytes: size, expiry, updated_at: at })
      .where('id', '=', params.package_id)
      .execute();
    await noteOccasion(trx, { jobs, now }, 'package.finalized', params.package_id);
    if (row.recipients.length === 0) return;
    const links = row.recipients.map(() => newLink());
    // Arrays, so that the statement's text is the same for any number of recipients.
    await sql`
      insert into links (id, secret, email, package_id, password_hash, access_limit, created_at)
      select link.id, link.secret, link.email, ${params.package_id}::uuid, ${row.password_hash}::text, ${row.access_limit}::integer, ${at}::timestamptz
      from unnest(${links.map((link) => link.id)}::uuid[], ${links.map((link) => link.secret)}::text[], ${row.recipients}::text[])
        as link (id, secret, email)`.execute(trx);
  });
};
