import { ApiError } from '#protocol/errors.ts';
import type { Session } from '#protocol/hosted/sessions.ts';
import { limits } from '#protocol/limits.ts';
import { type ProvenUser, provePasskeySignIn, proveSignIn, signedInProfile } from '../accounts/sign-in.ts';
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
    return { records: rows.map((row) => toSession(row, credential.sessionId)) };
  },

  async endSession({ params }, { db, credential, credentials, page }) {
    const ended = await db
      .deleteFrom('sessions')
      .where('id', '=', params.session_id)
      .where('user_id', '=', credential.userId)
      .executeTakeFirst();
    credentials.invalidateSession(params.session_id);
    if (ended.numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'session' });
    if (params.session_id === credential.sessionId) page?.clearSession();
  },

  async endOtherSessions(_, { db, credential, credentials }) {
    let others = db.deleteFrom('sessions').where('user_id', '=', credential.userId);
    if (credential.sessionId !== null) others = others.where('id', '!=', credential.sessionId);
    const { numDeletedRows } = await others.executeTakeFirst();
    credentials.invalidateUser(credential.userId);
    return { ended: Number(numDeletedRows) };
  },
};

function requirePage({ page }: Context): OwnPage {
  if (page !== null) return page;
  throw new ApiError('invalid_request', {
    detail: 'Only the pages of this service sign in by a cookie. Programs sign in by POST /v1/auth, and get a user token.',
  });
}

async function signedIn({ db, now, source }: Context, page: OwnPage, { id, token_version: version }: ProvenUser) {
  const profile = await signedInProfile(db, id);
  const secret = await startBrowserSession(db, { userId: id, version, source, at: now() });
  page.setSession(secret, limits.browserSessionSeconds.total);
  return { ...profile, session_id: secret.sessionId };
}
