import type { Kysely } from 'kysely';
import type { AuditAction } from '#protocol/hosted/audit.ts';
import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { Database } from '../database/schema/database.ts';
import type { AuditEvent } from './record.ts';
import { type FoundTarget, findTarget, type TargetKind } from './targets.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A call as its entry sees it. */
export interface AuditedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Fields;
}

/** How the entry of a call comes about. */
export interface CallAudit {
  /** What the call is about, read before it; null if the Team is the one in the path. */
  readonly find: ((db: Kysely<Database>, call: AuditedCall) => Promise<FoundTarget | null>) | null;
  event(call: AuditedCall, result: Fields, found: FoundTarget | null): AuditEvent;
}

type Details = (call: AuditedCall, result: Fields, found: FoundTarget | null) => Fields;

const none: Details = () => ({});
/** Names only: the values may be secrets. */
const fieldsSent: Details = ({ body: { expected_updated_at: _, ...fields } }) => ({ fields: Object.keys(fields).toSorted() });

/** A call that makes a thing of the Team in its path. */
const makes = (kind: TargetKind, action: AuditAction, details = none, name = 'name'): CallAudit => ({
  find: null,
  event: (call, result) => ({
    action,
    target: { kind, id: String(result['id']), name: String(result[name] ?? '') },
    details: details(call, result, null),
  }),
});

/** A call that makes a thing in another one, which its path names. */
const makesIn = (
  parent: { readonly kind: TargetKind; readonly param: string },
  kind: TargetKind,
  action: AuditAction,
  details = none,
  name = 'name',
): CallAudit => ({
  find: (db, { params }) => findTarget(db, parent.kind, params[parent.param]!),
  event: (call, result, found) => ({
    action,
    target: { kind, id: String(result['id']), name: String(result[name] ?? '') },
    details: { [`${parent.kind}_id`]: found!.target.id, [parent.kind]: found!.target.name, ...details(call, result, found) },
  }),
});

/** A call on a thing that its path names. */
const changes = (kind: TargetKind, param: string, action: AuditAction, details = none): CallAudit => ({
  find: (db, { params }) => findTarget(db, kind, params[param]!),
  event: (call, result, found) => ({ action, target: found!.target, details: details(call, result, found) }),
});

const inPackage = { kind: 'package', param: 'package_id' } as const;
const ofLink: Details = (_, { password, access_limit, expiry, verify_recipient }) => ({
  password: password !== '',
  access_limit,
  expiry,
  verify_recipient,
});
const roleChange: Details = ({ body }, _, found) => ({ before: found!.was['role'], role: body['role'] });

type ChangingRoute = {
  readonly [Name in HostedRouteName]: HostedRoutes[Name]['method'] extends 'GET' ? never : Name;
}[HostedRouteName];

/**
 * What the audit log tells of each call that changes something; a new one has to be decided here. An object: the entry
 * is written around the call, in one transaction with it (audit/audited.ts). `handler`: the handler writes it, because
 * the call is several transactions, belongs to several Teams, or waits for others. `none`: nothing that belongs into
 * the log, or the log of a package has it.
 */
export const audits: { readonly [Name in ChangingRoute]: CallAudit | 'handler' | 'none' } = {
  auth: 'handler',
  createSession: 'handler',
  createPasskeySession: 'handler',
  endSession: 'handler',
  endOtherSessions: 'handler',
  requestPasswordReset: 'none',
  stopNotices: 'none',
  resumeNotices: 'none',
  resetPassword: 'handler',
  changePassword: 'handler',
  changeEmail: 'handler',
  resendEmailChange: 'none',
  cancelEmailChange: 'handler',
  confirmEmailChange: 'handler',
  updateUser: 'none',
  startTotp: 'none',
  confirmTotp: 'handler',
  removeTotp: 'handler',
  createRecoveryCodes: 'handler',
  startPasskey: 'none',
  addPasskey: 'handler',
  renamePasskey: 'none',
  removePasskey: 'handler',
  createPasskeyChallenge: 'none',

  setSso: 'handler',
  deleteSso: 'handler',
  testSso: 'none',
  startSsoTrial: 'none',
  addSsoDomain: makes('sso_domain', 'sso.domain_added', none, 'domain'),
  checkSsoDomain: 'handler',
  removeSsoDomain: changes('sso_domain', 'domain_id', 'sso.domain_removed'),
  startSso: 'none',
  finishSso: 'handler',
  exchangeSsoCode: 'handler',

  createApiKey: makes('api_key', 'api_key.created', (_, { state, expiry }) => ({ state, expiry })),
  updateApiKey: changes('api_key', 'api_key_id', 'api_key.changed', (_, { name, state, expiry }) => ({ name, state, expiry })),
  setApiKeyState: changes('api_key', 'api_key_id', 'api_key.changed', ({ params }) => ({ state: params['action'] })),
  deleteApiKey: changes('api_key', 'api_key_id', 'api_key.deleted'),

  updateTeam: 'handler',
  previewMail: 'none',
  previewPortalMail: 'none',
  createImage: makes('image', 'image.uploaded', (_, { type, size }) => ({ type, size })),
  addMember: makes('member', 'member.invited', ({ body }) => ({ role: body['role'] }), 'email'),
  resendInvitation: changes('member', 'member_id', 'member.invited', () => ({ again: true })),
  updateMember: changes('member', 'member_id', 'member.role_changed', roleChange),
  removeMember: changes('member', 'member_id', 'member.removed', (_, __, found) => found!.was),
  acceptInvitation: 'handler',

  createTeamspace: makes('teamspace', 'teamspace.created'),
  updateTeamspace: changes('teamspace', 'space_id', 'teamspace.changed', ({ body }) => ({ name: body['name'] })),
  deleteTeamspace: 'handler',
  addTeamspaceMembers: changes('teamspace', 'space_id', 'teamspace.members_added', ({ body }) => ({ member_ids: body['member_ids'] })),
  removeTeamspaceMember: {
    find: (db, { params }) => findTarget(db, 'teamspace_member', params['teamspace_membership_id']!),
    event: ({ params }, _, found) => ({
      action: 'teamspace.member_removed',
      target: { kind: 'teamspace', id: params['space_id']!, name: found!.target.name },
      details: found!.was,
    }),
  },

  createTeamPackage: 'none',
  createPortalPackage: 'none',
  finalizePackage: 'handler',
  updatePackage: changes('package', 'package_id', 'package.changed', (_, { name, tag }) => ({ name, ...(tag !== undefined && { tag }) })),
  setPackageExpiry: changes('package', 'package_id', 'package.expiry_changed', (_, { expiry, unlimited_storage }) => ({
    expiry,
    unlimited_storage,
  })),
  deletePackage: changes('package', 'package_id', 'package.deleted'),
  holdPackage: changes('package', 'package_id', 'package.held', ({ body }) => ({ reason: body['reason'] })),
  liftPackageHold: changes('package', 'package_id', 'package.hold_lifted'),
  archivePackage: changes('package', 'package_id', 'package.archived'),
  unarchivePackage: changes('package', 'package_id', 'package.unarchived'),
  archiveTeamPackages: 'handler',
  unarchiveTeamPackages: 'handler',
  archiveInboxPackages: 'handler',
  unarchiveInboxPackages: 'handler',

  createFile: 'none',
  createFiles: 'none',
  createBatchBlueprints: 'none',
  recordFiles: 'none',
  createChunkBlueprints: 'none',
  finalizeFile: 'none',
  finalizeFiles: 'none',
  deleteFile: 'none',
  downloadFiles: 'none',
  createZip: 'none',

  createHandover: 'none',
  putHandoverPart: 'none',
  cancelHandover: 'none',
  openHandover: 'none',
  takeHandover: 'none',

  createLink: makesIn(inPackage, 'link', 'link.created', ofLink, 'email'),
  createLinkCode: 'none',
  mailLink: changes('link', 'link_id', 'link.mailed', (_, __, found) => found!.was),
  deleteLink: changes('link', 'link_id', 'link.ended', (_, __, found) => found!.was),

  createTag: makes('tag', 'tag.created'),
  updateTag: changes('tag', 'tag_id', 'tag.changed', ({ body }) => ({ name: body['name'] })),
  deleteTag: 'handler',

  createPortal: makes('portal', 'portal.created', fieldsSent),
  createInstantPortal: makes('portal', 'portal.created', () => ({ instant: true })),
  requestFiles: changes('portal', 'portal_id', 'portal.files_requested', (_, { recipients }) => ({ recipients })),
  updatePortal: changes('portal', 'portal_id', 'portal.changed', fieldsSent),
  deletePortal: changes('portal', 'portal_id', 'portal.deleted'),
  createForm: makesIn({ kind: 'portal', param: 'portal_id' }, 'form', 'form.created'),
  updateForm: changes('form', 'form_id', 'form.changed', fieldsSent),
  deleteForm: changes('form', 'form_id', 'form.deleted', (_, __, found) => found!.was),
  createFormResponse: 'none',
  createFormTemplate: makes('form_template', 'form_template.created'),
  updateFormTemplate: changes('form_template', 'form_template_id', 'form_template.changed', fieldsSent),
  deleteFormTemplate: changes('form_template', 'form_template_id', 'form_template.deleted'),

  createConnection: makes('connection', 'connection.created', (_, { provider, direction }) => ({ provider, direction })),
  updateConnection: changes('connection', 'connection_id', 'connection.changed', fieldsSent),
  deleteConnection: changes('connection', 'connection_id', 'connection.deleted'),
  browseStorage: 'none',
  validateConnection: 'none',
  streamConnectionCheck: 'none',
  createTransfer: makesIn(inPackage, 'package', 'transfer.created', (_, { provider, direction }) => ({ provider, direction })),
  retryTransfer: 'none',
  cancelTransfer: 'none',
  reportTransfer: 'none',
  createStorageGateway: makes('gateway', 'gateway.created', (_, { platform }) => ({ platform })),
  deleteStorageGateway: 'handler',
  pollStorageGateway: 'none',
  answerGatewayTask: 'none',

  createFilter: makes('filter', 'filter.created'),
  updateFilter: changes('filter', 'filter_id', 'filter.changed', fieldsSent),
  deleteFilter: 'handler',
  testFilter: 'none',

  suspendTeam: 'handler',
  setTeamQuotas: 'handler',
  reactivateTeam: 'handler',
  // In the operators' own log: they belong to no Team.
  retryFailedJobs: 'none',
  retryFailedMails: 'none',

  createWebhook: 'handler',
  updateWebhook: 'handler',
  renewWebhookSecret: changes('webhook', 'custom_webhook_id', 'webhook.changed', () => ({ secret: 'renewed' })),
  testWebhook: 'none',
  replayWebhookDelivery: 'none',
  deleteWebhook: changes('webhook', 'custom_webhook_id', 'webhook.deleted'),
};
