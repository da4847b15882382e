import { ApiError } from '#protocol/errors.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { inTransaction } from '../database/transaction.ts';
import { checkChunkSize, usualChunkSize } from '../files/chunk-plan.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { policyColumns, requireEnd, requirePassword, requireRecipients, verification } from '../teams/policies.ts';
import { lockTeamspace, seenTeamspace } from '../teamspaces/access.ts';
import { defaultExpiry } from '../wire-times.ts';
import { recordLifecycleEvent, teamSubscribes } from './lifecycle-events.ts';
import { toPackage } from './row.ts';

/** Each address once, regardless of case, as first written: every recipient gets exactly one link. */
export function distinctRecipients(recipients: readonly string[]): string[] {
  const seen = new Map(recipients.map((address) => [address.toLowerCase(), address] as const).reverse());
  return [...new Set(recipients.map((address) => seen.get(address.toLowerCase())!))];
}

/** Creates an empty package of a Team (contract/packages.md §2). For what the sender leaves open, the Team's defaults apply. */
export const createTeamPackage: HandlersOf<'createTeamPackage'>['createTeamPackage'] = creation(
  ({ params }, context) => teamAccess(context, params.team_id, 'packages.create'),
  async ({ params, body }, context, { userId, role }) => {
    const { db, tokens, caches, now } = context;
    if (body.tag && !isId(body.tag.id)) throw new ApiError('not_found', { resource: 'tag' });
    const team = await db
      .selectFrom('teams')
      .innerJoin('users', (join) => join.on('users.id', '=', userId))
      .leftJoin('tags', (join) => join.onRef('tags.team_id', '=', 'teams.id').on('tags.id', '=', body.tag?.id ?? null))
      .select([
        'users.email',
        'teams.custom_expiry_enabled',
        'teams.custom_expiry_default',
        'teams.download_limit_enabled',
        'teams.download_limit_default',
        'teams.max_email_recipients',
        'teams.chunk_size_default',
        'teams.notify_default',
        'teams.verify_recipient_default',
        ...policyColumns,
        'tags.name as tag_name',
        teamSubscribes(params.team_id, 'package.created').as('subscribed'),
      ])
      .where('teams.id', '=', params.team_id)
      .executeTakeFirstOrThrow();
    if (body.tag && team.tag_name === null) throw new ApiError('not_found', { resource: 'tag' });
    const space = body.teamspace ? await seenTeamspace(db, { teamId: params.team_id, userId, role }, body.teamspace.id) : null;
    checkChunkSize(body.chunk_size, context.storage.limits);
    const recipients = distinctRecipients(body.recipients);
    if (recipients.length > team.max_email_recipients) {
      throw new ApiError('over_limit', {
        detail: `recipients: this Team sends to at most ${team.max_email_recipients} addresses at once.`,
      });
    }
    requireRecipients(team, recipients, 'recipients');
    if (body.verify_recipient && recipients.length === 0) {
      throw new ApiError('invalid_request', { detail: 'verify_recipient: a code needs somebody to be mailed to. Give recipients.' });
    }
    const verifies = verification(team, body.verify_recipient, team.verify_recipient_default);
    // Without recipients no link is made yet: each one that follows is asked for its own password.
    if (recipients.length > 0) requirePassword(team, Boolean(body.password), 'password');
    const unlimited = body.unlimited_storage ?? false;
    requireEnd(team, unlimited);
    const created = now();
    const row = {
      id: newId(),
      team_id: params.team_id,
      created_by: userId,
      teamspace_id: space?.id ?? null,
      tag_id: body.tag?.id ?? null,
      name: body.name,
      description: body.description,
      sender: team.email,
      recipients,
      state: 'new' as const,
      size: 0,
      total_files: 0,
      usage_total_bytes: 0,
      expiry: unlimited ? null : defaultExpiry(team, created),
      custom_expiry: false,
      unlimited_storage: unlimited,
      access_limit: body.access_limit ?? (team.download_limit_enabled ? team.download_limit_default : 0),
      password_hash: body.password ? await hashPassword(body.password) : null,
      contains_virus: false,
      chunk_size: body.chunk_size ?? usualChunkSize(team.chunk_size_default, context.storage.limits),
      portal_id: null,
      through_portal: false,
      form_response_id: null,
      private: false,
      notify: body.notify ?? team.notify_default,
      verify_recipient: verifies,
      created_at: created,
      updated_at: created,
      finalized_at: null,
      deleted_at: null,
    };
    if (team.subscribed || space) {
      await inTransaction(db, async (trx) => {
        if (space) await lockTeamspace(trx, space.id);
        await trx.insertInto('packages').values(row).execute();
        if (team.subscribed) await recordLifecycleEvent(trx, context, 'package.created', row.id);
      });
    } else await db.insertInto('packages').values(row).execute();
    caches.packages.set(row.id, { chunkSize: row.chunk_size, portalId: null });
    const claims = { packageId: row.id, variant: 'manage', tokenId: newId(), linkId: null, userId } as const;
    return toPackage(
      { ...row, held_at: null, hold_reason: null, tag_name: team.tag_name, teamspace_name: space?.name ?? null, portal_name: null },
      { accessToken: await tokens.sign('package', claims), recipients },
    );
  },
);
