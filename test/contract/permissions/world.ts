import { sql } from 'kysely';
import { type Role, roles } from '#protocol/roles.ts';
import { hashApiKeySecret, newApiKeySecret } from '#service/accounts/api-key-secret.ts';
import { setTeamState } from '#service/accounts/team-state.ts';
import type { TokenClaims } from '#service/credentials/tokens.ts';
import { newId } from '#service/ids.ts';
import type { ServiceOptions } from '#service/server.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { everyRecord } from '#test/support/sso/connection.ts';
import { type ScriptedProvider, startScriptedProvider } from '#test/support/sso/scripted-provider.ts';

/** Three Teams, each with everybody in it: the home Team, another one, and one that is inactive. */

export const password = 'a password of everybody';

export interface Person {
  readonly userId: string;
  readonly memberId: string;
  readonly email: string;
  readonly role: Role;
  readonly token: string;
  /** Secret and id of an API key that they made. A member's stands for one made before they lost a higher role. */
  readonly key: string;
  readonly keyId: string;
}

export interface Team {
  readonly id: string;
  /** Makes what the calls are about. Another than `people.owner`. */
  readonly owner: Person;
  readonly people: Readonly<Record<Role, Person>>;
}

export interface World {
  readonly at: TestService;
  readonly home: Team;
  readonly away: Team;
  readonly idle: Team;
  /** Of the service, and in no Team. */
  readonly operator: { readonly userId: string; readonly email: string; readonly token: string };
  /** Asks as a Team's owner, and gives the body; throws unless it went well. Works for the inactive Team too. */
  make<T>(team: Team, method: string, path: string, body?: unknown): Promise<T>;
  /** Makes a Team inactive (or active) and everybody hear of it. */
  setState(team: Team, state: 'active' | 'inactive'): Promise<void>;
  /** Gives somebody back what a call may have taken: membership, role, password, address, keys, a sign-in without a second factor. */
  restore(team: Team, person: Person): Promise<void>;
  /** Of every Team's single sign-on. */
  readonly provider: ScriptedProvider;
  sign(claims: Partial<TokenClaims['package']> & Pick<TokenClaims['package'], 'packageId' | 'variant'>): Promise<string>;
  close(): Promise<void>;
}

const unlimited = 1_000_000_000;

export async function makeWorld(options: Pick<ServiceOptions, 'logLevel' | 'logFile' | 'trustProxy'> = {}): Promise<World> {
  const provider = await startScriptedProvider();
  const at: TestService = await startTestService({
    ...options,
    allowPrivateSso: true,
    resolveTxt: everyRecord(() => at),
    // Transfers are begun, and nothing works on them: their providers are nobody's.
    transfers: { perNode: 0 },
    limits: {
      perCredential: unlimited,
      perAddress: unlimited,
      signInsPerAddress: unlimited,
      passwordResetsPerAddress: unlimited,
      linksPerAddress: unlimited,
      refusalsPerAddress: unlimited,
      attempts: { max: unlimited, windowSeconds: 1 },
      senders: { packagesPerHour: unlimited, announcementsPerDay: unlimited, mailsPerRecipientAndDay: unlimited },
    },
  });
  const { db, tokens, credentials, now } = at.service.services;
  // Tests compare the whole database before and after their calls: nothing else may be at work in it.
  await sql`delete from jobs.schedule`.execute(db);
  const passwordHash = await lightHash(password);

  const join = async (teamId: string, role: Role): Promise<Person> => {
    const { userId, email, token } = await addUser(at, role, teamId);
    await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
    const membership = await db.selectFrom('memberships').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow();
    const [key, keyId, time] = [newApiKeySecret(), newId(), now()];
    await db
      .insertInto('api_keys')
      .values({
        id: keyId,
        team_id: teamId,
        created_by: userId,
        name: role,
        description: '',
        state: 'active',
        expiry: null,
        secret_hash: hashApiKeySecret(key),
        created_at: time,
        updated_at: time,
        last_request_at: null,
      })
      .execute();
    return { userId, memberId: membership.id, email, role, token, key, keyId };
  };
  const makeTeam = async (name: string): Promise<Team> => {
    const id = await addTeam(at, name);
    const owner = await join(id, 'owner');
    const people = await Promise.all(roles.map(async (role) => [role, await join(id, role)] as const));
    return { id, owner, people: Object.fromEntries(people) as Record<Role, Person> };
  };

  const setState: World['setState'] = (team, state) => setTeamState(at.service.services, team.id, state);
  const [home, away, idle] = await Promise.all([makeTeam('Home'), makeTeam('Away'), makeTeam('Idle')]);
  await setState(idle, 'inactive');
  const operator = await addUser(at, 'guest', home.id);
  await db.deleteFrom('memberships').where('user_id', '=', operator.userId).execute();
  await db.updateTable('users').set({ is_operator: true, primary_team_id: null }).where('id', '=', operator.userId).execute();

  return {
    at,
    home,
    away,
    idle,
    operator,
    setState,
    async make<T>(team: Team, method: string, path: string, body?: unknown): Promise<T> {
      if (team === idle) await setState(idle, 'active');
      try {
        const answer = await at.call<T>(method, path, { headers: { 'x-user-token': team.owner.token }, body });
        if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer.body;
      } finally {
        if (team === idle) await setState(idle, 'inactive');
      }
    },
    async restore(team, { userId, memberId, email, role, keyId }) {
      await db.deleteFrom('memberships').where('user_id', '=', userId).where('id', '!=', memberId).execute();
      await db
        .insertInto('memberships')
        .values({ id: memberId, team_id: team.id, user_id: userId, role, created_at: now() })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ role }))
        .execute();
      await db
        .updateTable('users')
        .set({ email, password_hash: passwordHash, token_version: 1, mfa_since: null })
        .where('id', '=', userId)
        .execute();
      for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const) {
        await db.deleteFrom(table).where('user_id', '=', userId).execute();
      }
      await db.updateTable('api_keys').set({ state: 'active' }).where('id', '=', keyId).execute();
      credentials.invalidateAll();
    },
    sign: (claims) => tokens.sign('package', { tokenId: newId(), linkId: null, userId: null, ...claims }),
    provider,
    async close() {
      await at.close();
      await provider.close();
    },
  };
}
