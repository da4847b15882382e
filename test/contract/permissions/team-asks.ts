import { hashMailedToken } from '#service/accounts/mailed-tokens.ts';
import { newId } from '#service/ids.ts';
import { startProgramSession } from '#service/sessions/sessions.ts';
import { sampleEvent } from '#service/webhooks/sample-event.ts';
import { putGateway } from '#test/support/service/gateways.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { addUser, putEmailChange } from '#test/support/service/users.ts';
import type { Ask, Asks, Scene } from './ask.ts';
import { mfaAsks, mfaTakesFromPeople } from './mfa-asks.ts';
import { ssoAsks } from './sso-asks.ts';
import { password } from './world.ts';

/** The calls that users and API keys make, each as one that goes well if it is allowed. */

interface Made {
  readonly id: string;
}

const make = <T = Made>({ world, team }: Scene, method: string, path: string, body?: unknown): Promise<T> =>
  world.make<T>(team, method, path.replace('{team}', `/v1/teams/${team.id}`), body);

const whose = ({ own, caller, team }: Scene) => (own ? caller : team.owner);

async function apiKey(scene: Scene): Promise<string> {
  const { id } = await make(scene, 'POST', '{team}/api_keys', { name: 'K', state: 'active' });
  const { db } = scene.world.at.service.services;
  await db
    .updateTable('api_keys')
    .set({ created_by: whose(scene).userId })
    .where('id', '=', id)
    .execute();
  return id;
}

async function session(scene: Scene): Promise<string> {
  const { db, now } = scene.world.at.service.services;
  const source = { userAgent: 'test', address: '127.0.0.1' };
  const { sessionId } = await startProgramSession(db, {
    userId: whose(scene).userId,
    version: 1,
    source,
    byPasswordAlone: false,
    ssoTeamId: null,
    at: now(),
  });
  return sessionId;
}

async function member(scene: Scene): Promise<string> {
  if (scene.own) return scene.caller.memberId;
  const { at } = scene.world;
  const { userId } = await addUser(at, 'guest', scene.team.id);
  const { db } = at.service.services;
  return (await db.selectFrom('memberships').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow()).id;
}

async function invitation(scene: Scene): Promise<string> {
  return (await make(scene, 'POST', '{team}/members', { email: `m-${newId()}@example.com`, role: 'guest' })).id;
}

/** The token of an invitation to the caller's address, also where they are in the Team already. */
async function invitationToCaller({ world, team, caller }: Scene): Promise<string> {
  const { db, mailedTokens, now } = world.at.service.services;
  const [id, message] = [newId(), newId()];
  await db.deleteFrom('invitations').where('email', '=', caller.email).execute();
  await db
    .insertInto('invitations')
    .values({
      ...{ id, team_id: team.id, email: caller.email, name: 'Caller', role: 'guest', invited_by: team.owner.userId },
      ...{ token_hash: hashMailedToken(mailedTokens.of(message)), expires_at: new Date(now().getTime() + 3_600_000) },
      ...{ accepted_at: null, revoked_at: null, created_at: now() },
    })
    .execute();
  return mailedTokens.of(message);
}

async function teamspace(scene: Scene): Promise<{ id: string; members: Made[] }> {
  return await make(scene, 'POST', '{team}/spaces', { name: 'Space', member_ids: [whose(scene).memberId] });
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

const portalFields = () => ({ name: 'Portal', subdomain: `p-${newId()}`, active: true });

async function portal(scene: Scene, fields = {}): Promise<string> {
  return (await make(scene, 'POST', '{team}/portals', { ...portalFields(), ...fields })).id;
}

const formFields = {
  name: 'Report',
  delivery_formats: ['json'],
  disabled: false,
  fields: [{ name: 'camera', label: 'Camera', type: 'short_text', visibility: 'optional', position: 1 }],
};

async function form(scene: Scene): Promise<{ portal: string; form: string }> {
  const id = await portal(scene);
  const made = await make(scene, 'POST', `/v1/portals/${id}/form`, formFields);
  return { portal: id, form: made.id };
}

const gatewayFields = { name: 'Machine room', platform: 'linux', version: '0.1.0' };

const templateFields = { name: 'Template', delivery_formats: ['json'] };
const template = async (scene: Scene) => (await make(scene, 'POST', '{team}/forms/templates', templateFields)).id;

const connectionFields = {
  name: 'Bucket',
  provider: 'generic_s3',
  authorization: {
    client_id: 'id',
    client_secret: 'secret',
    destination: 'bucket',
    endpoint: 'https://s3.example.com',
    region: 'default',
    force_s3_path_style: 'true',
  },
};
const connection = async (scene: Scene, fields: object = connectionFields) =>
  (await make(scene, 'POST', '{team}/cloud_connections', fields)).id;
/** Asked for the folders to begin with, it asks no provider. */
const sourceFields = {
  provider: 'wasabi_s3',
  direction: 'cloud_to_service',
  authorization: { client_id: 'id', client_secret: 'secret', destination: 'bucket', endpoint: 'https://s3.example.com', region: 'eu' },
  source_directory_ids: ['dailies'],
};
/** Has no server that could be asked. */
const unreachableFields = { provider: 'postlab', authorization: { team_id: 'key' } };

const filterFields = {
  name: 'Filter',
  rules: [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['\\.mov$'] }],
};
const filter = async (scene: Scene) => (await make(scene, 'POST', '{team}/filters', filterFields)).id;

// An address of the public network that is never called here, so that no name has to be resolved.
const webhookFields = { active: true, events: ['package.created'], method: 'POST', url: 'https://93.184.216.34/hook' };
const webhook = async (scene: Scene) => (await make(scene, 'POST', '{team}/custom_webhooks', webhookFields)).id;

/** One whose events end at the check for private addresses. */
async function quietWebhook(scene: Scene): Promise<string> {
  const id = await webhook(scene);
  const { db } = scene.world.at.service.services;
  await db.updateTable('custom_webhooks').set({ url: 'http://127.0.0.1:9/' }).where('id', '=', id).execute();
  return id;
}

async function delivery(scene: Scene): Promise<{ custom_webhook_id: string; delivery_id: string }> {
  const { db, now } = scene.world.at.service.services;
  const webhookId = await quietWebhook(scene);
  const { test: _, ...event } = sampleEvent('package.created', now());
  const facts = { id: newId(), webhook_id: webhookId, event_id: event.event_id, event_type: event.event_type, attempt: 1 };
  const outcome = {
    state: 'gave_up',
    status: 500,
    error: '',
    milliseconds: 1,
    event: JSON.stringify(event),
    created_at: now(),
  } as const;
  await db
    .insertInto('webhook_deliveries')
    .values({ ...facts, ...outcome })
    .execute();
  return { custom_webhook_id: webhookId, delivery_id: facts.id };
}

const tag = async (scene: Scene) => (await make(scene, 'POST', '{team}/tags', { name: `Tag ${newId()}` })).id;

const range = (): Ask => ({ body: { expiry_start: '2001-01-01', expiry_end: '2001-01-31' } });
const nothing = (): Ask => ({});

/** Where it matters whose it is that a call is about. */
export const owned: ReadonlySet<string> = new Set([
  ...['updateApiKey', 'setApiKeyState', 'deleteApiKey', 'updateUser', 'changePassword', 'changeEmail', 'updateMember', 'removeMember'],
  ...['getEmail', 'resendEmailChange', 'cancelEmailChange'],
  ...['endSession', 'renamePasskey', 'removePasskey'],
  ...['getTeamspace', 'updateTeamspace', 'deleteTeamspace', 'listTeamspacePackages'],
  ...['addTeamspaceMembers', 'listTeamspaceMembers', 'removeTeamspaceMember'],
]);

/** Calls after which somebody may have lost a role, a token or a key. */
export const takesFromPeople: ReadonlySet<string> = new Set([
  ...['changePassword', 'updateMember', 'removeMember', 'acceptInvitation'],
  ...mfaTakesFromPeople,
]);

export const teamAsks: Asks = {
  ...mfaAsks,
  ...ssoAsks,
  currentUser: nothing,
  createApiKey: () => ({ body: { name: 'K', state: 'active' } }),
  updateApiKey: async (scene) => ({ params: { api_key_id: await apiKey(scene) }, body: { name: 'K', state: 'active' } }),
  setApiKeyState: async (scene) => ({ params: { api_key_id: await apiKey(scene), action: 'inactive' } }),
  deleteApiKey: async (scene) => ({ params: { api_key_id: await apiKey(scene) } }),
  listApiKeys: nothing,
  listSessions: nothing,
  endSession: async (scene) => ({ params: { session_id: await session(scene) } }),
  endOtherSessions: nothing,
  updateUser: (scene) => ({ params: { user_id: whose(scene).userId }, body: { time_zone: 'UTC' } }),
  changePassword: (scene) => ({
    params: { user_id: whose(scene).userId },
    body: { current_password: password, password: 'another password' },
  }),
  changeEmail: (scene) => ({ params: { user_id: whose(scene).userId }, body: { email: `e-${newId()}@example.com`, password } }),
  getEmail: (scene) => ({ params: { user_id: whose(scene).userId } }),
  async resendEmailChange(scene) {
    const { userId } = whose(scene);
    await putEmailChange(scene.world.at, userId);
    return { params: { user_id: userId } };
  },
  cancelEmailChange: (scene) => ({ params: { user_id: whose(scene).userId } }),

  getTeam: nothing,
  updateTeam: () => ({ body: { privacy_url: 'https://example.com/privacy' } }),
  previewMail: () => ({ body: { kind: 'link', language: 'en' } }),
  getUsage: () => ({ query: 'by=member' }),
  getStorageUsage: nothing,
  exportUsage: () => ({ query: 'by=portal' }),
  listAuditLog: nothing,
  exportAuditLogJson: nothing,
  exportAuditLogCsv: nothing,
  verifyAuditLog: nothing,
  listMembers: nothing,
  findMembers: nothing,
  exportMembers: nothing,
  addMember: () => ({ body: { email: `a-${newId()}@example.com`, role: 'guest' } }),
  updateMember: async (scene) => ({ params: { member_id: await member(scene) }, body: { role: 'member' } }),
  removeMember: async (scene) => ({ params: { member_id: await member(scene) } }),
  resendInvitation: async (scene) => ({ params: { member_id: await invitation(scene) } }),
  acceptInvitation: async (scene) => ({ params: { token: await invitationToCaller(scene) }, body: {} }),

  createTeamPackage: () => ({ body: { name: 'P', description: '', recipients: [] } }),
  listTeamPackages: nothing,
  listTeamPackagesLegacy: nothing,
  // There is one to tell of, so that no call waits.
  streamTeamEvents: nothing,
  waitForPackages: async ({ world, team }) => {
    await putPackage(world.at, { team_id: team.id, created_by: null, finalized_at: world.at.service.services.now() });
    return { query: 'after=2020-01-01T00:00:00.000Z' };
  },
  archiveTeamPackages: range,
  unarchiveTeamPackages: range,
  archiveInboxPackages: range,
  unarchiveInboxPackages: range,

  createTag: () => ({ body: { name: `Tag ${newId()}` } }),
  listTags: nothing,
  teamOverview: nothing,
  updateTag: async (scene) => ({ params: { tag_id: await tag(scene) }, body: { name: `Tag ${newId()}` } }),
  getTeamPackage: async ({ world, team }) => ({
    // One that everybody in the Team sees.
    params: { package_id: await putPackage(world.at, { team_id: team.id, created_by: null, through_portal: true }) },
  }),
  holdPackage: async ({ world, team }) => ({
    params: { package_id: await putPackage(world.at, { team_id: team.id, created_by: null, through_portal: true }) },
    body: { reason: 'A dispute' },
  }),
  liftPackageHold: async ({ world, team }) => ({
    params: { package_id: await putPackage(world.at, { team_id: team.id, created_by: null, through_portal: true }) },
  }),
  deleteTag: async (scene) => ({ params: { tag_id: await tag(scene) } }),

  createImage: () => ({ body: { data: onePixel } }),
  createInstantPortal: () => ({ body: {} }),
  requestFiles: async (scene) => ({ params: { portal_id: await portal(scene) }, body: { recipients: [`r-${newId()}@example.com`] } }),
  listFormAnswers: async (scene) => ({ params: { portal_id: (await form(scene)).portal } }),
  exportFormAnswers: async (scene) => ({ params: { portal_id: (await form(scene)).portal } }),
  createPortal: () => ({ body: portalFields() }),
  previewPortalMail: async (scene) => ({ params: { portal_id: await portal(scene) }, body: { kind: 'portal', language: 'en' } }),
  updatePortal: async (scene) => ({ params: { portal_id: await portal(scene) }, body: { name: 'Portal' } }),
  // With an access code, since without one everybody reads its public view.
  getPortal: async (scene) => ({ params: { portal_id: await portal(scene, { has_access_code: true, access_code: 'open sesame' }) } }),
  deletePortal: async (scene) => ({ params: { portal_id: await portal(scene) } }),
  listPortals: nothing,
  listPortalsLegacy: nothing,
  listPortalPackages: async (scene) => ({ params: { portal_id: await portal(scene) } }),
  listPortalPackagesLegacy: async (scene) => ({ params: { portal_id: await portal(scene) } }),

  createForm: async (scene) => ({ params: { portal_id: await portal(scene) }, body: formFields }),
  getForm: async (scene) => ({ params: { portal_id: (await form(scene)).portal } }),
  updateForm: async (scene) => ({ params: { form_id: (await form(scene)).form }, body: formFields }),
  deleteForm: async (scene) => ({ params: { form_id: (await form(scene)).form } }),
  createFormResponse: async (scene) => ({ params: { portal_id: (await form(scene)).portal }, body: { camera: { value: 'A' } } }),
  createFormTemplate: () => ({ body: templateFields }),
  listFormTemplates: nothing,
  getFormTemplate: async (scene) => ({ params: { form_template_id: await template(scene) } }),
  updateFormTemplate: async (scene) => ({ params: { form_template_id: await template(scene) }, body: formFields }),
  deleteFormTemplate: async (scene) => ({ params: { form_template_id: await template(scene) } }),

  createConnection: () => ({ body: connectionFields }),
  listConnections: nothing,
  getConnection: async (scene) => ({ params: { connection_id: await connection(scene) } }),
  updateConnection: async (scene) => ({ params: { connection_id: await connection(scene) }, body: { name: 'Bucket' } }),
  deleteConnection: async (scene) => ({ params: { connection_id: await connection(scene) } }),
  listConnectionFiles: async (scene) => ({ params: { connection_id: await connection(scene, sourceFields) } }),
  // Refused to whoever may ask, since no storage is asked in this test.
  browseStorage: () => ({ body: { provider: 'synology_sg', authorization: {} } }),
  validateConnection: async (scene) => ({ params: { connection_id: await connection(scene, unreachableFields) } }),
  streamConnectionCheck: async (scene) => ({ params: { connection_id: await connection(scene, unreachableFields) } }),

  createStorageGateway: async ({ world, team }) => {
    await world.at.service.services.db.deleteFrom('storage_gateways').where('team_id', '=', team.id).execute();
    return { body: gatewayFields };
  },
  listStorageGateways: nothing,
  deleteStorageGateway: async ({ world, team }) => ({ params: { storage_gateway_id: (await putGateway(world.at, team.id)).id } }),

  listFilters: nothing,
  testFilter: () => ({ body: { rules: filterFields.rules, names: ['a.mov'] } }),
  createFilter: () => ({ body: filterFields }),
  getFilter: async (scene) => ({ params: { filter_id: await filter(scene) } }),
  updateFilter: async (scene) => ({ params: { filter_id: await filter(scene) }, body: filterFields }),
  deleteFilter: async (scene) => ({ params: { filter_id: await filter(scene) } }),

  createWebhook: () => ({ body: webhookFields }),
  updateWebhook: async (scene) => ({ params: { custom_webhook_id: await webhook(scene) }, body: webhookFields }),
  deleteWebhook: async (scene) => ({ params: { custom_webhook_id: await webhook(scene) } }),
  listWebhooks: nothing,
  testWebhook: async (scene) => ({ params: { custom_webhook_id: await quietWebhook(scene) }, body: { event_type: 'package.created' } }),
  replayWebhookDelivery: async (scene) => ({ params: await delivery(scene) }),
  renewWebhookSecret: async (scene) => ({ params: { custom_webhook_id: await webhook(scene) } }),
  listPackageDeliveries: async ({ world, team }) => ({
    params: { package_id: await putPackage(world.at, { team_id: team.id, created_by: null, through_portal: true }) },
  }),
  listWebhookDeliveries: async (scene) => ({ params: { custom_webhook_id: await webhook(scene) } }),

  createTeamspace: () => ({ body: { name: 'Space' } }),
  getTeamspace: async (scene) => ({ params: { space_id: (await teamspace(scene)).id } }),
  listTeamspaces: nothing,
  updateTeamspace: async (scene) => ({ params: { space_id: (await teamspace(scene)).id }, body: { name: 'Space' } }),
  deleteTeamspace: async (scene) => ({ params: { space_id: (await teamspace(scene)).id } }),
  listTeamspacePackages: async (scene) => ({ params: { space_id: (await teamspace(scene)).id } }),
  addTeamspaceMembers: async (scene) => ({
    params: { space_id: (await teamspace(scene)).id },
    body: { member_ids: [scene.team.people.guest.memberId] },
  }),
  listTeamspaceMembers: async (scene) => ({ params: { space_id: (await teamspace(scene)).id } }),
  removeTeamspaceMember: async (scene) => {
    const { id, members } = await teamspace(scene);
    return { params: { space_id: id, teamspace_membership_id: members[0]!.id } };
  },
};
