import { ApiError } from '#protocol/errors.ts';
import { matchesNamePattern, parseNamePattern, sampleName } from '#protocol/name-pattern.ts';
import { inTransaction } from '../database/transaction.ts';
import { checkChunkSize, usualChunkSize } from '../files/chunk-plan.ts';
import { claimResponse } from '../forms/responses.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { distinctRecipients } from '../packages/create.ts';
import { recordLifecycleEvent } from '../packages/lifecycle-events.ts';
import { selectPackages, toPackage } from '../packages/row.ts';
import { verification } from '../teams/policies.ts';
import { defaultExpiry } from '../wire-times.ts';
import { portalForSender } from './access-code.ts';
import { countPackage } from './sender-limits.ts';

/**
 * Creates an empty package for sending through a Portal (contract/portals.md §6). Recipients, expiry and visibility
 * are set by the Portal; the form's answers take precedence over the body.
 */
export const createPortalPackage: HandlersOf<'createPortalPackage'>['createPortalPackage'] = creation(
  ({ params }, context) => portalForSender(context, params.portal_id),
  async ({ body }, context, portal) => {
    const { jobs, tokens, caches, now } = context;
    await countPackage(context, portal.id, context.peer);
    checkChunkSize(body.chunk_size, context.storage.limits);
    const id = newId();
    const row = await inTransaction(context.db, async (trx) => {
      const form = await trx
        .selectFrom('forms')
        .select('id')
        .where('portal_id', '=', portal.id)
        .where('disabled', '=', false)
        .executeTakeFirst();
      const at = now();
      const formId = form?.id ?? null;
      const feed = await claimResponse(trx, { portalId: portal.id, formId, responseId: body.form_data_id, now: at });
      // Locked, so that the Portal is not deleted before the package that refers to it exists.
      const team = await trx
        .selectFrom('portals')
        .innerJoin('teams', 'teams.id', 'portals.team_id')
        .select([
          'teams.custom_expiry_enabled',
          'teams.custom_expiry_default',
          'teams.max_expiry_days',
          'teams.chunk_size_default',
          'teams.download_limit_enabled',
          'teams.download_limit_default',
          'teams.notify_default',
          'teams.verify_recipient_default',
          'teams.verify_recipient_required',
          'portals.custom_expiry_days',
          'portals.name_pattern',
          'portals.name_pattern_example',
          'portals.teamspace_id',
        ])
        .where('portals.id', '=', portal.id)
        .forKeyShare('portals')
        .executeTakeFirst();
      if (!team) throw new ApiError('not_found', { resource: 'Portal' });
      requireNamePattern(team, feed.name ?? body.name);
      const forEver = team.custom_expiry_days !== null && team.custom_expiry_days < 0 && team.max_expiry_days === 0;
      await trx
        .insertInto('packages')
        .values({
          id,
          team_id: portal.team_id,
          created_by: null,
          // Read under the lock: the Portal may have moved to another Teamspace meanwhile.
          teamspace_id: team.teamspace_id,
          tag_id: portal.tag_id,
          name: body.name,
          description: body.description,
          sender: body.sender,
          ...feed,
          recipients: distinctRecipients([...portal.recipients, ...portal.cc_recipients]),
          expiry: forEver ? null : defaultExpiry(team, at),
          unlimited_storage: forEver,
          access_limit: team.download_limit_enabled ? team.download_limit_default : 0,
          password_hash: portal.download_password_hash,
          chunk_size: body.chunk_size ?? usualChunkSize(team.chunk_size_default, context.storage.limits),
          portal_id: portal.id,
          through_portal: true,
          form_response_id: body.form_data_id ?? null,
          private: portal.access_level === 'private',
          notify: team.notify_default,
          verify_recipient: verification(team, undefined, team.verify_recipient_default),
          created_at: at,
          updated_at: at,
        })
        .execute();
      await recordLifecycleEvent(trx, { jobs, now }, 'package.created', id);
      return await selectPackages(trx).where('packages.id', '=', id).executeTakeFirstOrThrow();
    });
    caches.packages.set(id, { chunkSize: Number(row.chunk_size), portalId: portal.id });
    const accessToken = await tokens.sign('package', { packageId: id, variant: 'write', tokenId: newId(), linkId: null, userId: null });
    // Senders must not see the Portal's recipients.
    return toPackage(row, { accessToken, recipients: [] });
  },
);

/** Refuses a name that is not of the Portal's pattern. Errors: `invalid_request`. */
function requireNamePattern(portal: { readonly name_pattern: string; readonly name_pattern_example: string }, name: string): void {
  const parsed = parseNamePattern(portal.name_pattern);
  if (!parsed.ok || parsed.pattern.length === 0 || matchesNamePattern(parsed.pattern, name)) return;
  const example = portal.name_pattern_example || sampleName(parsed.pattern);
  throw new ApiError('invalid_request', { detail: `name: this Portal takes names such as ${example} (${portal.name_pattern}).` });
}
