import { describe, expect, it } from 'vitest';
import { AgentError, ApiError, type ErrorName, errorCatalogue, errorMessage } from '#protocol/errors.ts';

/**
 * Name, code and status of every error, pinned: programs decide by them, so none may ever change its numbers. A new
 * one is added here too.
 */
const pinned = `
invalid_request 65537 400
malformed_json 65538 400
unsupported_media_type 65539 415
body_too_large 65540 413
no_such_endpoint 65541 404
foreign_origin 65542 403
unknown_host 65543 403
idempotency_mismatch 65544 409
request_stalled 65545 408
foreign_user 65546 403
credential_missing 131073 401
credential_invalid 131074 401
wrong_password 131075 401
key_suspended 131076 402
team_inactive 131077 402
not_allowed 131078 403
link_password_wrong 131079 401
access_code_wrong 131080 401
mfa_required 131081 401
mfa_wrong 131082 401
mfa_enrolment_required 131083 403
sso_required 131084 403
sso_refused 131085 403
sso_provider_failed 131086 502
link_code_required 131087 401
link_code_wrong 131088 401
link_code_over 131089 401
not_found 196609 404
link_expired 196610 410
package_expired 196611 410
package_quarantined 196627 403
state_conflict 196612 409
already_exists 196613 409
chunk_wrong 196614 409
key_not_changeable 196615 409
link_inactive 196616 410
link_used_up 196617 410
portal_closed 196618 403
form_response_incomplete 196619 400
digest_wrong 196620 409
package_differs 196621 409
precondition_failed 196622 412
token_expired 196623 410
token_used 196624 410
package_deleted 196625 410
session_is_nil 262146 401
session_expired 262147 401
service_unreachable 262148 502
service_refused 262149 502
agent_token_required 262150 401
storage_full 327681 507
storage_read_only 327682 500
storage_unavailable 327683 503
signature_invalid 327684 403
blueprint_expired 327685 403
no_such_upload 327686 404
range_not_satisfiable 327687 416
service_storage_full 327688 507
storage_refused 327689 503
scanner_unavailable 327694 503
service_database_full 327690 503
certificate_unusable 327691 503
certificate_ends 327695 503
file_damaged 327692 410
zip_damaged 327696 410
storage_damaged 327693 503
rate_limited 393217 429
over_limit 393218 400
team_storage_full 393219 507
portal_storage_full 393220 507
team_traffic_used 393221 507
internal 458753 500
unavailable 458755 503
path_not_found 524289 400
path_not_absolute 524290 400
path_unreadable 524291 400
transfer_conflict 524292 409
link_malformed 524293 400
name_refused 524294 400
name_unsafe 524295 409
drop_no_room 524310 507
file_infected 196626 403
files_failed 524296 409
move_failed 524297 502
agent_disk_full 524298 507
agent_fault 524299 500
nothing_to_send 524300 400
package_unusable 524301 502
receipt_invalid 524302 502
receipt_differs 524303 409
left_out 524304 409
path_outside 524305 403
agent_state_unwritable 524306 503
hidden_names 524307 409
folders_overlap 524308 409
mount_unusable 524309 409
`;

const entries = Object.entries(errorCatalogue);

describe('the error catalogue', () => {
  it('is what programs rely on', () => {
    const lines = entries.map(([name, { code, status }]) => `${name} ${code} ${status}`);
    expect(lines.sort()).toEqual(pinned.trim().split('\n').sort());
  });

  it('has each code once', () => {
    const codes = entries.map(([, { code }]) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("keeps the agent's documented code and sentence for no session", () => {
    expect(new AgentError('session_is_nil').body).toEqual({ code: 262146, message: 'session is nil' });
    expect(errorCatalogue.session_is_nil.status).toBe(401);
  });

  it.each(entries)('says of %s something a person can read', (_name, { message }) => {
    expect(message).toMatch(/^[A-Z{]|^session is nil$/);
    expect(message).not.toMatch(/undefined|null|\[object/);
    // Each place is named once opened, and closed.
    expect(message.replace(/\{\w+\}/g, '')).not.toMatch(/[{}]/);
  });

  it('fills the places of a message, and leaves none standing', () => {
    expect(errorMessage('rate_limited', { seconds: 12 })).toBe('Too many requests. Try again in 12 s.');
    for (const [name] of entries) expect(errorMessage(name as ErrorName)).not.toMatch(/\{\w+\}/);
  });

  it('does not read places out of the details themselves', () => {
    expect(errorMessage('invalid_request', { detail: '{secret}', secret: 'x' })).toBe('{secret}');
  });
});

describe('ApiError', () => {
  it('carries name, code, status, details and cause', () => {
    const cause = new Error('EPIPE');
    const error = new ApiError('not_found', { resource: 'package' }, { cause });
    expect(error).toMatchObject({ error: 'not_found', code: 196609, status: 404, details: { resource: 'package' }, cause });
    expect(error.message).toBe('There is no package with this id, or this credential cannot see it.');
  });
});
