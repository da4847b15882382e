import { errorCatalogue } from '#protocol/errors.ts';
import { type MetError, metErrors } from '../met-errors.ts';

/**
 * What went wrong, by the name of the error. `{places}` are filled from the error; `{detail}` is a sentence of whoever
 * met it. The catalogue's sentences are for programs and logs too: those that speak of headers and ids
 * are said in other words here.
 */
export const errors: Readonly<Record<MetError, string>> = {
  ...(Object.fromEntries(metErrors.map((name) => [name, errorCatalogue[name].message])) as Record<MetError, string>),
  no_such_endpoint: 'This page and the agent are of different versions. Load the page again.',
  unknown_host: 'The agent does not answer to the name {host}. Open its page as localhost or 127.0.0.1.',
  credential_missing: 'The service asks for a sign-in. Sign in and try again.',
  credential_invalid: 'The service does not accept this sign-in or key any more. Sign in again.',
  link_password_wrong: 'This link needs a password, and the one given is missing or wrong.',
  access_code_wrong: 'The access code is missing or wrong.',
  not_found: 'This is not there any more, or you may not see it.',
  session_is_nil: 'You are not signed in. Sign in and try again.',
  agent_token_required: 'The agent asks for its token.',
};
