import { at, type ErrorSpec } from './code.ts';

/**
 * The errors that a caller of the hosted API can get, with stable names. The last of `session` and `transfer` are the
 * client's own: no answer, an answer that is not in the catalogue, a link that cannot be read.
 */
export const hostedErrors = {
  invalid_request: { code: at('request', 1), status: 400, message: '{detail}' },
  malformed_json: { code: at('request', 2), status: 400, message: 'The body is not valid JSON: {detail}' },
  unsupported_media_type: { code: at('request', 3), status: 415, message: 'Send the body as application/json.' },
  body_too_large: { code: at('request', 4), status: 413, message: 'The body is larger than {limit} bytes.' },
  no_such_endpoint: {
    code: at('request', 5),
    status: 404,
    message: 'There is no endpoint {method} {path}. The API is described at /docs.',
  },
  idempotency_mismatch: {
    code: at('request', 8),
    status: 409,
    message: 'This Idempotency-Key was used with another body. Choose a new key.',
  },
  request_stalled: {
    code: at('request', 9),
    status: 408,
    message: 'The request stopped on its way: for {seconds} s too little of it came. Send it again.',
  },

  credential_missing: { code: at('credential', 1), status: 401, message: 'This call needs a credential: {accepted}.' },
  credential_invalid: {
    code: at('credential', 2),
    status: 401,
    message:
      'The credential in {header} is not valid. It may be mistyped, deleted, expired or of another service. Sign in again, or make a new one.',
  },
  wrong_password: { code: at('credential', 3), status: 401, message: 'The e-mail address or the password is wrong.' },
  key_suspended: {
    code: at('credential', 4),
    status: 402,
    message: 'This API key is suspended because its Team is inactive. Ask the Team owner.',
  },
  team_inactive: { code: at('credential', 5), status: 402, message: 'This Team is inactive. Ask its owner.' },
  not_allowed: { code: at('credential', 6), status: 403, message: '{detail}' },
  link_password_wrong: {
    code: at('credential', 7),
    status: 401,
    message: 'This link needs a password, sent in X-Link-Password, and the one given is missing or wrong.',
  },
  link_code_required: {
    code: at('credential', 15),
    status: 401,
    message:
      'This link asks for a code that is mailed to {recipient}. Ask for the mail at /v1/links/…/codes, and send the code in X-Link-Code.',
  },
  link_code_wrong: { code: at('credential', 16), status: 401, message: 'The code is wrong. Only the one that was mailed last is good.' },
  link_code_over: {
    code: at('credential', 17),
    status: 401,
    message: 'This code is over: one is good for {minutes} minutes, for {guesses} answers, and once. Ask for another one.',
  },
  mfa_required: {
    code: at('credential', 9),
    status: 401,
    message: 'This account asks for a second proof besides the password. It has: {methods}.',
  },
  mfa_wrong: {
    code: at('credential', 10),
    status: 401,
    message: 'The second proof is wrong, was used already, or came too late. Use the code that is shown now.',
  },
  mfa_enrolment_required: {
    code: at('credential', 11),
    status: 403,
    message:
      'The Team {team} asks all its members for a second factor, and you have none yet. Add one in your profile, under Security; then everything goes on.',
  },
  sso_required: {
    code: at('credential', 12),
    status: 403,
    message:
      'Members of the Team {team} sign in through their company. Choose "Sign in with your company" on the sign-in page of the service, and enter your e-mail address there.',
  },
  sso_refused: { code: at('credential', 13), status: 403, message: '{detail}' },
  sso_provider_failed: {
    code: at('credential', 14),
    status: 502,
    message: "The company's sign-in did not work: {detail}",
  },
  access_code_wrong: { code: at('credential', 8), status: 401, message: 'The access code is missing or wrong. Send it in X-Access-Code.' },

  not_found: { code: at('resource', 1), status: 404, message: 'There is no {resource} with this id, or this credential cannot see it.' },
  link_expired: { code: at('resource', 2), status: 410, message: 'This link has expired. Ask its sender for a new one.' },
  package_expired: {
    code: at('resource', 3),
    status: 410,
    message: 'This package has expired. Its files can no longer be downloaded. Ask its sender to send them again.',
  },
  package_deleted: {
    code: at('resource', 17),
    status: 410,
    message: 'The files of this package were deleted before their time was over. Ask its sender to send them again.',
  },
  file_infected: {
    code: at('resource', 18),
    status: 403,
    message: 'A virus was found in this file or zip, and its Team lets nobody download it. Tell the sender.',
  },
  package_quarantined: {
    code: at('resource', 19),
    status: 403,
    message: 'A virus was found in this package, and its Team keeps it in quarantine. Tell the sender.',
  },
  state_conflict: { code: at('resource', 4), status: 409, message: '{detail}' },
  already_exists: { code: at('resource', 5), status: 409, message: '{detail}' },
  chunk_wrong: { code: at('resource', 6), status: 409, message: 'Chunk {chunk} is wrong: {detail}. Upload it again and finalize again.' },
  key_not_changeable: {
    code: at('resource', 7),
    status: 409,
    message: 'A suspended API key cannot be activated or deactivated. It can once its Team is active again.',
  },
  link_inactive: { code: at('resource', 8), status: 410, message: 'This link has been disabled. Ask its sender for a new one.' },
  link_used_up: {
    code: at('resource', 9),
    status: 410,
    message: 'This link has been used as often as its sender allowed. Ask its sender for a new one.',
  },
  package_differs: {
    code: at('resource', 13),
    status: 409,
    message:
      'The package holds {files} files with {bytes} bytes, and its sender expects {expected}. It stays open: upload what is missing, then finalize it again.',
  },
  portal_closed: {
    code: at('resource', 10),
    status: 403,
    message: 'This Portal is not accepting uploads. Ask whoever gave you its address when it opens.',
  },
  form_response_incomplete: { code: at('resource', 11), status: 400, message: 'The field {field} needs a value.' },
  digest_wrong: {
    code: at('resource', 12),
    status: 409,
    message:
      'The digest stated is {stated}, and that of the uploaded chunks is {known}. Compare the file with its chunks and finalize again.',
  },
  precondition_failed: {
    code: at('resource', 14),
    status: 412,
    message: 'This is not the version that If-Match asks for any more: it is {etag} now. Fetch it anew.',
  },
  token_expired: { code: at('resource', 15), status: 410, message: 'This {thing} has expired. Ask for a new one.' },
  token_used: { code: at('resource', 16), status: 410, message: 'This {thing} was used already: it is good for once.' },

  service_unreachable: {
    code: at('session', 4),
    status: 502,
    message: 'The service at {url} cannot be reached: {detail}. Check the address and the network.',
  },
  service_refused: { code: at('session', 5), status: 502, message: 'The service answered {status}: {detail}' },

  storage_unavailable: { code: at('storage', 3), status: 503, message: 'The storage does not answer: {detail}. Try again soon.' },
  signature_invalid: { code: at('storage', 4), status: 403, message: 'The signature of this address is not valid.' },
  blueprint_expired: { code: at('storage', 5), status: 403, message: 'This address has expired. Ask for a new blueprint.' },
  no_such_upload: { code: at('storage', 6), status: 404, message: 'There is no such multipart upload. It was completed or aborted.' },
  range_not_satisfiable: { code: at('storage', 7), status: 416, message: 'The range lies outside the object of {size} bytes.' },
  service_storage_full: {
    code: at('storage', 8),
    status: 507,
    message: "The service's storage is full. Nothing is lost; try again when its operator has made room.",
  },
  storage_refused: {
    code: at('storage', 9),
    status: 503,
    message: "The service's storage refuses the work: {detail}. Nothing is lost; try again when its operator has put that right.",
  },
  service_database_full: {
    code: at('storage', 10),
    status: 503,
    message: "The disk of the service's database is full. Nothing is lost; try again when its operator has made room.",
  },

  zip_damaged: {
    code: at('storage', 16),
    status: 410,
    message: "The storage's copy of {file} is damaged, so this zip would not be whole. Ask its sender to send it again.",
  },
  file_damaged: {
    code: at('storage', 12),
    status: 410,
    message: "The storage's copy of this file is damaged. Ask its sender to send it again.",
  },

  rate_limited: { code: at('limit', 1), status: 429, message: 'Too many requests. Try again in {seconds} s.' },
  over_limit: { code: at('limit', 2), status: 400, message: '{detail}' },
  team_storage_full: {
    code: at('limit', 3),
    status: 507,
    message:
      "The Team's storage is full: it may hold {limit} bytes, {used} are used, and {asked} more were asked for. Nothing is lost. Delete packages, or ask the Team's owners for more storage; then try again.",
  },
  portal_storage_full: {
    code: at('limit', 4),
    status: 507,
    message:
      "The Portal's storage is full: it may hold {limit} bytes, {used} are used, and {asked} more were asked for. Nothing is lost. Ask the Team that receives here for more; then try again.",
  },
  team_traffic_used: {
    code: at('limit', 5),
    status: 507,
    message:
      "The Team's traffic of this month is used up: {limit} bytes may be sent, {used} are used, and {asked} more were asked for. Nothing is lost. It begins anew on the first of the month (UTC); the Team's owners can ask for more before.",
  },

  internal: { code: at('internal', 1), status: 500, message: 'Something went wrong on our side. The log has it under {id}.' },
  unavailable: { code: at('internal', 3), status: 503, message: 'The service is starting or stopping. Try again soon.' },

  link_malformed: { code: at('transfer', 5), status: 400, message: 'This is not a download link: {detail}' },
} as const satisfies Record<string, ErrorSpec>;

export type HostedErrorName = keyof typeof hostedErrors;
