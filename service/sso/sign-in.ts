import { ApiError } from '#protocol/errors.ts';
import type { SsoFinished, SsoTrial } from '#protocol/hosted/sso-sign-in.ts';
import { limits } from '#protocol/limits.ts';
import { signedInProfile } from '../accounts/sign-in.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf, OwnPage } from '../handler.ts';
import { requirePage } from '../sessions/handlers.ts';
import { startBrowserSession } from '../sessions/sessions.ts';
import { teamAccess } from '../teams/access.ts';
import { appRedirect } from './app-code.ts';
import { type ConnectionRow, clientOf, readConnection, readRules, requireSameConnection } from './connection-row.ts';
import { domainOf, teamOfDomain } from './domain-rows.ts';
import { newFlow, ownPath, type SsoFlow, useOnce } from './flow.ts';
import { authorizationUrl, provenPerson, type SsoPerson } from './provider.ts';
import { provision } from './provision.ts';
import { recordRefusal, recordSignIn } from './record-sign-in.ts';
import { roleOfGroups } from './roles.ts';

const refused = (detail: string): ApiError => new ApiError('sso_refused', { detail });

/** Signing in through a company, in a browser (contract/sso.md §4). */
export const signInHandlers: HandlersOf<'startSso' | 'startSsoTrial' | 'finishSso'> = {
  async startSso({ body }, context) {
    const page = requirePage(context);
    await context.countSignIn(context.peer);
    if (body.app && !URL.canParse(body.app.redirect_uri))
      throw new ApiError('invalid_request', { detail: 'app.redirect_uri: there is no such port.' });
    const domain = domainOf(body.company);
    const teamId = domain === null ? undefined : await teamOfDomain(context.db, domain);
    const connection = teamId === undefined ? undefined : await readConnection(context.db, teamId);
    // The same words for each reason: strangers learn no more than where a company's people sign in.
    if (!connection?.enabled || !(await isActive(context, connection.team_id))) {
      throw refused('There is no sign-in through a company for this address. Sign in with your password, or ask an owner of your Team.');
    }
    return await begin(context, page, connection, { next: ownPath(body.next), app: body.app ?? null, trial: false });
  },

  async startSsoTrial({ params }, context) {
    const page = requirePage(context);
    const { teamId } = await teamAccess(context, params.team_id, 'sso.manage');
    const connection = await readConnection(context.db, teamId);
    if (!connection) throw new ApiError('state_conflict', { detail: 'Save the provider first, then try it.' });
    return await begin(context, page, connection, { next: `/t/${teamId}/sso`, app: null, trial: true });
  },

  async finishSso({ body }, context) {
    const page = requirePage(context);
    await context.countSignIn(context.peer);
    // Whatever comes of it: one answer ends it.
    page.clearFlow();
    const flow = page.flow === null ? null : await context.tokens.verify('sso', page.flow);
    if (flow?.teamId !== body.team_id)
      throw refused('This sign-in was begun in another browser, or more than ten minutes ago. Begin again.');
    // Before it is used up: what an attacker's page sends here does not end the person's own sign-in.
    if (new URLSearchParams(body.answer).get('state') !== flow.state) throw refused('This answer belongs to another sign-in. Begin again.');
    if (!(await useOnce(context, flow.id))) throw refused('This sign-in has ended already. Begin again.');
    const connection = await readConnection(context.db, flow.teamId);
    if (connection?.revision !== flow.revision) throw refused('The settings of this sign-in were changed meanwhile. Begin again.');
    if (!flow.trial && !connection.enabled) throw refused('Signing in through your company was turned off meanwhile.');
    if (!(await isActive(context, flow.teamId))) throw new ApiError('team_inactive');
    const { seal, ssoHttp, urls } = context;
    const redirectUri = urls.ssoCallback(flow.teamId);
    const person = await provenPerson(ssoHttp, clientOf(seal, connection), flow, { redirectUri, answer: body.answer });
    return flow.trial ? await endTrial(context, connection, flow, person) : await signIn(context, page, connection, flow, person);
  },
};

async function begin(
  context: Context,
  page: OwnPage,
  connection: ConnectionRow,
  about: Pick<SsoFlow, 'next' | 'app' | 'trial'>,
): Promise<{ url: string }> {
  const { tokens, seal, ssoHttp, urls } = context;
  const flow = newFlow({ teamId: connection.team_id, revision: connection.revision, ...about });
  const url = await authorizationUrl(ssoHttp, clientOf(seal, connection), flow, urls.ssoCallback(connection.team_id));
  page.setFlow(await tokens.sign('sso', flow), limits.ssoFlowSeconds);
  return { url };
}

async function signIn(context: Context, page: OwnPage, connection: ConnectionRow, flow: SsoFlow, person: SsoPerson): Promise<SsoFinished> {
  const { db, source, now, credentials } = context;
  const { team_id: teamId, revision } = connection;
  const done = await inTransaction(db, async (trx) => {
    const { userId } = await provision(trx, context, connection, person);
    await requireSameConnection(trx, teamId, revision);
    await prove(trx, connection, now());
    const { token_version: version } = await trx
      .selectFrom('users')
      .select('token_version')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    if (flow.app !== null) return { userId, version, secret: null };
    await recordSignIn(trx, context, { teamId, userId, kind: 'browser' });
    return {
      userId,
      version,
      secret: await startBrowserSession(trx, { userId, version, source, byPasswordAlone: false, ssoTeamId: teamId, at: now() }),
    };
  }).catch(async (error: unknown) => {
    if (error instanceof ApiError) await recordRefusal(context, teamId, person, error.message);
    throw error;
  });
  // The role may be another one now.
  credentials.invalidateUser(done.userId);
  const { userId, version, secret } = done;
  if (secret === null)
    return { next: flow.next, app_redirect: await appRedirect(context, flow.app!, { userId, version, teamId, revision }) };
  page.setSession(secret, limits.browserSessionSeconds.total);
  return { next: flow.next, session: { ...(await signedInProfile(db, userId, teamId)), session_id: secret.sessionId } };
}

/** Says who it would have been. Whether they would get in is asked by doing it, and taking it back. */
async function endTrial(context: Context, connection: ConnectionRow, flow: SsoFlow, person: SsoPerson): Promise<SsoFinished> {
  const { db, now } = context;
  const rules = await readRules(db, connection);
  const problem = await db
    .transaction()
    .execute(async (trx) => {
      await provision(trx, context, connection, person);
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return '';
      if (error instanceof ApiError) return error.message;
      throw error;
    });
  await prove(db, connection, now());
  const trial: SsoTrial = {
    subject: person.subject.slice(0, 255),
    email: person.email,
    email_verified: person.emailVerified,
    name: person.name,
    groups: person.groups.slice(0, limits.ssoGroups),
    role: roleOfGroups(rules, person.groups) ?? rules.defaultRole ?? 'none',
    problem,
  };
  return { next: flow.next, trial };
}

class Undone extends Error {}

/** A sign-in has come through with the connection as it is, so that it can be made the only way in. */
async function prove(db: Context['db'], { team_id: teamId, revision }: ConnectionRow, at: Date): Promise<void> {
  await db.updateTable('sso_connections').set({ proven_at: at }).where('team_id', '=', teamId).where('revision', '=', revision).execute();
}

async function isActive({ db }: Pick<Context, 'db'>, teamId: string): Promise<boolean> {
  const team = await db.selectFrom('teams').select('state').where('id', '=', teamId).executeTakeFirst();
  return team?.state === 'active';
}
