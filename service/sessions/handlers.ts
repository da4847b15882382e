import type { Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Session } from '#protocol/hosted/sessions.ts';
import { limits } from '#protocol/limits.ts';
import { type ProvenUser, provePasskeySignIn, proveSignIn, signedInProfile } from '../accounts/sign-in.ts';
import { recordUserAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf, OwnPage } from '../handler.ts';
import { formatDateTime } from '../wire-times.ts';
import { liveSessions, type SessionRow, startBrowserSession } from './sessions.ts';

const toSession = (row: SessionRow, currentId: string | null): Session => ({
  id: row.id,
  kind: row.kind,
  user_agent: row.user_agent,
  address: row.address,
  created_at: formatDateTime(row.created_at),
  last_seen_at: formatDateTime(row.last_seen_at),
  expires_at: formatDateTime(row.expires_at),
  current: row.id === currentId,
  ...(row.sso_team_id !== null && { sso_team_id: row.sso_team_id }),
});

/** Sessions of browsers, and the list of a user's own (contract/users-and-auth.md §6). */
export const sessionHandlers: HandlersOf<'createSession' | 'createPasskeySession' | 'listSessions' | 'endSession' | 'endOtherSessions'> = {
  async createSession({ body }, context) {
    const page = requirePage(context);
    return await signedIn(context, page, await proveSignIn(context, body));
  },

  async createPasskeySession({ body }, context) {
    const page = requirePage(context);
    return await signedIn(context, page, await provePasskeySignIn(context, body.passkey));
  },

  async listSessions(_, { db, credential, now }) {
    const rows = await liveSessions(db, credential.userId, now());
    const own = rows.filter(({ sso_team_id: team }) => credential.ssoTeamId === null || team === credential.ssoTeamId);
    return { records: own.map((row) => toSession(row, credential.sessionId)) };
  },

  async endSession({ params }, context) {
    const { db, credential, credentials, page } = context;
    const isEnded = await inTransaction(db, async (trx) => {
      const ended = await ownSessions(trx, credential)
        .where('id', '=', params.session_id)
        .returning(['user_agent', 'address'])
        .executeTakeFirst();
      if (!ended) return false;
      const isOwn = params.session_id === credential.sessionId;
      await recordUserAudit(trx, context, credential.userId, { action: 'session.ended', details: { own: isOwn, of: ended } });
      return true;
    });
    credentials.invalidateSession(params.session_id);
    if (!isEnded) throw new ApiError('not_found', { resource: 'session' });
    if (params.session_id === credential.sessionId) page?.clearSession();
  },

  async endOtherSessions(_, context) {
    const { db, credential, credentials } = context;
    const ended = await inTransaction(db, async (trx) => {
      let others = ownSessions(trx, credential);
      if (credential.sessionId !== null) others = others.where('id', '!=', credential.sessionId);
      const { numDeletedRows } = await others.executeTakeFirst();
      const event = { action: 'session.ended', details: { others: Number(numDeletedRows) } } as const;
      if (numDeletedRows > 0n) await recordUserAudit(trx, context, credential.userId, event);
      return Number(numDeletedRows);
    });
    credentials.invalidateUser(credential.userId);
    return { ended };
  },
};

/** The sessions that a user's session may end. One that came by a Team's single sign-on reaches its own kind only. */
function ownSessions(trx: Transaction<Database>, { userId, ssoTeamId }: UserCredential) {
  const all = trx.deleteFrom('sessions').where('user_id', '=', userId);
  return ssoTeamId === null ? all : all.where('sso_team_id', '=', ssoTeamId);
}

export function requirePage({ page }: Context): OwnPage {
  if (page !== null) return page;
  throw new ApiError('invalid_request', {
    detail: 'Only the pages of this service sign in by a cookie. Programs sign in by POST /v1/auth, and get a user token.',
  });
}

async function signedIn(context: Context, page: OwnPage, { id, token_version: version, byPasswordAlone }: ProvenUser) {
  const { db, now, source } = context;
  const profile = await signedInProfile(db, id);
  const secret = await inTransaction(db, async (trx) => {
    await recordUserAudit(trx, context, id, { action: 'session.started', details: { kind: 'browser' } });
    return await startBrowserSession(trx, { userId: id, version, source, byPasswordAlone, ssoTeamId: null, at: now() });
  });
  page.setSession(secret, limits.browserSessionSeconds.total);
  return { ...profile, session_id: secret.sessionId };
}
