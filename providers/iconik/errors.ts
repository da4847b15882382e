import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, ask the support of iconik.';

/** What an answer of iconik's that is no success means. iconik's own message is left out. */
export function iconikError({ status, headers }: CloudAnswer, now: Date): ProviderError {
  const options = { answered: String(status), retryAfter: retryAfterOf(headers['retry-after'], now) };
  const as = (code: ProviderErrorCode, words: string) => new ProviderError(code, words, options);
  switch (status) {
    case 401:
      return as(
        'credentials_refused',
        'This application ID and token are not taken by iconik. Check that both belong together and that the token was neither deleted nor has expired; else make a new one in iconik, below Admin, Settings, Application Tokens.',
      );
    case 403:
      return as(
        'forbidden',
        'The user of the application token may not do this in iconik. Give that user the roles that docs/connections/iconik.md lists, and write access to the collection.',
      );
    case 404:
      return as('not_found', 'There is no such file in iconik any more, or the user of the application token may not see it.');
    case 408:
    case 429:
      return as('busy', `Fewer requests are asked for by iconik. ${retried}`);
  }
  if (status >= 500) return as('busy', `There is a failure in iconik (${status}). ${retried}`);
  if (status >= 300 && status < 400)
    return as('redirected', 'Something sends elsewhere in place of iconik, where the token does not follow. Tell the operator.');
  return as('misconfigured', `The request was refused by iconik (${status}). Check the storage in iconik, or ask the operator.`);
}

/** How S3 and Cloud Storage name what a transfer meets at an address that iconik has signed. */
const storageCodes: Readonly<Record<string, readonly [code: ProviderErrorCode, message: string]>> = {
  ExpiredToken: ['expired', "An address of iconik's is over. A new one is asked for."],
  NoSuchUpload: ['upload_gone', 'The bucket behind iconik has ended this upload. The file is sent from its beginning.'],
  InvalidPart: ['part_missing', 'The bucket behind iconik does not have all parts of the file. They are compared again.'],
  InvalidPartOrder: ['part_missing', 'The bucket behind iconik does not have all parts of the file. They are compared again.'],
  EntityTooSmall: ['part_missing', 'The bucket behind iconik does not have all parts of the file. They are compared again.'],
  EntityTooLarge: ['too_large', 'The bucket behind iconik takes no file of this size. Send it as several files.'],
  BadDigest: ['corrupted', 'Bytes arrived changed at the bucket behind iconik, which dropped them. They are sent again.'],
  IncompleteBody: ['corrupted', 'Not all bytes arrived at the bucket behind iconik. They are sent again.'],
  NoSuchBucket: ['no_destination', 'The bucket behind the storage in iconik does not exist any more. Correct the storage in iconik.'],
  NoSuchKey: ['not_found', 'The file is known to iconik, but does not lie in its bucket any more.'],
  QuotaExceeded: ['full', 'The bucket behind iconik is full, or its quota is used up. Make room, then retry.'],
  InsufficientStorage: ['full', 'The bucket behind iconik is full, or its quota is used up. Make room, then retry.'],
  InvalidObjectState: ['archived', 'The file lies in cold storage and cannot be read. Restore it in iconik first, then retry.'],
};

/** What the bucket's answer means, at an address that iconik has signed. Its own message may repeat the address. */
export function storageError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const text = bytes.toString();
  const name = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? '';
  const options = { answered: `${name} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  const as = (code: ProviderErrorCode, words: string) => new ProviderError(code, words, options);
  const known = Object.hasOwn(storageCodes, name) ? storageCodes[name] : undefined;
  if (known) return as(...known);
  if (status === 416) return as('range_not_satisfiable', 'The file in iconik is shorter than it was said to be. Begin again.');
  if (status === 404) return as(...storageCodes['NoSuchKey']!);
  if (status === 507) return as(...storageCodes['InsufficientStorage']!);
  if (status === 403 || status === 401) {
    if (/expired/i.test(text)) return as(...storageCodes['ExpiredToken']!);
    return as(
      'forbidden',
      'The bucket behind iconik does not allow this. Give the credentials of the storage in iconik the permissions that docs/connections/iconik.md lists.',
    );
  }
  if (status >= 500 || status === 408 || status === 429 || name === 'RequestTimeout')
    return as('busy', 'The bucket behind iconik is busy. It is tried again; if that goes on, look at the status page of its provider.');
  if (status >= 300 && status < 400)
    return as('redirected', 'The bucket behind iconik lies elsewhere. Correct the region of the storage in iconik.');
  return as('misconfigured', `The bucket behind iconik refused the request (${options.answered}). Check the storage in iconik.`);
}
