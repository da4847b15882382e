import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import { retryAfterOf } from '../http/retry-after.ts';
import { dateProblem, lacksPermission, type Permission, type Sas } from './sas.ts';

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The permission that the request wants. */
  readonly needs: Permission;
  readonly sas: Sas;
  readonly now: Date;
}

type Explain = (refusal: Refusal) => readonly [ProviderErrorCode, string];

const says = (code: ProviderErrorCode, message: string): Explain => {
  const explained = [code, message] as const;
  return () => explained;
};

/** Azure's own clock, since it is the one that counts. */
const clockOf = ({ headers, now }: Refusal): Date => {
  const date = new Date(headers['date'] ?? '');
  return Number.isNaN(date.getTime()) ? now : date;
};

const refusedSignature: Explain = (refusal) => [
  'credentials_refused',
  dateProblem(refusal.sas, clockOf(refusal)) ??
    "Azure refuses the SAS: its URL is not complete, or the account's key or the stored access policy behind it has changed, or the account's firewall keeps this service out. Make a new SAS and enter its whole URL; if it is refused as well, allow this service in the account's network settings.",
];

const wrongScope = (what: string): Explain =>
  says(
    'forbidden',
    `The SAS is ${what}. Make a SAS for the Blob service (ss=b) with the resource types Container and Object (srt=co), and enter its URL.`,
  );

const noContainer = says(
  'no_destination',
  'There is no such container in this storage account. Check its name and the account in the URL, or make the container.',
);
const busy = says('busy', 'Azure asks for patience. It is tried again.');
const archived = says(
  'archived',
  'The file lies in the archive tier. Change its tier to hot or cool in Azure, wait until that is done, and try again.',
);
const inUse = says(
  'exists',
  'There is a file of that name which Azure does not let be replaced: it has a lease, a snapshot or another type of blob. Remove it, or use another name.',
);

/** What Azure's codes (`x-ms-error-code`) mean here. */
const codes: Readonly<Record<string, Explain>> = {
  AuthenticationFailed: refusedSignature,
  AuthorizationFailure: refusedSignature,
  NoAuthenticationInformation: refusedSignature,
  InvalidAuthenticationInfo: refusedSignature,
  AuthorizationPermissionMismatch: ({ sas, needs }) => ['forbidden', lacksPermission(sas, needs)],
  UnauthorizedBlobOverwrite: ({ sas }) => ['forbidden', lacksPermission(sas, 'w')],
  AuthorizationResourceTypeMismatch: wrongScope('not for containers and objects (srt)'),
  AuthorizationServiceMismatch: wrongScope('not for the Blob service (ss)'),
  AuthorizationProtocolMismatch: says('misconfigured', 'The SAS allows HTTPS alone (spr=https). Enter its URL with https://.'),
  AccountRequiresHttps: says('misconfigured', 'The storage account takes HTTPS alone. Enter the URL with https://.'),
  AuthorizationSourceIPMismatch: ({ sas }) => [
    'forbidden',
    `The SAS may be used only from ${sas.addresses || 'certain addresses'} (sip), and this service is not there. Make one without that limit or with this service's address.`,
  ],
  KeyBasedAuthenticationNotPermitted: says(
    'forbidden',
    'The storage account refuses a SAS that is signed with its key. Allow access with the account key in its configuration, or make a user delegation SAS for the container.',
  ),
  AccountIsDisabled: says('credentials_refused', 'The storage account is disabled. Ask who pays for it.'),
  InsufficientAccountPermissions: says('credentials_refused', 'The storage account may only be read now. Ask who administers it.'),
  ContainerNotFound: noContainer,
  ContainerDisabled: noContainer,
  ContainerBeingDeleted: says('no_destination', 'The container is being deleted. Choose another one, or make it again when that is done.'),
  BlobNotFound: says('not_found', 'There is no such file any more.'),
  BlobAlreadyExists: says('exists', 'There is a file of that name already.'),
  ConditionNotMet: says('changed', 'The file has changed since reading began. Begin again.'),
  InvalidRange: says('range_not_satisfiable', 'The file is shorter than that.'),
  BlobArchived: archived,
  BlobBeingRehydrated: archived,
  InvalidBlobTier: archived,
  BlobImmutableDueToPolicy: says(
    'exists',
    'A policy of the container keeps this file as it is. Use another name, or ask who set the policy.',
  ),
  LeaseIdMissing: inUse,
  LeaseIdMismatchWithBlobOperation: inUse,
  SnapshotsPresent: inUse,
  InvalidBlobType: inUse,
  InvalidBlockList: says('part_missing', 'Azure has not got all parts of the file. What is missing is sent again.'),
  InvalidBlobOrBlock: says('upload_gone', 'Another program sends parts to the same file. The file is begun again.'),
  Md5Mismatch: says('corrupted', 'The bytes that arrived at Azure are not those that were sent. They are sent again.'),
  BlockCountExceedsLimit: says('too_large', 'Azure has too many unfinished parts of this file. They end by themselves within a week.'),
  BlockListTooLong: says('too_large', 'The file has more parts than Azure takes.'),
  RequestBodyTooLarge: says('too_large', 'A part is larger than Azure takes.'),
  InvalidUri: says('name_refused', 'Azure cannot hold a file of this name. Send it under another one.'),
  OutOfRangeInput: says('name_refused', 'Azure cannot hold a file of this name. Send it under another one.'),
  InvalidResourceName: says('name_refused', 'Azure cannot hold a file of this name. Send it under another one.'),
  ServerBusy: busy,
  InternalError: busy,
  OperationTimedOut: busy,
};

const byStatus: Explain = (refusal) => {
  const { status } = refusal;
  if (status === 401 || status === 403) return refusedSignature(refusal);
  if (status === 408 || status === 429 || status >= 500) return busy(refusal);
  if (status === 412) return codes['ConditionNotMet']!(refusal);
  if (status === 416) return codes['InvalidRange']!(refusal);
  if (status >= 300 && status < 400) {
    return [
      'redirected',
      'The address sends on to another one, where the SAS is not sent. Enter the address of the storage account itself.',
    ];
  }
  return [
    'bad_answer',
    `The storage refuses the request (${status}) for a reason that is not known here. Check that the URL is that of a Blob service.`,
  ];
};

/** What a refusal means. */
export function azureError(refusal: Refusal): ProviderError {
  const { status, headers, now } = refusal;
  const code = headers['x-ms-error-code'] ?? '';
  const [kind, message] = (Object.hasOwn(codes, code) ? codes[code]! : byStatus)(refusal);
  return new ProviderError(kind, message, { retryAfter: retryAfterOf(headers['retry-after'], now), answered: `${code} ${status}`.trim() });
}
