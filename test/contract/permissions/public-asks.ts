import type { Package } from '#protocol/hosted/packages.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { newId } from '#service/ids.ts';
import { ownPageHeader } from '#service/sessions/own-page.ts';
import { putNoticeMail } from '#test/support/service/notices.ts';
import { softwarePasskey } from '#test/support/service/software-passkey.ts';
import { addUser, invitationToken, passwordResetToken, putEmailChange } from '#test/support/service/users.ts';
import type { Ask, Asks } from './ask.ts';
import { optionsOf, withoutFactors } from './mfa-asks.ts';
import { putLink } from './package-asks.ts';
import { publicSsoAsks } from './sso-asks.ts';
import { password, type Team, type World } from './world.ts';

/** The calls of people without an account: senders at a Portal, recipients with a link, and whoever signs in. */

export const accessCode = 'open sesame';
export const linkSecret = 'the secret of the link';

export interface PublicScene {
  readonly world: World;
  readonly team: Team;
}

async function portal({ world, team }: PublicScene): Promise<Portal> {
  const fields = { name: 'Portal', subdomain: `p-${newId()}`, active: true, has_access_code: true, access_code: accessCode };
  const made = await world.make<Portal>(team, 'POST', `/v1/teams/${team.id}/portals`, fields);
  await world.make(team, 'POST', `/v1/portals/${made.id}/form`, { name: 'Report', delivery_formats: ['json'] });
  return made;
}

async function invitation({ world, team }: PublicScene): Promise<string> {
  const body = { email: `i-${newId()}@example.com`, role: 'guest' };
  const { id } = await world.make<{ id: string }>(team, 'POST', `/v1/teams/${team.id}/members`, body);
  return await invitationToken(world.at, id);
}

/** The token of one who forgot their password: of nobody who is asked about elsewhere, since it ends their tokens. */
async function noticeMail({ world, team }: PublicScene) {
  const { id, token } = await putNoticeMail(world.at, team.id);
  return { params: { message_id: id }, query: `token=${token}` };
}

async function passwordReset({ world, team }: PublicScene): Promise<string> {
  const { email } = await addUser(world.at, 'guest', team.id);
  return await passwordResetToken(world.at, email);
}

/** A code for the upload of a package that the owner makes. */
async function handoverCode({ world, team }: PublicScene): Promise<string> {
  const { id, access_token } = await world.make<Package>(team, 'POST', `/v1/teams/${team.id}/packages`, {
    name: 'P',
    description: '',
    recipients: [],
  });
  await world.setState(team, 'active');
  const made = await world.at.call<{ code: string }>('POST', `/v1/packages/${id}/handovers`, {
    headers: { 'x-package-token': access_token },
  });
  if (team === world.idle) await world.setState(team, 'inactive');
  return made.body.code;
}

const atPortal =
  (ask: Ask) =>
  async (scene: PublicScene): Promise<Ask> => ({ ...ask, params: { portal_id: (await portal(scene)).id } });

async function askedLink({ world, team }: PublicScene): Promise<Ask & { params: Record<string, string> }> {
  const fields = { name: 'P', description: '', recipients: [] };
  const made = await world.make<Package>(team, 'POST', `/v1/teams/${team.id}/packages`, fields);
  const { db } = world.at.service.services;
  const later = new Date(Date.now() + 3 * 24 * 3_600_000);
  await db.updateTable('packages').set({ state: 'finalized', expiry: later }).where('id', '=', made.id).execute();
  return {
    params: { link_id: await putLink({ world, made }, `${linkSecret} ${made.id}`) },
    query: `secret=${encodeURIComponent(`${linkSecret} ${made.id}`)}`,
  };
}

export const publicAsks: Asks<PublicScene> = {
  auth: ({ team }) => ({ body: { email: team.owner.email, password } }),
  createSession: ({ team }) => ({ body: { email: team.owner.email, password }, headers: { [ownPageHeader]: '1' } }),
  createPasskeyChallenge: () => ({}),
  ...publicSsoAsks,
  async createPasskeySession({ world, team }) {
    const passkey = softwarePasskey();
    const { people, id } = team;
    await withoutFactors(world, people.owner.userId);
    const headers = { 'x-user-token': people.owner.token };
    const made = passkey.create(await optionsOf(world, '/v1/mfa/passkeys/challenge', headers, { password }), world.at.url);
    await world.at.call('POST', '/v1/mfa/passkeys', { headers, body: { name: `Laptop ${id}`, response: made } });
    const proof = passkey.prove(await optionsOf(world, '/v1/sessions/passkey/challenge', {}), world.at.url);
    // Other calls sign this owner in by the password alone.
    await world.at.service.services.db.updateTable('users').set({ mfa_since: null }).where('id', '=', people.owner.userId).execute();
    return { body: { passkey: proof }, headers: { [ownPageHeader]: '1' } };
  },
  getInvitation: async (scene) => ({ params: { token: await invitation(scene) } }),
  acceptInvitation: async (scene) => ({ params: { token: await invitation(scene) }, body: { name: 'Jonas', password } }),
  requestPasswordReset: ({ team }) => ({ body: { email: team.owner.email } }),
  getNoticeChoice: noticeMail,
  stopNotices: noticeMail,
  resumeNotices: noticeMail,
  resetPassword: async (scene) => ({ params: { token: await passwordReset(scene) }, body: { password } }),
  async getEmailChange({ world, team }) {
    const { userId } = await addUser(world.at, 'guest', team.id);
    return { params: { token: await putEmailChange(world.at, userId) } };
  },
  async confirmEmailChange({ world, team }) {
    const { userId } = await addUser(world.at, 'guest', team.id);
    return { params: { token: await putEmailChange(world.at, userId) } };
  },
  packageSpec: () => ({}),
  serviceKeys: () => ({}),
  findPortal: async (scene) => ({ params: { subdomain: (await portal(scene)).subdomain } }),
  getPortal: atPortal({}),
  createPortalPackage: async (scene) => {
    const { id } = await portal(scene);
    const { db } = scene.world.at.service.services;
    // The form is another endpoint's matter.
    await db.deleteFrom('forms').where('portal_id', '=', id).execute();
    return { params: { portal_id: id }, body: { name: 'P', description: '', sender: 's@example.com' } };
  },
  createFormResponse: atPortal({ body: {} }),
  openHandover: async (scene) => ({ body: { code: await handoverCode(scene) } }),
  takeHandover: async (scene) => ({ body: { code: await handoverCode(scene), claim: `claim ${newId()}` } }),
  openLink: askedLink,
  async createLinkCode(scene) {
    const asked = await askedLink(scene);
    await scene.world.at.service.services.db
      .updateTable('links')
      .set({ verify_recipient: true })
      .where('id', '=', asked.params['link_id']!)
      .execute();
    return asked;
  },
};
