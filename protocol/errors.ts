/**
 * The error catalogue of both APIs: every error that a caller can get, with a stable name. `code` is `(area << 16)
 * number` (contract/conventions.md §5.1); the agent's documented 262146 is area 4 (session), number 2.
 */
const area = { request: 1, credential: 2, resource: 3, session: 4, storage: 5, limit: 6, internal: 7, transfer: 8 } as const;

const at = (where: keyof typeof area, number: number): number => (area[where] << 16) | number;

export interface ErrorSpec {
  readonly code: number;
  readonly status: number;
  /** The message for the caller. Its `{name}` placeholders are filled from the error's details. */
  readonly message: string;
}

export const errorCatalogue = {
  invalid_request: { code: at('request', 1), status: 400, message: '{detail}' },
  malformed_json: { code: at('request', 2), status: 400, message: 'The body is not valid JSON: {detail}' },
  unsupported_media_type: { code: at('request', 3), status: 415, message: 'Send the body as application/json.' },
  body_too_large: { code: at('request', 4), status: 413, message: 'The body is larger than {limit} bytes.' },
  no_such_endpoint: {
    code: at('request', 5),
    status: 404,
    message: 'There is no endpoint {method} {path}. The API is described at /docs.',
  },
  foreign_origin: { code: at('request', 6), status: 403, message: 'Requests from {origin} are not accepted here.' },
  unknown_host: {
    code: at('request', 7),
    status: 403,
    message: 'The host {host} is not one of this agent. Call it as localhost or 127.0.0.1.',
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
  foreign_user: {
    code: at('request', 10),
    status: 403,
    message:
      "This agent belongs to another user of this machine, and answers that user's programs only. Run an agent of your own, or ask for this one to be started with --require-token, and for a token.",
  },

  credential_missing: { code: at('credential', 1), status: 401, message: 'This call needs a credential: {accepted}.' },
  credential_invalid: {
    code: at('credential', 2),
    status: 401,
    message: 'The credential in {header} is not valid. It may be mistyped, deleted, expired or of another service.',
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
  access_code_wrong: { code: at('credential', 8), status: 401, message: 'The access code is missing or wrong. Send it in X-Access-Code.' },

  not_found: { code: at('resource', 1), status: 404, message: 'There is no {resource} with this id, or this credential cannot see it.' },
  link_expired: { code: at('resource', 2), status: 410, message: 'This link has expired.' },
  package_expired: { code: at('resource', 3), status: 410, message: 'This package has expired and its files are deleted.' },
  state_conflict: { code: at('resource', 4), status: 409, message: '{detail}' },
  already_exists: { code: at('resource', 5), status: 409, message: '{detail}' },
  chunk_wrong: { code: at('resource', 6), status: 409, message: 'Chunk {chunk} is wrong: {detail}. Upload it again and finalize again.' },
  key_not_changeable: { code: at('resource', 7), status: 409, message: 'A suspended API key cannot be activated or deactivated.' },
  link_inactive: { code: at('resource', 8), status: 410, message: 'This link has been disabled.' },
  link_used_up: { code: at('resource', 9), status: 410, message: 'This link has been used as often as its sender allowed.' },
  package_differs: {
    code: at('resource', 13),
    status: 409,
    message: 'The package holds {files} files with {bytes} bytes, and its sender expects {expected}. It stays open.',
  },
  portal_closed: { code: at('resource', 10), status: 403, message: 'This Portal is not accepting uploads.' },
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

  session_is_nil: { code: at('session', 2), status: 401, message: 'session is nil' },
  session_expired: { code: at('session', 3), status: 401, message: 'The session has ended. Sign in again.' },
  service_unreachable: {
    code: at('session', 4),
    status: 502,
    message: 'The service at {url} cannot be reached: {detail}. Check the address and the network.',
  },
  service_refused: { code: at('session', 5), status: 502, message: 'The service answered {status}: {detail}' },
  agent_token_required: {
    code: at('session', 6),
    status: 401,
    message: 'This call needs a valid token in the Authorization header (Bearer): the agent’s own, or one made for an application.',
  },

  storage_full: {
    code: at('storage', 1),
    status: 507,
    message: 'The disk at {path} is full: {missing} bytes are missing. Free some room; work goes on by itself.',
  },
  storage_read_only: {
    code: at('storage', 2),
    status: 500,
    message: 'The disk at {path} cannot be written. Check its permissions and mount.',
  },
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

  rate_limited: { code: at('limit', 1), status: 429, message: 'Too many requests. Try again in {seconds} s.' },
  over_limit: { code: at('limit', 2), status: 400, message: '{detail}' },

  internal: { code: at('internal', 1), status: 500, message: 'Something went wrong on our side. The log has it under {id}.' },
  not_implemented: { code: at('internal', 2), status: 501, message: 'This endpoint is described but not served yet.' },
  unavailable: { code: at('internal', 3), status: 503, message: 'The service is starting or stopping. Try again soon.' },

  path_not_found: { code: at('transfer', 1), status: 400, message: 'There is no file or folder at {path}.' },
  path_not_absolute: { code: at('transfer', 2), status: 400, message: 'The path {path} is not absolute. Give the whole path.' },
  path_unreadable: { code: at('transfer', 3), status: 400, message: '{path} cannot be read: {detail}' },
  transfer_conflict: { code: at('transfer', 4), status: 409, message: '{detail}' },
  link_malformed: { code: at('transfer', 5), status: 400, message: 'This is not a download link: {detail}' },
  name_refused: { code: at('transfer', 6), status: 400, message: '{path} cannot be sent: {detail}' },
  name_unsafe: { code: at('transfer', 7), status: 409, message: 'The package names a file "{path}", which was not written: {detail}' },
  files_failed: { code: at('transfer', 8), status: 409, message: '{count} of {total} files did not get through. The first: {detail}' },
  move_failed: { code: at('transfer', 9), status: 502, message: '{detail}' },
  agent_disk_full: {
    code: at('transfer', 10),
    status: 507,
    message: "The disk with the agent's data folder is full. Free some room; work goes on by itself.",
  },
  agent_fault: { code: at('transfer', 11), status: 500, message: 'The agent met a fault of its own: {detail}. Its log says more.' },
  nothing_to_send: { code: at('transfer', 12), status: 400, message: 'There is nothing to send in {path}.' },
  package_unusable: {
    code: at('transfer', 13),
    status: 502,
    message: 'The service listed the package in a way that cannot be used: {detail}',
  },
  receipt_invalid: { code: at('transfer', 14), status: 502, message: 'The receipt cannot be relied on: {detail}' },
  receipt_differs: {
    code: at('transfer', 15),
    status: 409,
    message: 'The files are not as the signed receipt of the package has them: {detail}',
  },
  left_out: { code: at('transfer', 16), status: 409, message: '{path} was left out: {detail}' },
  path_outside: {
    code: at('transfer', 17),
    status: 403,
    message: '{path} is not inside the folders that may be used here: {roots}. Choose another, or allow its folder in the settings.',
  },
  agent_state_unwritable: {
    code: at('transfer', 18),
    status: 503,
    message: "The agent's state file cannot be written: {detail}. Check the disk with its data folder; work goes on by itself.",
  },
  hidden_names: {
    code: at('transfer', 19),
    status: 409,
    message:
      '{folder} is the home folder, where names that begin with a dot are settings of programs, and the package has such: {names}. Choose another folder, or allow them by allow_hidden (longshore get --allow-hidden).',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorName = keyof typeof errorCatalogue;

/** The body of every error answer (contract/conventions.md §5.1). */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
}

const nameByCode: ReadonlyMap<number, ErrorName> = new Map(
  (Object.keys(errorCatalogue) as ErrorName[]).map((name) => [errorCatalogue[name].code, name]),
);

/** The catalogue's entry of a code; `undefined` for an unknown code, for example from a newer service. */
export const errorOf = (code: number): ErrorName | undefined => nameByCode.get(code);

/** Extracts the values of a template's `{placeholders}` from a filled sentence; `null` if the sentence does not match. */
export function placesIn(template: string, sentence: string): Record<string, string> | null {
  const pattern = template
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 1 ? `(?<${piece}>.*?)` : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  const found = new RegExp(`^${pattern}$`, 's').exec(sentence);
  return found && { ...found.groups };
}

/** Fills the `{placeholders}` of a catalogue message; one without a detail becomes empty. */
export function errorMessage(name: ErrorName, details: Readonly<Record<string, string | number>> = {}): string {
  return errorCatalogue[name].message.replace(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? ''));
}

/** A failure with an entry in the catalogue. Services throw it; the HTTP layer converts it to an answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly error: ErrorName;
  readonly code: number;
  readonly status: number;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(error: ErrorName, details: Readonly<Record<string, string | number>> = {}, options?: ErrorOptions) {
    super(errorMessage(error, details), options);
    this.error = error;
    this.code = errorCatalogue[error].code;
    this.status = errorCatalogue[error].status;
    this.details = details;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message };
  }
}
