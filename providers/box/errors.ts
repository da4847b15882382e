import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, look at https://status.box.com.';

const byCode: Readonly<Record<string, readonly [code: ProviderErrorCode, message: string]>> = {
  rate_limit_exceeded: ['busy', `Box asks for fewer requests. ${retried}`],
  operation_blocked_temporary: ['busy', `Box is busy with this folder. ${retried}`],
  name_temporarily_reserved: ['busy', `Another upload of this name is under way at Box. ${retried}`],
  storage_limit_exceeded: ['full', 'The storage of the Box account is full. Make room or raise its quota, then retry.'],
  file_size_limit_exceeded: [
    'too_large',
    'The plan of the Box account takes no file of this size. Send it as several files, or change the plan.',
  ],
  item_name_invalid: ['name_refused', 'Box cannot hold a file or folder of this name. Change it.'],
  item_name_too_long: ['name_refused', 'The name is longer than Box takes. Shorten it.'],
  item_name_in_use: ['exists', 'There is a file or folder of this name at Box already; upper and lower case are the same there.'],
  access_denied_insufficient_permissions: [
    'forbidden',
    "The app may not do this. Give it 'Write all files and folders stored in Box', and invite its service account to the folder as Editor.",
  ],
  insufficient_scope: ['forbidden', "The app lacks a scope. Give it 'Write all files and folders stored in Box' and authorize it again."],
  bad_digest: ['corrupted', 'Bytes arrived changed at Box, which dropped them. They are sent again.'],
  invalid_digest: ['corrupted', 'Bytes arrived changed at Box, which dropped them. They are sent again.'],
  parts_mismatch: ['part_missing', 'Box does not have all parts of the file. They are compared again.'],
};

/** The fields of Box's error that are used. */
interface BoxError {
  readonly code: string;
  readonly conflict: BoxConflict | null;
}

/** What stands in the way of a name. */
export interface BoxConflict {
  readonly type: string;
  readonly id: string;
}

export function boxErrorIn(bytes: Buffer): BoxError {
  try {
    const { code, context_info } = JSON.parse(bytes.toString()) as { code?: unknown; context_info?: { conflicts?: unknown } };
    // A list for folders, an object for files.
    const conflicts = context_info?.conflicts;
    const first = (Array.isArray(conflicts) ? conflicts[0] : conflicts) as { type?: unknown; id?: unknown } | undefined;
    return {
      code: typeof code === 'string' ? code : '',
      conflict: typeof first?.id === 'string' ? { type: String(first.type), id: first.id } : null,
    };
  } catch {
    return { code: '', conflict: null };
  }
}

/** What an answer that is no success means. Box's own message is left out. */
export function boxError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const { code } = boxErrorIn(bytes);
  const options = { answered: `${code} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  const as = (kind: ProviderErrorCode, words: string) => new ProviderError(kind, words, options);
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  if (known) return as(...known);
  switch (status) {
    case 401:
      return as(
        'expired',
        'Box no longer takes the access token. If signing in again does not help, authorize the app again in the Admin Console.',
      );
    case 403:
      return as(...byCode['access_denied_insufficient_permissions']!);
    case 404:
      return as('not_found', 'There is no such file or folder at Box any more, or the service account may not see it.');
    case 409:
      return as('busy', `Box is busy with another change of this file. ${retried}`);
    case 410:
      return as('upload_gone', 'Box has ended this upload. The file is sent from its beginning.');
    case 412:
      return as('changed', 'The file at Box was changed meanwhile. Begin again with the file as it is now.');
    case 413:
      return as(...byCode['file_size_limit_exceeded']!);
    case 416:
      return as('range_not_satisfiable', 'The file at Box is shorter than it was said to be. Begin again.');
    case 408:
    case 429:
      return as('busy', `Box asks for fewer requests. ${retried}`);
  }
  if (status >= 500) return as('busy', `Box has a failure of its own (${status}). ${retried}`);
  if (status >= 300 && status < 400) return as('redirected', 'Box sends elsewhere, where credentials do not follow. Tell the operator.');
  return as('misconfigured', `Box refused the request (${options.answered}). Check the app, or ask the operator.`);
}

/** Whether the token endpoint complains of the clock. */
export const isClockSkew = (bytes: Buffer): boolean => /'(exp|iat|nbf)'|expiration|date\/time/i.test(bytes.toString());

export function signInError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const code = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(bytes.toString())?.[1] ?? '';
  const options = { answered: `${code} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  if (status === 429 || status >= 500) return new ProviderError('busy', `Box's sign-in is busy (${status}). ${retried}`, options);
  if (isClockSkew(bytes)) {
    return new ProviderError('clock_skew', "The clock of this service differs too much from Box's. Set it by a time server.", options);
  }
  if (status === 400 || status === 401 || status === 403) {
    const words =
      code === 'unauthorized_client'
        ? 'The app is not authorized for this enterprise. An administrator must authorize it in the Admin Console of Box.'
        : 'Box does not take these credentials. Check client ID, client secret, public key ID and enterprise ID, and that the key is still listed in the app.';
    return new ProviderError('credentials_refused', words, options);
  }
  return new ProviderError('bad_answer', `Box's sign-in answered with something else (${status}). ${retried}`, options);
}
