import { at, type ErrorSpec } from './code.ts';

/** The errors of the local API that the hosted one does not have; 262146 (`session_is_nil`) is the agent's documented code. */
export const agentErrors = {
  foreign_origin: { code: at('request', 6), status: 403, message: 'Requests from {origin} are not accepted here.' },
  unknown_host: {
    code: at('request', 7),
    status: 403,
    message: 'The host {host} is not one of this agent. Call it as localhost or 127.0.0.1.',
  },
  foreign_user: {
    code: at('request', 10),
    status: 403,
    message:
      "This agent belongs to another user of this machine, and answers that user's programs only. Run an agent of your own, or ask for this one to be started with --require-token, and for a token.",
  },

  session_is_nil: { code: at('session', 2), status: 401, message: 'session is nil' },
  session_expired: { code: at('session', 3), status: 401, message: 'The session has ended. Sign in again.' },
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

  path_not_found: { code: at('transfer', 1), status: 400, message: 'There is no file or folder at {path}.' },
  path_not_absolute: { code: at('transfer', 2), status: 400, message: 'The path {path} is not absolute. Give the whole path.' },
  path_unreadable: { code: at('transfer', 3), status: 400, message: '{path} cannot be read: {detail}' },
  transfer_conflict: { code: at('transfer', 4), status: 409, message: '{detail}' },
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
  folders_overlap: {
    code: at('transfer', 20),
    status: 409,
    message:
      '{folder} and {other}, which {detail} uses, lie in each other: what comes into one would be sent from the other again and again. Choose another folder.',
  },
  drop_no_room: {
    code: at('transfer', 22),
    status: 507,
    message:
      "The disk with the agent's data folder has too little room to take this from the browser: {missing} more bytes are needed. Free some, or choose it with Browse, which copies nothing.",
  },
  mount_unusable: { code: at('transfer', 21), status: 409, message: '{path} cannot be a mount: {detail}' },
} as const satisfies Record<string, ErrorSpec>;

export type AgentErrorName = keyof typeof agentErrors;
