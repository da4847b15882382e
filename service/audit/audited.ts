import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context } from '../handler.ts';
import { type AuditedCall, audits, type CallAudit } from './audits.ts';
import { recordAudit } from './record.ts';

const byName: Readonly<Partial<Record<HostedRouteName, CallAudit | 'handler' | 'none'>>> = audits;

/**
 * Does a call's work with its entry of the audit log in one transaction: there is an entry exactly if the work is
 * committed. Calls whose entry is not written around them are done as they are.
 */
export async function audited<T>(
  name: HostedRouteName,
  input: { readonly params: unknown; readonly body: unknown },
  context: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const audit = byName[name];
  if (audit === undefined || audit === 'handler' || audit === 'none') return await work(context);
  const call: AuditedCall = {
    params: (input.params ?? {}) as AuditedCall['params'],
    body: (input.body ?? {}) as AuditedCall['body'],
  };
  const { parts, repeat } = repeatable(context);
  const result = await inTransaction(context.db, async (db) => {
    const found = audit.find === null ? null : await audit.find(db, call);
    const done = await work({ ...context, ...parts, db });
    const teamId = found?.teamId ?? call.params['team_id'];
    if (teamId === undefined) throw new Error(`The audit of ${name} found no Team.`);
    await recordAudit(db, context, teamId, audit.event(call, (done ?? {}) as Readonly<Record<string, unknown>>, found));
    return done;
  });
  repeat();
  return result;
}

/**
 * Parts of the context that forget cached facts, and do so once more when the transaction is committed: another call
 * may have read the facts of before in between.
 */
function repeatable({ credentials, caches }: Context): { readonly parts: Pick<Context, 'credentials' | 'caches'>; repeat(): void } {
  const calls: (() => void)[] = [];
  const twice =
    <Args extends readonly unknown[]>(forget: (...args: Args) => unknown) =>
    (...args: Args): void => {
      forget(...args);
      calls.push(() => void forget(...args));
    };
  const { portalRules } = caches;
  return {
    parts: {
      credentials: {
        ...credentials,
        invalidateGateway: twice(credentials.invalidateGateway),
        invalidateKey: twice(credentials.invalidateKey),
        invalidateUser: twice(credentials.invalidateUser),
        invalidateSession: twice(credentials.invalidateSession),
        invalidatePackagePermissions: twice(credentials.invalidatePackagePermissions),
        invalidateAll: twice(credentials.invalidateAll),
      },
      caches: {
        ...caches,
        portalRules: {
          get: (id) => portalRules.get(id),
          set: (id, fact) => portalRules.set(id, fact),
          delete: twice((id: string) => portalRules.delete(id)),
        },
      },
    },
    repeat: () => {
      for (const call of calls) call();
    },
  };
}
