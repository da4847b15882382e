import { S3ServiceException } from '@aws-sdk/client-s3';
import { ProviderError, type ProviderErrorCode, type ProviderErrorOptions } from '../errors.ts';
import { networkError } from '../http/network-errors.ts';
import { retryAfterOf } from '../http/retry-after.ts';

const retried = 'It is tried again; if that goes on, ask its operator.';

/** What S3 servers call their failures, and what to say of them. */
const known: Readonly<Record<string, readonly [code: ProviderErrorCode, message: string]>> = {
  SlowDown: ['busy', `The storage asks for fewer requests. ${retried}`],
  RequestTimeout: ['busy', `The storage waited too long for bytes. ${retried}`],
  ServiceUnavailable: ['busy', `The storage is busy. ${retried}`],
  InternalError: ['busy', `The storage has a failure of its own. ${retried}`],
  ConditionalRequestConflict: ['busy', `The storage is busy with another request for the same object. ${retried}`],
  OperationAborted: ['busy', `The storage is busy with another request for the same object. ${retried}`],
  Throttling: ['busy', `The storage asks for fewer requests. ${retried}`],
  ThrottlingException: ['busy', `The storage asks for fewer requests. ${retried}`],
  TooManyRequests: ['busy', `The storage asks for fewer requests. ${retried}`],
  RequestRateLimitExceeded: ['busy', `The storage asks for fewer requests. ${retried}`],
  BadDigest: ['corrupted', 'Bytes arrived changed at the storage, which dropped them. They are sent again.'],
  InvalidDigest: ['corrupted', 'Bytes arrived changed at the storage, which dropped them. They are sent again.'],
  IncompleteBody: ['corrupted', 'Not all bytes arrived at the storage. They are sent again.'],
  ExpiredToken: ['expired', 'The session of the role is over. If it cannot be renewed, check the role.'],
  ExpiredTokenException: ['expired', 'The session of the role is over. If it cannot be renewed, check the role.'],
  TokenRefreshRequired: ['expired', 'The session of the role is over. If it cannot be renewed, check the role.'],
  InvalidToken: ['expired', 'The storage does not take the session of the role. If it cannot be renewed, check the role.'],
  RequestTimeTooSkewed: [
    'clock_skew',
    "The clocks of this service and the storage differ too much. Set this service's clock by a time server.",
  ],
  AuthorizationHeaderMalformed: ['wrong_region', 'The region does not match the bucket. Enter the region that the bucket lies in.'],
  PermanentRedirect: ['wrong_region', 'The bucket lies in another region, or behind another endpoint. Correct region and endpoint.'],
  IllegalLocationConstraintException: ['wrong_region', 'The bucket lies in another region. Correct the region.'],
  InvalidAccessKeyId: ['credentials_refused', 'The storage does not know this access key ID. Check it, or make a new key.'],
  SignatureDoesNotMatch: ['credentials_refused', 'The secret access key is not the one of this access key ID. Enter both again.'],
  AccountProblem: ['credentials_refused', 'There is a problem with the account at the storage. Its owner must look there.'],
  InvalidSecurity: ['credentials_refused', 'The storage does not take these credentials. Enter them again.'],
  AccessDenied: [
    'forbidden',
    'The storage does not allow this. Check that access key and secret are right, and that the policy allows what docs/connections.md lists.',
  ],
  AllAccessDisabled: ['forbidden', 'All access to this bucket is disabled. Its owner must enable it.'],
  NoSuchBucket: ['no_destination', 'There is no bucket of this name at the storage. Make it, or correct destination, endpoint and region.'],
  InvalidBucketName: ['no_destination', 'This is no possible name of a bucket. Correct the destination.'],
  QuotaExceeded: ['full', 'The quota at the storage is used up. Make room or raise the quota, then retry.'],
  InsufficientStorage: ['full', 'The storage is full. Make room, then retry.'],
  XMinioStorageFull: ['full', 'The storage is full. Make room, then retry.'],
  InvalidStorageClass: ['misconfigured', 'The storage does not have this storage class. Choose another, or none.'],
  NotImplemented: ['misconfigured', 'The storage does not do what is needed here. Check the kind of provider, or ask its operator.'],
  MethodNotAllowed: ['misconfigured', 'The storage does not do what is needed here. Check endpoint and kind of provider.'],
  NoSuchUpload: ['upload_gone', 'The storage has ended this upload. The file is sent from its beginning.'],
  InvalidPart: ['part_missing', 'The storage does not have one of the parts. It is sent again.'],
  InvalidPartOrder: ['part_missing', 'The storage does not have the parts in order. They are compared again.'],
  EntityTooSmall: ['misconfigured', 'The storage takes only larger parts. Choose the kind of provider that it really is.'],
  EntityTooLarge: ['too_large', 'The storage takes no file of this size. Send it as several files.'],
  NoSuchKey: ['not_found', 'There is no such file at the storage any more.'],
  NotFound: ['not_found', 'There is no such file at the storage any more.'],
  PreconditionFailed: ['changed', 'The file at the storage was changed meanwhile. Begin again with the file as it is now.'],
  InvalidRange: ['range_not_satisfiable', 'The file at the storage is shorter than it was said to be. Begin again.'],
  InvalidObjectState: ['archived', 'The file lies in cold storage and cannot be read. Restore it at the storage first, then retry.'],
  KeyTooLongError: ['name_refused', 'The path is longer than the storage takes. Shorten the names of folders or of the file.'],
};

const byStatus: Readonly<Record<number, keyof typeof known>> = {
  301: 'PermanentRedirect',
  403: 'AccessDenied',
  404: 'NotFound',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  416: 'InvalidRange',
  429: 'TooManyRequests',
  501: 'NotImplemented',
  507: 'InsufficientStorage',
};

/** The header or element in which a server names the bucket's region. */
export function regionIn(error: unknown): string | null {
  if (!(error instanceof S3ServiceException)) return null;
  const named = error.$response?.headers['x-amz-bucket-region'] ?? ('Region' in error ? error.Region : undefined);
  return typeof named === 'string' && /^[a-z0-9-]{1,40}$/.test(named) ? named : null;
}

/**
 * A failure of the S3 server or of the way to it, in words. The server's own message is left out, since it may repeat parts
 * of the request; its code and status stay for the log. Anything else, such as an error of our own stream, is given back.
 */
export function s3Error(error: unknown, now: Date): unknown {
  if (error instanceof ProviderError) return error;
  if (error instanceof Error && error.name === 'CredentialsProviderError') {
    return new ProviderError(
      'misconfigured',
      'This service has no identity of its own at AWS, which is needed to assume a role. Its operator must set one, or the connection must use an access key.',
    );
  }
  if (!(error instanceof S3ServiceException)) return isOfTheNetwork(error) ? networkError(error) : error;
  const status = error.$metadata.httpStatusCode ?? 0;
  const options: ProviderErrorOptions = {
    answered: `${error.name} ${status}`,
    retryAfter: retryAfterOf(error.$response?.headers['retry-after'], now),
  };
  if (isCap(error)) return new ProviderError('full', capMessage, options);
  const found = known[error.name] ?? known[byStatus[status] ?? ''];
  if (found) return new ProviderError(...found, options);
  if (status === 307) {
    return new ProviderError(
      'redirected',
      'The storage sends elsewhere. A new bucket may need some minutes; else correct the endpoint.',
      options,
    );
  }
  if (status >= 500) return new ProviderError('busy', `The storage has a failure of its own (${status}). ${retried}`, options);
  if (status === 401)
    return new ProviderError('credentials_refused', 'The storage does not take these credentials. Enter them again.', options);
  if (status >= 200 && status < 300)
    return new ProviderError('bad_answer', `The storage answered with an error of its own. ${retried}`, options);
  return new ProviderError(
    'misconfigured',
    `The storage refused the request (${error.name}). Check endpoint, region, bucket and kind of provider.`,
    options,
  );
}

/** Backblaze names a reached cap only in the message of its `AccessDenied`. */
const isCap = ({ name, message }: S3ServiceException): boolean => name === 'AccessDenied' && /\bcap exceeded\b/i.test(message);
const capMessage =
  'A cap of the account at the storage is reached. Raise it where the storage lists its caps (Caps & Alerts at Backblaze), or wait until it is counted anew, then retry.';

/** Errors of sockets, TLS and DNS have codes; an answer that is no XML fails in the SDK's reader. */
const isOfTheNetwork = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && typeof error.code === 'string') || '$metadata' in error || '$response' in error);
