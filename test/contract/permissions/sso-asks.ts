import { randomBytes } from 'node:crypto';
import { newId } from '#service/ids.ts';
import { ownPageHeader } from '#service/sessions/own-page.ts';
import { putSso } from '#test/support/sso/connection.ts';
import type { Asks, Scene } from './ask.ts';
import type { PublicScene } from './public-asks.ts';
import type { Team, World } from './world.ts';

/** The calls about a Team's single sign-on, and those by which people sign in. */

const page = { [ownPageHeader]: '1' };

async function domain({ world, team }: Pick<Scene, 'world' | 'team'>): Promise<string> {
  const { db, now } = world.at.service.services;
  const id = newId();
  const times = { verified_at: null, checked_at: null, missing_since: null, created_at: now() };
  await db
    .insertInto('sso_domains')
    .values({ id, team_id: team.id, domain: `d-${id}.example`, token: id, ...times })
    .execute();
  return id;
}

const connected = async ({ world, team }: { world: World; team: Team }): Promise<string> => {
  const name = `c-${newId()}.example`;
  await putSso(world.at, team.id, { issuer: world.provider.issuer, domain: name });
  return name;
};

export const ssoAsks: Asks = {
  getSso: () => ({}),
  setSso: ({ world }) => ({
    body: {
      ...{ issuer: world.provider.issuer, client_id: 'longshore', client_secret: 'secret', scopes: ['openid', 'email'] },
      ...{ group_claim: 'groups', group_roles: [{ group: 'crew', role: 'member' }], default_role: 'none' },
      ...{ enabled: false, sso_only: false },
    },
  }),
  async deleteSso(scene) {
    await connected(scene);
    return {};
  },
  testSso: ({ world }) => ({ body: { issuer: world.provider.issuer } }),
  async startSsoTrial(scene) {
    await connected(scene);
    return { headers: page };
  },
  addSsoDomain: () => ({ body: { domain: `n-${newId()}.example` } }),
  checkSsoDomain: async (scene) => ({ params: { domain_id: await domain(scene) } }),
  removeSsoDomain: async (scene) => ({ params: { domain_id: await domain(scene) } }),
};

export const publicSsoAsks: Asks<PublicScene> = {
  startSso: async (scene) => ({ body: { company: await connected(scene) }, headers: page }),
  async finishSso(scene) {
    const { world, team } = scene;
    const name = await connected(scene);
    // Begun while the Team is active.
    const { tokens, db } = world.at.service.services;
    const { revision } = await db.selectFrom('sso_connections').select('revision').where('team_id', '=', team.id).executeTakeFirstOrThrow();
    const random = () => randomBytes(32).toString('base64url');
    const [state, nonce, verifier] = [random(), random(), random()];
    const more = { next: '/', app: null, trial: false };
    const flow = await tokens.sign('sso', { id: newId(), teamId: team.id, revision, state, nonce, verifier, ...more });
    const url = new URL(`${world.provider.issuer}/authorize`);
    url.search = new URLSearchParams({
      ...{ state, nonce, code_challenge: await challengeOf(verifier), client_id: 'longshore' },
      redirect_uri: world.at.service.services.urls.ssoCallback(team.id),
    }).toString();
    const answer = world.provider.signIn(url.href, { sub: newId(), email: `m-${newId()}@${name}`, email_verified: true });
    return { body: { team_id: team.id, answer }, headers: { ...page, cookie: `__Host-longshore-sso=${flow}` } };
  },
  async exchangeSsoCode(scene) {
    const { world, team } = scene;
    await connected(scene);
    const verifier = randomBytes(32).toString('base64url');
    const { db, tokens } = world.at.service.services;
    const { revision } = await db.selectFrom('sso_connections').select('revision').where('team_id', '=', team.id).executeTakeFirstOrThrow();
    const claims = { nonce: newId(), userId: team.people.member.userId, version: 1, teamId: team.id, revision };
    const code = await tokens.sign('sso_code', { ...claims, challenge: await challengeOf(verifier) });
    return { body: { code, code_verifier: verifier } };
  },
};

const challengeOf = async (verifier: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');
