import { type Kysely, type Selectable, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { factorNames } from '../mfa/factor-names.ts';
import { hashSessionSecret, newSessionSecret, type SessionSecret } from './session-cookie.ts';

/** Where a sign-in comes from, for the list of a user's sessions. */
export interface SessionSource {
  /** The caller's `User-Agent`, if it sends one. */
  readonly userAgent: string | undefined;
  readonly address: string;
}

interface SignedIn {
  readonly userId: string;
  /** The user's `token_version` when the password was proven: a change of it meanwhile ends this session, too. */
  readonly version: number;
  readonly source: SessionSource;
  /** Whether a password was all that the sign-in was asked for: the user had no second factor when it was proven. */
  readonly byPasswordAlone: boolean;
  /** The Team through whose company the user has signed in; null for a proof that counts in all Teams. */
  readonly ssoTeamId: string | null;
  readonly at: Date;
}

/** Begins the session of a program, which has a user token. Errors: `mfa_required` for a factor that was added meanwhile. */
export async function startProgramSession(db: Kysely<Database>, signedIn: SignedIn): Promise<{ readonly sessionId: string }> {
  const expiresAt = new Date(signedIn.at.getTime() + limits.userTokenSeconds * 1_000);
  return { sessionId: await insertSession(db, signedIn, { kind: 'program', secretHash: null, expiresAt }) };
}

/** Begins the session of a browser, which gets a cookie. Errors: `mfa_required`, as for a program. */
export async function startBrowserSession(db: Kysely<Database>, signedIn: SignedIn): Promise<SessionSecret> {
  const secret = newSessionSecret();
  const expiresAt = new Date(signedIn.at.getTime() + limits.browserSessionSeconds.total * 1_000);
  const sessionId = await insertSession(db, signedIn, { kind: 'browser', secretHash: hashSessionSecret(secret), expiresAt });
  return { sessionId, secret };
}

interface NewSession {
  readonly kind: 'browser' | 'program';
  readonly secretHash: Buffer | null;
  readonly expiresAt: Date;
}

async function insertSession(
  db: Kysely<Database>,
  { userId, version, source, byPasswordAlone, ssoTeamId, at }: SignedIn,
  session: NewSession,
): Promise<string> {
  const id = newId();
  await db
    .insertInto('sessions')
    .values({
      id,
      user_id: userId,
      kind: session.kind,
      secret_hash: session.secretHash,
      token_version: version,
      user_agent: (source.userAgent ?? '').slice(0, 200),
      address: source.address,
      created_at: at,
      last_seen_at: at,
      expires_at: session.expiresAt,
      sso_team_id: ssoTeamId,
    })
    .execute();
  const user = await db
    .updateTable('users')
    .set({ seen_at: at })
    .where('id', '=', userId)
    .returning('mfa_since as mfaSince')
    .executeTakeFirstOrThrow();
  // The first factor ends the sessions that it finds. One that begins at the same time was not asked for it.
  if (byPasswordAlone && user.mfaSince !== null) throw new ApiError('mfa_required', { methods: await factorNames(db, userId) });
  // A program that signs in for each call would have a row for each of them, for a month.
  await sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by last_seen_at desc, id desc offset ${limits.sessionsPerUser}
    )`.execute(db);
  return id;
}

export type SessionRow = Selectable<Database['sessions']>;

/** The sessions of a user that stand today, the one that was used last first. */
export async function liveSessions(db: Kysely<Database>, userId: string, at: Date): Promise<readonly SessionRow[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .whereRef('sessions.token_version', '=', 'users.token_version')
    .where('user_id', '=', userId)
    .where('expires_at', '>', at)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.filter((row) => !isIdle(row.kind, row.last_seen_at, at));
}

/** Whether a browser's session was not used for so long that it is over. A program's lasts as long as its token. */
export function isIdle(kind: 'browser' | 'program', lastSeenAt: Date, at: Date): boolean {
  return kind === 'browser' && at.getTime() - lastSeenAt.getTime() > limits.browserSessionSeconds.idle * 1_000;
}

/** Cleanup of sessions that are over, in one statement. */
export async function deleteEndedSessions(db: Kysely<Database>, at: Date): Promise<void> {
  const idleSince = new Date(at.getTime() - limits.browserSessionSeconds.idle * 1_000);
  await sql`
    delete from sessions using users where users.id = sessions.user_id and (
      expires_at <= ${at} or (kind = 'browser' and last_seen_at < ${idleSince}) or sessions.token_version <> users.token_version
    )`.execute(db);
}
