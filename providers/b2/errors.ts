import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, look at https://status.backblaze.com.';
const caps = 'in the Backblaze console under Caps & Alerts';

type Words = readonly [code: ProviderErrorCode, message: string];

const expired: Words = [
  'expired',
  'Backblaze no longer takes the token that it gave. If signing in again does not help, make a new application key and enter it.',
];
const storageCap: Words = ['full', `The storage cap of the Backblaze account is reached. Raise it ${caps} or make room, then retry.`];
const noFile: Words = ['not_found', 'There is no such file at Backblaze any more.'];
const missingPart: Words = ['part_missing', 'Backblaze does not have all parts of the file. They are compared again.'];
const badName: Words = ['name_refused', 'Backblaze cannot hold a file of this name. Shorten or change it.'];

/** What B2 calls its refusals, where the status does not say it. */
const known: Readonly<Record<string, Words>> = {
  expired_auth_token: expired,
  bad_auth_token: expired,
  auth_token_expired: expired,
  cap_exceeded: storageCap,
  storage_cap_exceeded: storageCap,
  transaction_cap_exceeded: [
    'full',
    `The daily cap for transactions of the Backblaze account is reached. Raise it ${caps}, or retry tomorrow.`,
  ],
  download_cap_exceeded: ['full', `The daily cap for downloads of the Backblaze account is reached. Raise it ${caps}, or retry tomorrow.`],
  bad_bucket_id: ['no_destination', 'The bucket is no longer there. Make it, or correct the destination.'],
  auth_token_limit: ['busy', `Backblaze takes one upload at a time at each of its addresses. ${retried}`],
  no_such_file: noFile,
  file_not_present: noFile,
  missing_part: missingPart,
  part_sha1_mismatch: missingPart,
  invalid_file_name: badName,
};

interface B2Failure {
  readonly code: string;
  readonly message: string;
}

function failureIn(bytes: Buffer): B2Failure {
  try {
    const { code, message } = JSON.parse(bytes.toString()) as { code?: unknown; message?: unknown };
    return { code: typeof code === 'string' && /^[a-z_0-9]{1,60}$/.test(code) ? code : '', message: String(message ?? '') };
  } catch {
    return { code: '', message: '' };
  }
}

const byStatus = (status: number, { code, message }: B2Failure): Words => {
  switch (status) {
    case 401:
    case 403:
      return [
        'forbidden',
        'The application key may not do this. Make one for the bucket that may read and write (listFiles, readFiles, writeFiles, deleteFiles), without a prefix that excludes the target folder, and enter it.',
      ];
    case 404:
      return noFile;
    case 408:
    case 409:
    case 429:
      return ['busy', `Backblaze asks for fewer requests. ${retried}`];
    case 413:
      return ['too_large', 'Backblaze takes no file of this size. Send it as several files.'];
    case 416:
      return ['range_not_satisfiable', 'The file at Backblaze is shorter than it was said to be. Begin again.'];
  }
  if (status >= 500) return ['busy', `Backblaze has a failure of its own (${status}). ${retried}`];
  if (status >= 300 && status < 400)
    return ['redirected', 'Backblaze sends elsewhere, where credentials do not follow. Tell the operator.'];
  if (/(sha1|checksum) did not match/i.test(message)) {
    return ['corrupted', 'Bytes arrived changed at Backblaze, which dropped them. They are sent again.'];
  }
  if (/file ?name/i.test(message)) return badName;
  return ['misconfigured', `Backblaze refused the request (${`${code} ${status}`.trim()}). Check the bucket, or ask the operator.`];
};

/** What an answer that is no success means. B2's own words are left out, since they may repeat a token. */
export function b2Error({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const failure = failureIn(bytes);
  const words = (Object.hasOwn(known, failure.code) ? known[failure.code] : undefined) ?? byStatus(status, failure);
  return new ProviderError(...words, {
    answered: `${failure.code} ${status}`.trim(),
    retryAfter: retryAfterOf(headers['retry-after'], now),
  });
}

/** A refusal of b2_authorize_account, where nothing but the key can be wrong. */
export function signInError(answer: CloudAnswer, now: Date): ProviderError {
  const { code } = failureIn(answer.bytes);
  const answered = `${code} ${answer.status}`.trim();
  if (answer.status === 403 && !Object.hasOwn(known, code)) {
    return new ProviderError(
      'credentials_refused',
      'Backblaze does not serve this account. Its owner must look into the console of Backblaze.',
      {
        answered,
      },
    );
  }
  if (answer.status !== 400 && answer.status !== 401) return b2Error(answer, now);
  return new ProviderError(
    'credentials_refused',
    'Backblaze does not take this application key. Enter keyID and applicationKey together as they were shown; if the key was deleted or has expired, make a new one.',
    { answered },
  );
}

export const noSense = (): ProviderError =>
  new ProviderError('bad_answer', 'Backblaze gave an answer that makes no sense. It is tried again; if that goes on, tell the operator.');
