import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { Value } from 'typebox/value';
import { ApiError } from '#protocol/errors.ts';
import { HandoverPart } from '#protocol/hosted/handovers.ts';
import { limits } from '#protocol/limits.ts';
import { tokenExpiry } from '../credentials/tokens.ts';
import type { Database } from '../database/schema/database.ts';
import type { HandoverClaims } from '../database/schema/handovers.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { readProgress } from '../realtime/progress.ts';
import { formatDateTime } from '../wire-times.ts';
import { bytesOfOpenFiles } from './open-files.ts';
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
      // Recipients hold up only themselves.
      const name = `handovers of ${row.id} ${credential.kind === 'package:read' ? credential.linkId : ''}`;
      await buckets.takeAll([{ name, max: codesPerHour, millisecondsEach: 3_600_000 / codesPerHour }]);
      const id = newId();
      const code = randomBytes(32).toString('base64url');
      const at = now();
      const expiresAt = new Date(at.getTime() + limits.handoverSeconds * 1000);
      await inTransaction(db, async (trx) => {
        // One after the other: of calls at the same moment one alone stays open.
        await trx.selectFrom('packages').select('id').where('id', '=', row.id).forNoKeyUpdate().execute();
        const before = await trx
          .selectFrom('handovers')
          .select(['id', 'claims'])
          .where('package_id', '=', row.id)
          .where('taken_at', 'is', null)
          .where('cancelled_at', 'is', null)
          .execute();
        const claims = claimsOf(credential);
        for (const { id } of before.filter((one) => isSameHolder(one.claims, claims))) await endHandover(trx, id, at);
        await trx
          .insertInto('handovers')
          .values({
            id,
            package_id: row.id,
            code_digest: codeDigest(code),
            claims: JSON.stringify(claims),
            token_expires_at: tokenExpiry(credential.token),
            created_at: at,
            expires_at: expiresAt,
          })
          .execute();
      });
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
    const content = JSON.stringify(Value.Clean(HandoverPart, body));
    await inTransaction(context.db, async (trx) => {
      // The lock keeps an app from taking it meanwhile, and lets parts be added up one after the other.
      const row = await trx
        .selectFrom('handovers')
        .select(['expires_at', 'cancelled_at', 'taken_at'])
        .where('id', '=', found.id)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      const state = stateOf(row, context.now());
      if (state !== 'waiting') throw new ApiError('state_conflict', { detail: `This code is ${state} already.` });
      const others = await trx
        .selectFrom('handover_parts')
        .select(sql<string>`coalesce(sum(bytes), 0)`.as('bytes'))
        .where('handover_id', '=', found.id)
        .where('part', '!=', part)
        .executeTakeFirstOrThrow();
      const bytes = Buffer.byteLength(content);
      if (Number(others.bytes) + bytes > limits.handoverBytes) {
        throw new ApiError('over_limit', {
          detail: `A list of files of more than ${limits.handoverBytes} bytes can't be handed over. Finish this transfer where it was begun.`,
        });
      }
      await trx
        .insertInto('handover_parts')
        .values({ handover_id: found.id, part, content, bytes })
        .onConflict((conflict) => conflict.columns(['handover_id', 'part']).doUpdateSet({ content, bytes }))
        .execute();
    });
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
      bytes:
        progress.state === 'new'
          ? { ...progress.bytes, confirmed: progress.bytes.finalized + (await bytesOfOpenFiles(context, params.package_id)) }
          : progress.bytes,
    };
  },

  async cancelHandover({ params }, context) {
    await requireSight(context, params.package_id);
    const found = await own(context, params);
    const ended = await inTransaction(context.db, (trx) => endHandover(trx, found.id, context.now()));
    if (!ended) throw new ApiError('state_conflict', { detail: 'An app has taken over this package already.' });
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
  if (!found || !isSameHolder(found.claims, claimsOf(credential))) {
    throw new ApiError('not_found', { resource: 'handover' });
  }
  return found;
}

/** Of a download each link is somebody else's; an upload is one, whoever works on it. */
function isSameHolder(a: HandoverClaims, b: HandoverClaims): boolean {
  const linkOf = ({ variant, linkId }: HandoverClaims) => (variant === 'read' ? linkId : null);
  return linkOf(a) === linkOf(b);
}

/** Ends one that no app has taken, and forgets what it carries. @returns whether it is over without an app */
async function endHandover(trx: Transaction<Database>, id: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('handovers')
    .set({ cancelled_at: sql`coalesce(cancelled_at, ${at})` })
    .where('id', '=', id)
    // In the statement itself: of an app and a page at the same moment one alone goes on.
    .where('taken_at', 'is', null)
    .executeTakeFirst();
  await trx.deleteFrom('handover_parts').where('handover_id', '=', id).execute();
  return numUpdatedRows > 0n;
}
