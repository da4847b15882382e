import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { DayOrDateTime } from './packages.ts';

/** The audit log of a Team: contract/audit-log.md §1, §2. */

export const auditActions = [
  'session.started',
  'session.refused',
  'session.ended',
  'user.password_changed',
  'user.email_change_asked',
  'user.email_change_cancelled',
  'user.email_changed',
  'user.factor_added',
  'user.factor_removed',
  'user.recovery_codes_made',
  'api_key.created',
  'api_key.changed',
  'api_key.deleted',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'team.created',
  'team.changed',
  'team.suspended',
  'team.activated',
  'team.quota_changed',
  'sso.changed',
  'sso.removed',
  'sso.domain_added',
  'sso.domain_verified',
  'sso.domain_lost',
  'sso.domain_removed',
  'teamspace.created',
  'teamspace.changed',
  'teamspace.deleted',
  'teamspace.members_added',
  'teamspace.member_removed',
  'package.sent',
  'package.changed',
  'package.expiry_changed',
  'package.deleted',
  'package.held',
  'package.hold_lifted',
  'package.archived',
  'package.unarchived',
  'link.created',
  'link.mailed',
  'link.ended',
  'tag.created',
  'tag.changed',
  'tag.deleted',
  'portal.created',
  'portal.changed',
  'portal.deleted',
  'portal.files_requested',
  'image.uploaded',
  'form.created',
  'form.changed',
  'form.deleted',
  'form_template.created',
  'form_template.changed',
  'form_template.deleted',
  'connection.created',
  'connection.changed',
  'connection.deleted',
  'gateway.created',
  'gateway.deleted',
  'filter.created',
  'filter.changed',
  'filter.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'transfer.created',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** `visitor`: somebody without an account. `operator`: by a command on the service's machine, or by name. `service`: by itself. */
export const auditActorKinds = ['user', 'api_key', 'visitor', 'operator', 'service'] as const;

const Hash = Type.String({
  description: 'SHA-256 in hexadecimal.',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
});

export const AuditEntry = Type.Object(
  {
    id: Id,
    at: DateTime,
    action: { ...Literals(auditActions), examples: ['member.role_changed'] },
    actor: Type.Object({
      kind: Literals(auditActorKinds),
      id: Type.Optional({ ...Id, description: 'Of the user; of an API key that of the user it acts for.' }),
      api_key_id: Type.Optional(Id),
      name: Type.String({ description: "As it was then: a user's e-mail address, a key's name.", examples: ['mia@example.com'] }),
    }),
    address: Type.String({ description: 'Empty for none.', examples: ['203.0.113.7'] }),
    user_agent: Type.String({ examples: ['Mozilla/5.0 (X11; Linux x86_64) Chrome/140'] }),
    target: Type.Optional(
      Type.Object({
        kind: Type.String({ examples: ['member'] }),
        id: Type.String(),
        name: Type.String({ examples: ['jonas@example.com'] }),
      }),
    ),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What else there is to tell, by action.',
      examples: [{ role: 'admin' }],
    }),
    position: Type.Optional(Type.Integer({ minimum: 1, description: 'In the chain. Absent for up to a minute.', examples: [1] })),
    hash: Type.Optional({ ...Hash, description: 'SHA-256 of the hash before and this entry.' }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

const filters = {
  actor_id: Type.Optional({ ...Id, description: 'Of a user, also by their API keys.' }),
  action: Type.Optional(Type.String({ maxLength: 64, description: 'An action, or all of a kind: `member`.', examples: ['member'] })),
  target_id: Type.Optional(Id),
  from: Type.Optional(DayOrDateTime),
  to: Type.Optional({ ...DayOrDateTime, description: 'A day is included.' }),
};

const AuditQuery = Type.Object({
  ...filters,
  cursor: Type.Optional(Type.String({ maxLength: 128, description: '`next` of the answer before.' })),
  limit: Type.Integer({ minimum: 1, maximum: limits.auditPageSize, default: limits.pageSize }),
});

const ChainHead = Type.Object({ position: Type.Integer({ minimum: 0 }), hash: Hash }, { title: 'ChainHead' });

export const AuditVerification = Type.Object(
  {
    intact: Type.Boolean({ examples: [true] }),
    entries: Type.Integer({ minimum: 0, description: 'How many were checked.' }),
    first_position: Type.Integer({ minimum: 0, description: 'Of the first entry that is kept.' }),
    head: { ...ChainHead, description: 'The newest link of the chain. Whoever keeps it elsewhere can ask for it later.' },
    fault: Type.Optional(Type.String({ description: 'What is wrong at which position.' })),
  },
  { title: 'AuditVerification' },
);
export type AuditVerification = Static<typeof AuditVerification>;

const common = { tag: 'Audit log', credentials: teamCredentials, params: TeamParams, method: 'GET' } as const;

export const auditRoutes = defineRoutes({
  listAuditLog: {
    ...common,
    path: '/v1/teams/{team_id}/audit_log',
    summary: 'Lists who did what in a Team, the newest first. Owners and admins only.',
    query: AuditQuery,
    reply: {
      status: 200,
      body: Type.Object({ records: Type.Array(AuditEntry), next: Type.Optional(Type.String({ description: 'Asks for what is older.' })) }),
    },
    errors: teamErrors,
  },
  exportAuditLogJson: {
    ...common,
    path: '/v1/teams/{team_id}/audit_log/export.jsonl',
    summary: 'The audit log as JSON lines, the oldest first: each line an entry with its place in the chain.',
    query: Type.Object(filters),
    reply: { status: 200, stream: 'application/x-ndjson' },
    errors: teamErrors,
  },
  exportAuditLogCsv: {
    ...common,
    path: '/v1/teams/{team_id}/audit_log/export.csv',
    summary: 'The audit log as CSV, the oldest first. What a spreadsheet would run as a formula begins with an apostrophe.',
    query: Type.Object(filters),
    reply: { status: 200, stream: 'text/csv' },
    errors: teamErrors,
  },
  verifyAuditLog: {
    ...common,
    path: '/v1/teams/{team_id}/audit_log/verification',
    summary: 'Checks every link of the chain, and that a head that was noted before is still part of it.',
    query: Type.Object({
      position: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Of a head that was noted before.' }),
      ),
      hash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of that head.' })),
    }),
    reply: { status: 200, body: AuditVerification },
    errors: teamErrors,
  },
});
