import { errorCatalogue } from '#protocol/errors.ts';
import { type ShownError, shownErrors } from '../shown-errors.ts';

/**
 * What went wrong, by the name of the error. `{places}` are filled from the error; `{detail}` is a sentence of whoever
 * met it. The catalogue's sentences are for programs and logs too: those that speak of headers and ids
 * have a text for people here.
 */
export const errors: Readonly<Record<ShownError, string>> = {
  ...(Object.fromEntries(shownErrors.map((name) => [name, errorCatalogue[name].message])) as Record<ShownError, string>),
  body_too_large: 'This is too much at once: more than {limit:size}. Split it up.',
  request_stalled: 'A request stopped on its way: for {seconds:number} s too little of it came. Try again.',
  package_differs:
    'The package holds {files:number} files with {bytes:size}, and its sender expects {expected}. It stays open: send what is missing, then finish it again.',
  storage_full: 'The disk at {path} is full: {missing:size} is missing. Free some room; work goes on by itself.',
  drop_no_room:
    'The disk with the agent’s data folder has too little room to take this from the browser: {missing:size} more is needed. Free some, or choose it with Browse, which copies nothing.',
  rate_limited: 'Too many requests. Try again in {seconds:number} s.',
  files_failed: '{count:number} of {total:number} files did not get through. The first: {detail}',
  no_such_endpoint: 'This page and the agent are of different versions. Load the page again.',
  unknown_host: 'The agent does not answer to the name {host}. Open its page as localhost or 127.0.0.1.',
  credential_missing: 'The service asks for a sign-in. Sign in and try again.',
  credential_invalid: 'The service does not accept this sign-in or key any more. Sign in again.',
  link_password_wrong: 'This link needs a password, and the one given is missing or wrong.',
  link_code_required: 'This link asks for a code that is mailed to {recipient}. Ask for it, and enter it.',
  link_code_wrong: 'The code is wrong. Only the one that was mailed last is good.',
  link_code_over:
    'This code is over: one is good for {minutes:number} minutes, for {guesses:number} answers, and once. Ask for another one.',
  access_code_wrong: 'The access code is missing or wrong.',
  not_found: 'This is not there any more, or you may not see it.',
  hidden_names:
    '{folder} is the home folder, where programs take names that begin with a dot for their settings, and the package would put some there: {names}. Choose another folder, or a new one for the package.',
  session_is_nil: 'You are not signed in. Sign in and try again.',
  agent_token_required: 'The agent asks for its token.',
};
