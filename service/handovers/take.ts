import { ApiError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import type { PackageRow } from '../packages/row.ts';
import { formatDateTime } from '../wire-times.ts';
import { credentialOf, requireTransferable } from './rights.ts';
import { codeDigest, type HandoverRow, stateOf } from './state.ts';

/** The calls of the app, which has nothing but the code (contract/handovers.md §3). */
export const takeHandlers: HandlersOf<'openHandover' | 'takeHandover'> = {
  async openHandover({ body }, context) {
    const found = await byCode(context, body.code);
    const state = stateOf(found, context.now());
    if (state !== 'waiting') throw over(state);
    const row = await requirePackage(context, found);
    const number = body.part ?? 0;
    const parts = await context.db
      .selectFrom('handover_parts')
      .select(['part', 'content'])
      .where('handover_id', '=', found.id)
      .where('part', 'in', [number, number + 1])
      .execute();
    const { claims } = found;
    return {
      kind: claims.variant === 'read' ? 'download' : 'upload',
      package_id: row.id,
      package_name: row.name,
      sender: row.sender,
      ...(await portalOf(context, row, claims.variant)),
      ...(claims.variant === 'manage' && { team_id: row.team_id }),
      expires_at: formatDateTime(found.expires_at),
      part: parts.find(({ part }) => part === number)?.content ?? {},
      next: parts.some(({ part }) => part === number + 1) ? number + 1 : null,
    };
  },

  async takeHandover({ body }, context) {
    const found = await byCode(context, body.code);
    await requirePackage(context, found);
    const claim = codeDigest(body.claim);
    const at = context.now();
    const taken = await inTransaction(context.db, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('handovers')
        .set({ taken_at: at, claim_digest: claim })
        .where('id', '=', found.id)
        .where('taken_at', 'is', null)
        .where('cancelled_at', 'is', null)
        .where('expires_at', '>', at)
        .executeTakeFirst();
      // The app has read what it carries.
      if (numUpdatedRows > 0n) await trx.deleteFrom('handover_parts').where('handover_id', '=', found.id).execute();
      return numUpdatedRows > 0n;
    });
    if (!taken && !(await wasTakenBy(context, found.id, claim))) {
      throw over(stateOf({ ...(await byCode(context, body.code)) }, at));
    }
    return {
      package_id: found.package_id,
      package_token: await context.tokens.sign('package', found.claims, found.token_expires_at),
    };
  },
};

const over = (state: string): ApiError =>
  new ApiError('state_conflict', {
    detail: state === 'taken' ? 'This code was used already.' : 'This code is not good any more. Make another one in the browser.',
  });

/** Wrong codes are counted by address, although none is ever guessed. */
async function byCode({ db, attemptLimiter, peer }: Context, code: string): Promise<HandoverRow> {
  let found: HandoverRow | undefined;
  await attemptLimiter.attempt(
    [{ name: `handover from ${peer}`, burstFactor: 10, drainFactor: 10, slotKind: 'handover from' }],
    async () => {
      found = await db.selectFrom('handovers').selectAll().where('code_digest', '=', codeDigest(code)).executeTakeFirst();
      return found !== undefined;
    },
  );
  if (!found) throw new ApiError('not_found', { resource: 'handover' });
  return found;
}

/** The package, if whoever made the code may still do with it what the code is for. */
const requirePackage = (context: Context, { claims }: HandoverRow): Promise<PackageRow> =>
  requireTransferable({ ...context, credential: credentialOf(claims) }, claims.packageId);

async function wasTakenBy({ db }: Context, id: string, claim: Buffer): Promise<boolean> {
  const same = await db
    .selectFrom('handovers')
    .select('id')
    .where('id', '=', id)
    .where('taken_at', 'is not', null)
    .where('claim_digest', '=', claim)
    .executeTakeFirst();
  return same !== undefined;
}

async function portalOf(
  { db }: Context,
  row: PackageRow,
  variant: string,
): Promise<{ readonly portal?: { readonly id: string; readonly name: string } }> {
  if (variant !== 'write' || row.portal_id === null) return {};
  const portal = await db.selectFrom('portals').select(['id', 'name']).where('id', '=', row.portal_id).executeTakeFirst();
  return portal ? { portal } : {};
}
