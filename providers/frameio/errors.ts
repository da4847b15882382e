import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, look at https://status.frame.io.';

export const full = 'The storage of the Frame.io account is used up. Make room, or raise the plan, then retry.';

/** What Frame.io says of a refusal, for looking at only: it may repeat names. */
export function detailsIn(bytes: Buffer): string {
  try {
    const { errors } = JSON.parse(bytes.toString()) as { errors?: readonly { title?: unknown; detail?: unknown }[] };
    return (errors ?? []).map(({ title, detail }) => `${String(title ?? '')} ${String(detail ?? '')}`).join(' ');
  } catch {
    return '';
  }
}

/** Milliseconds until another request is welcome: limits refill by and by, one request in a window's part. */
function pauseOf({ headers }: CloudAnswer, now: Date): number {
  const asked = retryAfterOf(headers['retry-after'], now);
  if (asked > 0) return asked;
  const refill = Number(headers['x-ratelimit-window']) / Number(headers['x-ratelimit-limit']);
  return Number.isFinite(refill) && refill > 0 ? Math.min(Math.ceil(refill), 60_000) : 0;
}

/** What an answer that is no success means. */
export function frameioError(answer: CloudAnswer, now: Date): ProviderError {
  const { status, bytes } = answer;
  const options = { answered: String(status), retryAfter: status >= 500 || status === 429 ? pauseOf(answer, now) : 0 };
  const as = (code: ProviderErrorCode, words: string) => new ProviderError(code, words, options);
  const details = detailsIn(bytes);
  if (status === 402 || (status >= 400 && status < 500 && /\b(quota|storage (limit|space)|out of storage)\b/i.test(details))) {
    return as('full', full);
  }
  switch (status) {
    case 401:
      return as(
        'expired',
        'Frame.io no longer takes the access token. If signing in again does not help, check that the credential has the Frame.io API.',
      );
    case 403:
      return as(
        'forbidden',
        'The service account may not do this. Add it to the project with Full Access, and see that its Adobe product profile has Frame.io.',
      );
    case 404:
      return as('not_found', 'There is no such file or folder at Frame.io any more, or the service account may not see it.');
    case 408:
    case 429:
      return as('busy', `Frame.io asks for fewer requests. ${retried}`);
    case 409:
      return as('busy', `Frame.io is busy with another change of this. ${retried}`);
    case 413:
      return as('too_large', 'Frame.io takes no file of this size. Send it as several files.');
    case 416:
      return as('range_not_satisfiable', 'The file at Frame.io is shorter than it was said to be. Begin again.');
  }
  if (status >= 500) return as('busy', `Frame.io has a failure of its own (${status}). ${retried}`);
  if (status >= 300 && status < 400)
    return as('redirected', 'Frame.io sends elsewhere, where credentials do not follow. Tell the operator.');
  return as('misconfigured', `Frame.io refused the request (${status}). Check the IDs of the connection, or ask the operator.`);
}

/** A refusal of Adobe's sign-in, in the form of RFC 6749 §5.2. */
export function signInError(answer: CloudAnswer, now: Date): ProviderError {
  const { status, headers, bytes } = answer;
  const code = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(bytes.toString())?.[1] ?? '';
  const options = { answered: `${code} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  if (status === 429 || status >= 500) return new ProviderError('busy', `Adobe's sign-in is busy (${status}). ${retried}`, options);
  if (status === 400 || status === 401 || status === 403) {
    const words =
      code === 'invalid_scope'
        ? 'The credential has no access to Frame.io. Add the Frame.io API to its project in the Adobe Developer Console, as OAuth Server-to-Server.'
        : 'Adobe does not take these credentials. Check client ID and client secret, and that the secret was not removed in the Adobe Developer Console.';
    return new ProviderError('credentials_refused', words, options);
  }
  return new ProviderError('bad_answer', `Adobe's sign-in answered with something else (${status}). ${retried}`, options);
}
