import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, look at https://status.cloud.google.com.';

/** What Google calls its refusals, where the status does not say it. */
const byReason: Readonly<Record<string, readonly [code: ProviderErrorCode, message: string]>> = {
  rateLimitExceeded: ['busy', `Google asks for fewer requests. ${retried}`],
  userRateLimitExceeded: ['busy', `Google asks for fewer requests. ${retried}`],
  accountDisabled: ['forbidden', "The project's billing account is disabled. Enable it in the Google Cloud console, then retry."],
  billingNotEnabled: ['forbidden', 'Billing is not enabled for the project. Enable it in the Google Cloud console, then retry.'],
  accessNotConfigured: [
    'forbidden',
    'The Cloud Storage API is not enabled for the project. Enable it in the Google Cloud console, then retry.',
  ],
  userProjectMissing: ['misconfigured', 'The bucket is one where the requester pays, which is not supported. Choose another bucket.'],
  retentionPolicyNotMet: [
    'forbidden',
    "The bucket's retention policy forbids to replace or delete this file. Choose another bucket, or wait until it is over.",
  ],
  objectUnderActiveHold: ['forbidden', 'There is a hold on this file, which forbids to replace or delete it. Release it, then retry.'],
  quotaExceeded: ['full', 'A quota of the project is used up. Raise it in the Google Cloud console, then retry.'],
  dailyLimitExceeded: ['full', 'A quota of the project is used up. Raise it in the Google Cloud console, then retry.'],
};

interface GoogleError {
  readonly reason: string;
  readonly message: string;
}

function errorIn(bytes: Buffer): GoogleError {
  try {
    const { error } = JSON.parse(bytes.toString()) as { error?: { message?: unknown; errors?: readonly { reason?: unknown }[] } };
    return { reason: String(error?.errors?.[0]?.reason ?? ''), message: String(error?.message ?? '') };
  } catch {
    return { reason: '', message: '' };
  }
}

/** What an answer that is no success means. Google's own words are left out but for the name of a permission. */
export function gcsError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const { reason, message } = errorIn(bytes);
  const options = { answered: `${reason} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  const as = (code: ProviderErrorCode, words: string) => new ProviderError(code, words, options);
  const known = Object.hasOwn(byReason, reason) ? byReason[reason] : undefined;
  if (known) return as(...known);
  switch (status) {
    case 401:
      return as(
        'expired',
        'Google no longer takes the access token. If signing in again does not help, make a new key for the service account.',
      );
    case 403: {
      const permission = /\bstorage\.[A-Za-z]+\.[A-Za-z]+\b/.exec(message)?.[0];
      return as(
        'forbidden',
        `The service account ${permission ? `lacks the permission ${permission}` : 'may not do this'}. Give it the role Storage Object User (roles/storage.objectUser) on the bucket.`,
      );
    }
    case 404:
      return /bucket does not exist/i.test(message)
        ? as('no_destination', 'There is no bucket of this name. Make it, or correct the destination.')
        : as('not_found', 'There is no such file at Google Cloud Storage any more.');
    case 408:
    case 429:
      return as('busy', `Google asks for fewer requests. ${retried}`);
    case 412:
      return as('changed', 'The file at Google Cloud Storage was changed meanwhile. Begin again with the file as it is now.');
    case 413:
      return as('too_large', 'Google Cloud Storage takes no file of this size. Send it as several files.');
    case 416:
      return as('range_not_satisfiable', 'The file at Google Cloud Storage is shorter than it was said to be. Begin again.');
  }
  if (status >= 500) return as('busy', `Google Cloud Storage has a failure of its own (${status}). ${retried}`);
  if (status >= 300 && status < 400)
    return as('redirected', 'Google Cloud Storage sends elsewhere, where credentials do not follow. Tell the operator.');
  if (status === 400 && /crc32c|md5|checksum/i.test(message)) {
    return as('corrupted', 'Bytes arrived changed at Google Cloud Storage, which dropped them. They are sent again.');
  }
  if (status === 400 && /object name|name is too long/i.test(message)) {
    return as('name_refused', 'Google Cloud Storage cannot hold a file of this name. Shorten or change it.');
  }
  return as('misconfigured', `Google Cloud Storage refused the request (${options.answered}). Check the bucket, or ask the operator.`);
}

/** Whether Google's token endpoint complains of the clock. */
export const isClockSkew = (bytes: Buffer): boolean => /short-lived token|reasonable timeframe/i.test(bytes.toString());

/** A refusal of the token endpoint, whose errors have a form of their own (RFC 6749 §5.2). */
export function signInError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const code = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(bytes.toString())?.[1] ?? '';
  const options = { answered: `${code} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  if (isClockSkew(bytes)) {
    return new ProviderError('clock_skew', "The clock of this service differs too much from Google's. Set it by a time server.", options);
  }
  if (status === 400 || status === 401 || status === 403) {
    return new ProviderError(
      'credentials_refused',
      'Google does not take this key. Check that the e-mail is that of the service account, that the account is enabled, and that the key was not deleted; else make a new key and enter it.',
      options,
    );
  }
  if (status === 429 || status >= 500) return new ProviderError('busy', `Google's sign-in is busy (${status}). ${retried}`, options);
  return new ProviderError('bad_answer', `Google's sign-in answered with something else (${status}). ${retried}`, options);
}
