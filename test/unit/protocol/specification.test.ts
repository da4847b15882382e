import { expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import type { CredentialKind, RouteTable } from '#protocol/route.ts';

/**
 * The endpoints as the contract lists them (docs/contract), with the credentials of its header
 * column: whoever changes a table has to change this too. `key`: X-API-KEY, or a user token, which is as good.
 */
const kinds: Readonly<Record<string, readonly CredentialKind[] | undefined>> = {
  user: ['user'],
  key: ['api_key', 'user'],
  write: ['package:manage', 'package:write'],
  read: ['package:read'],
  manage: ['package:manage'],
  package: ['package:manage', 'package:read', 'package:write'],
  transfer: ['transfer'],
  report: ['transfer:report'],
  gateway: ['gateway'],
  link: ['link'],
  none: ['none'],
};

const hosted = `
4.1
POST /v1/auth none 200
POST /v1/teams/{}/api_keys user 201
PUT /v1/api_keys/{} user 200
PUT /v1/api_keys/{}/{} user 204
DELETE /v1/api_keys/{} user 204
GET /v1/teams/{}/api_keys user 200
POST /v1/sessions none 200
GET /v1/sessions user 200
DELETE /v1/sessions user 200
DELETE /v1/sessions/{} user 204
POST /v1/sessions/passkey none 200
POST /v1/sessions/passkey/challenge none 200
GET /v1/teams/{}/sso user 200
PUT /v1/teams/{}/sso user 200
DELETE /v1/teams/{}/sso user 204
POST /v1/teams/{}/sso/discovery user 200
POST /v1/teams/{}/sso/trial user 200
POST /v1/teams/{}/sso/domains user 201
POST /v1/teams/{}/sso/domains/{}/check user 200
DELETE /v1/teams/{}/sso/domains/{} user 204
POST /v1/sso/start none 200
POST /v1/sso/finish none 200
POST /v1/sso/token none 200
GET /v1/mfa user 200
POST /v1/mfa/totp user 200
POST /v1/mfa/totp/confirm user 200
POST /v1/mfa/totp/remove user 204
POST /v1/mfa/recovery_codes user 200
POST /v1/mfa/passkeys user 200
POST /v1/mfa/passkeys/challenge user 200
PUT /v1/mfa/passkeys/{} user 200
POST /v1/mfa/passkeys/{}/remove user 204
PUT /v1/users/{} user 200
POST /v1/users/{}/password user 204
PUT /v1/users/{}/email user 200
GET /v1/users/{}/email user 200
POST /v1/users/{}/email/resend user 202
DELETE /v1/users/{}/email/pending user 204
4.2
POST /v1/teams/{}/packages key 201
POST /v1/portals/{}/packages access_code+none 201
POST /v1/packages/{}/files write 201
POST /v1/packages/{}/files/{} write 200
POST /v1/packages/{}/files/{}/finalize write 204
POST /v1/packages/{}/finalize write 204
GET /v1/system/packages/spec none 200
4.3
GET /v1/links/{} link 200
POST /v1/links/{}/codes link 202
GET /v1/packages/{}/files package 200
GET /v1/packages/{}/files/{}/download read 200
4.4
GET /v1.1/teams/{}/packages key 200
GET /v1.1/portals/{}/packages key 200
GET /v1/teams/{}/packages/wait key 200
GET /v1/teams/{}/packages key 200
GET /v1/portals/{}/packages key 200
PUT /v1/packages/{} manage 200
PUT /v1/packages/{}/expiry manage 200
DELETE /v1/packages/{} manage 204
PUT /v1/packages/{}/archive manage 204
PUT /v1/packages/{}/unarchive manage 204
PUT /v1/teams/{}/packages/{}/hold key 204
DELETE /v1/teams/{}/packages/{}/hold key 204
PUT /v1/teams/{}/archive key 200
PUT /v1/teams/{}/unarchive key 200
PUT /v1/teams/{}/inbox/archive key 200
PUT /v1/teams/{}/inbox/unarchive key 200
GET /v1/packages/{}/metadata manage 200
4.5
POST /v1/teams/{}/cloud_connections key 201
GET /v1/teams/{}/cloud_connections key 200
PUT /v1/cloud_connections/{} key 200
DELETE /v1/cloud_connections/{} key 204
POST /v1/packages/{}/transfer manage+read 201
4.6
POST /v1/teams/{}/portals key 201
PUT /v1/portals/{} key 200
GET /v1/portals/{} key+access_code+none 200
GET /v1.1/teams/{}/portals key 200
GET /v1/teams/{}/portals key 200
4.7
POST /v1/portals/{}/form key 201
PUT /v1/metadata/forms/{} key 200
DELETE /v1/metadata/forms/{} key 204
POST /v1/portals/{}/form/responses key+access_code 201
POST /v1/teams/{}/forms/templates key 201
PUT /v1/metadata/forms/templates/{} key 200
DELETE /v1/metadata/forms/templates/{} key 204
4.8
POST /v1/teams/{}/spaces key 201
GET /v1/spaces/{} key 200
GET /v1.1/teams/{}/spaces key 200
PUT /v1/spaces/{} key 200
DELETE /v1/spaces/{} key 204
GET /v1.1/spaces/{}/packages key 200
POST /v1/spaces/{}/members key 201
GET /v1/spaces/{}/members key 200
DELETE /v1/spaces/{}/members/{} key 204
4.9
POST /v1/teams/{}/filters key 201
GET /v1/filters/{} key 200
PUT /v1/filters/{} key 200
DELETE /v1/filters/{} key 204
4.10
POST /v1/teams/{}/custom_webhooks key 201
PUT /v1/custom_webhooks/{} key 200
DELETE /v1/custom_webhooks/{} key 204
GET /v1/teams/{}/custom_webhooks key 200
decisions
GET /v1/users/me key 200
POST /v1/auth/password_reset none 202
POST /v1/auth/password_reset/{} none 204
GET /v1/email_changes/{} none 200
POST /v1/email_changes/{}/confirm none 204
POST /v1/notices/{}/stop none 204
POST /v1/notices/{}/resume none 204
GET /v1/notices/{} none 200
GET /v1/teams/{} key 200
PUT /v1/teams/{} key 200
POST /v1/teams/{}/mail_preview key 200
GET /v1/teams/{}/usage key 200
GET /v1/teams/{}/usage/export.csv key 200
GET /v1/teams/{}/usage/storage key 200
GET /v1/teams/{}/events key 200
GET /v1/teams/{}/audit_log key 200
GET /v1/teams/{}/audit_log/export.jsonl key 200
GET /v1/teams/{}/audit_log/export.csv key 200
GET /v1/teams/{}/audit_log/verification key 200
GET /v1/operator/overview user 200
GET /v1/operator/log user 200
GET /v1/operator/teams user 200
POST /v1/operator/teams/{}/suspend user 200
PUT /v1/operator/teams/{}/quotas user 200
POST /v1/operator/teams/{}/reactivate user 200
GET /v1/operator/failed_jobs user 200
POST /v1/operator/failed_jobs/retry user 200
GET /v1/operator/integrity_findings user 200
GET /v1/operator/failed_mails user 200
POST /v1/operator/failed_mails/retry user 200
GET /v1/teams/{}/members key 200
POST /v1/teams/{}/members key 201
GET /v1.1/teams/{}/members key 200
GET /v1/teams/{}/members/csv key 200
POST /v1/members/{}/resend key 204
GET /v1/invitations/{} none 200
POST /v1/invitations/{}/accept user+none 200
PUT /v1/members/{} key 200
DELETE /v1/members/{} key 204
DELETE /v1/packages/{}/files/{} write 204
GET /v1/packages/{}/files/{}/chunks write 200
POST /v1/packages/{}/files/batch write 200
POST /v1/packages/{}/files/batch/finalize write 200
POST /v1/packages/{}/files/batch/blueprints write 200
POST /v1/packages/{}/files/batch/record write 200
POST /v1/packages/{}/files/batch/download read 200
POST /v1/packages/{}/links manage 201
GET /v1/packages/{}/links manage 200
DELETE /v1/packages/{}/links/{} manage 204
POST /v1/teams/{}/tags key 201
GET /v1/teams/{}/tags key 200
PUT /v1/tags/{} key 200
DELETE /v1/tags/{} key 204
GET /v1/packages/{} package 200
GET /v1/packages/{}/events package 200
GET /v1/packages/{}/receipt package 200
GET /.well-known/jwks.json none 200
GET /v1/subdomains/portals/{} none 200
DELETE /v1/portals/{} key 204
GET /v1/portals/{}/form key 200
GET /v1/teams/{}/forms/templates key 200
GET /v1/metadata/forms/templates/{} key 200
GET /v1/cloud_connections/{} key 200
GET /v1/cloud_connections/{}/files key 200
POST /v1/teams/{}/cloud_connections/browse key 200
POST /v1/cloud_connections/{}/validate key 200
POST /v1/cloud_connections/{}/validate/events key 200
GET /v1/packages/{}/transfer manage 200
GET /v1/transfers/{} transfer 200
PUT /v1/transfers/{}/retry transfer 204
PUT /v1/transfers/{}/cancel transfer 204
POST /v1/teams/{}/storage_gateways key 201
GET /v1/teams/{}/storage_gateways key 200
DELETE /v1/storage_gateways/{} key 204
POST /v1/storage_gateways/{}/poll gateway 200
PUT /v1/storage_gateways/{}/tasks/{} gateway 204
PUT /v1/transfers/{}/report report 200
GET /v1/custom_webhooks/{}/deliveries key 200
POST /v1/teams/{}/images key 201
POST /v1/teams/{}/portals/instant key 201
POST /v1/portals/{}/requests key 201
POST /v1/portals/{}/mail_preview key 200
GET /v1/portals/{}/form/responses key 200
GET /v1/portals/{}/form/responses/csv key 200
GET /v1/teams/{}/overview key 200
GET /v1/teams/{}/packages/{} key 200
GET /v1/packages/{}/downloads manage 200
GET /v1/packages/{}/files/{}/preview manage 200
POST /v1/packages/{}/zips read 200
POST /v1/packages/{}/handovers package 201
PUT /v1/packages/{}/handovers/{}/parts/{} package 204
GET /v1/packages/{}/handovers/{} package 200
DELETE /v1/packages/{}/handovers/{} package 204
POST /v1/handovers/open none 200
POST /v1/handovers/take none 200
GET /v1/teams/{}/packages/{}/webhook_deliveries key 200
POST /v1/packages/{}/links/{}/mail manage 202
POST /v1/custom_webhooks/{}/deliveries/{}/replay key 202
POST /v1/custom_webhooks/{}/test key 202
POST /v1/custom_webhooks/{}/secret key 200
GET /v1/teams/{}/filters key 200
POST /v1/teams/{}/filters/test key 200
`;

const items = (collection: string): string => `
GET /api/v1/${collection} none 200
GET /api/v1/${collection}/{} none 200
DELETE /api/v1/${collection}/{} none 204
PATCH /api/v1/${collection}/{} none 200
GET /api/v1/${collection}/{}/files none 200
PUT /api/v1/${collection}/{}/pause none 204
PUT /api/v1/${collection}/{}/resume none 204
PUT /api/v1/${collection}/{}/retry none 204
PUT /api/v1/${collection}/{}/finalize none 204
`;

const agent = `
4.11
POST /api/v1/login none 200
GET /api/v1/login none 200
GET /api/v1/teams none 200
POST /api/v1/api_keys none 201
GET /api/v1/sessions none 200
POST /api/v1/sessions none 201
DELETE /api/v1/sessions/{} none 204
POST /api/v1/sso_sign_ins none 201
GET /api/v1/sso_sign_ins/{} none 200
DELETE /api/v1/sso_sign_ins/{} none 204
POST /api/v1/links/preview none 200
POST /api/v1/handovers/preview none 200
POST /api/v1/handovers/match none 200
POST /api/v1/handovers none 201
POST /api/v1/links/code none 200
POST /api/v1/transfers/{}/code none 200
POST /api/v1/drops none 201
DELETE /api/v1/drops/{} none 204
GET /api/v1/drops/{}/files none 200
PUT /api/v1/drops/{}/files none 200
POST /api/v1/portals/preview none 200
decisions
DELETE /api/v1/login none 204
POST /api/v1/uploads none 201
POST /api/v1/uploads/portal none 201
POST /api/v1/downloads none 201
POST /api/v1/uploads/{}/files none 200
GET /api/v1/transfers/{}/receipt none 200
PUT /api/v1/transfers/pause none 204
PUT /api/v1/transfers/resume none 204
PUT /api/v1/transfers/try_now none 204
GET /api/v1/transfers/summary none 200
POST /api/v1/transfers/batch none 200
GET /api/v1/transfers/{}/log none 200
${items('uploads')}${items('downloads')}${items('transfers')}
GET /api/v1/automations none 200
POST /api/v1/automations/portal_upload none 201
POST /api/v1/automations/team_upload none 201
POST /api/v1/automations/portal_download none 201
POST /api/v1/automations/all_portals_download none 201
GET /api/v1/automations/{} none 200
PUT /api/v1/automations/{} none 200
DELETE /api/v1/automations/{} none 204
POST /api/v1/automations/{}/dry_run none 200
GET /api/v1/teams/{}/portals none 200
GET /api/v1/teams/{}/gateway_connections none 200
POST /api/v1/automations/dry_run none 200
POST /api/v1/automations/test_patterns none 200
GET /api/v1/automations/export none 200
POST /api/v1/automations/import none 200
PUT /api/v1/automations/{}/pause none 204
PUT /api/v1/automations/{}/resume none 204
POST /api/v1/automations/{}/run none 204
POST /api/v1/automations/{}/duplicate none 201
GET /api/v1/automations/{}/results none 200
GET /api/v1/automations/{}/ledger none 200
POST /api/v1/automations/{}/forget none 200
GET /api/v1/automations/{}/questions none 200
POST /api/v1/automations/{}/questions/{}/answer none 204
GET /api/v1/gateway/mounts none 200
POST /api/v1/gateway/mounts none 201
GET /api/v1/gateway/mounts/{} none 200
PUT /api/v1/gateway/mounts/{} none 200
POST /api/v1/gateway/mounts/{}/check none 200
DELETE /api/v1/gateway/mounts/{} none 204
GET /api/v1/folders none 200
GET /api/v1/folders/places none 200
GET /api/v1/transfers/{}/package none 200
PUT /api/v1/transfers/{}/package/expiry none 200
DELETE /api/v1/transfers/{}/package none 204
POST /api/v1/transfers/{}/package/links none 201
DELETE /api/v1/transfers/{}/package/links/{} none 204
POST /api/v1/transfers/{}/package/links/{}/mail none 204
POST /api/v1/folders/measure none 200
POST /api/v1/folders/find none 200
POST /api/v1/tokens none 201
GET /api/v1/tokens none 200
DELETE /api/v1/tokens/{} none 204
GET /api/v1/tokens/{}/calls none 200
POST /api/v1/page/address none 201
POST /api/v1/page/enter none 200
GET /api/v1/settings none 200
PUT /api/v1/settings none 200
GET /api/v1/settings/upload_rate_limit none 200
PUT /api/v1/settings/upload_rate_limit none 200
GET /api/v1/settings/download_rate_limit none 200
PUT /api/v1/settings/download_rate_limit none 200
GET /api/v1/events none 200
GET /api/v1/status none 200
POST /api/v1/support_bundle none 200
GET /healthz none 200
GET /metrics none 200
`;

/** Sorted lines `METHOD path credentials status`, credentials as the route table names them. */
function specified(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.includes('/'))
    .map((line) => {
      const [method, path, credentials = '', status] = line.split(' ');
      const named = credentials.split('+').flatMap((name): readonly string[] => kinds[name] ?? [name]);
      return `${method} ${path} ${named.sort().join('+')} ${status}`;
    })
    .sort();
}

function declared(routes: RouteTable): string[] {
  return Object.values(routes)
    .map((route) => {
      const path = route.path.replace(/\{\w+\}/g, '{}');
      return `${route.method} ${path} ${[...route.credentials].sort().join('+')} ${route.reply.status}`;
    })
    .sort();
}

it.each([
  ['hosted', hosted, hostedRoutes],
  ['agent', agent, agentRoutes],
] as const)('declares every endpoint of the %s API as specified, and no other', (_name, text, routes) => {
  expect(declared(routes)).toEqual(specified(text));
});
