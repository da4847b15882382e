import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { tokenExpiry } from '../credentials/tokens.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { readProgress } from '../realtime/progress.ts';
import { formatDateTime } from '../wire-times.ts';
import { type AnyPackageToken, claimsOf, requireSight, requireTransferable } from './rights.ts';
import { codeDigest, stateOf } from './state.ts';

/** Codes of one package in an hour; each may carry megabytes. */
const codesPerHour = 60;

/** The calls of the page, by the token of its package (contract/handovers.md §1, §2). */
export const makeHandlers: HandlersOf<'createHandover' | 'putHandoverPart' | 'getHandover' | 'cancelHandover'> = {
  createHandover: creation(
    ({ params }, context) => requireTransferable(context, params.package_id),
    async (_, context, row) => {
      const { db, buckets, credential, now } = context;
      await buckets.takeAll([{ name: `handovers of ${row.id}`, max: codesPerHour, millisecondsEach: 3_600_000 / codesPerHour }]);
      const id = newId();
      const code = randomBytes(32).toString('base64url');
      const at = now();
      const expiresAt = new Date(at.getTime() + limits.handoverSeconds * 1000);
      await db
        .insertInto('handovers')
        .values({
          id,
          package_id: row.id,
          code_digest: codeDigest(code),
          claims: JSON.stringify(claimsOf(credential)),
          token_expires_at: tokenExpiry(credential.token),
          created_at: at,
          expires_at: expiresAt,
        })
        .execute();
      return { id, code, expires_at: formatDateTime(expiresAt) };
    },
  ),

  async putHandoverPart({ params, body }, context) {
    await requireTransferable(context, params.package_id);
    const part = Number(params.part);
    if (part >= limits.handoverParts) {
      const most = limits.handoverParts * limits.filesPerHandoverPart;
      throw new ApiError('over_limit', { detail: `At most ${most} files can be handed over at once.` });
    }
    const found = await own(context, params);
    const state = stateOf(found, context.now());
    if (state !== 'waiting') throw new ApiError('state_conflict', { detail: `This code is ${state} already.` });
    await context.db
      .insertInto('handover_parts')
      .values({ handover_id: found.id, part, content: JSON.stringify(body) })
      .onConflict((conflict) => conflict.columns(['handover_id', 'part']).doUpdateSet({ content: JSON.stringify(body) }))
      .execute();
  },

  async getHandover({ params }, context) {
    await requireSight(context, params.package_id);
    const found = await own(context, params);
    const progress = await readProgress(context.db, params.package_id);
    if (!progress) throw new ApiError('not_found', { resource: 'package' });
    return {
      id: found.id,
      state: stateOf(found, context.now()),
      expires_at: formatDateTime(found.expires_at),
      package_state: progress.state,
      files: progress.files,
      bytes: progress.bytes,
    };
  },

  async cancelHandover({ params }, context) {
    await requireSight(context, params.package_id);
    const found = await own(context, params);
    const { numUpdatedRows } = await context.db
      .updateTable('handovers')
      .set({ cancelled_at: sql`coalesce(cancelled_at, ${context.now()})` })
      .where('id', '=', found.id)
      // In the statement itself: of an app and a page at the same moment one alone goes on.
      .where('taken_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new ApiError('state_conflict', { detail: 'An app has taken over this package already.' });
  },
};

/** A handover of the package. Those of downloads are seen by the same link alone: recipients have nothing of each other. */
async function own({ db, credential }: Context<AnyPackageToken>, { package_id, handover_id }: { package_id: string; handover_id: string }) {
  const found = await db
    .selectFrom('handovers')
    .select(['id', 'claims', 'expires_at', 'cancelled_at', 'taken_at'])
    .where('id', '=', handover_id)
    .where('package_id', '=', package_id)
    .executeTakeFirst();
  const linkOf = (variant: string, linkId: string | null) => (variant === 'read' ? linkId : null);
  const asking = claimsOf(credential);
  if (!found || linkOf(found.claims.variant, found.claims.linkId) !== linkOf(asking.variant, asking.linkId)) {
    throw new ApiError('not_found', { resource: 'handover' });
  }
  return found;
}
