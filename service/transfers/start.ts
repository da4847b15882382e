import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { CreateCloudTransfer } from '#protocol/hosted/transfers.ts';
import { limits } from '#protocol/limits.ts';
import { type Direction, providers } from '#protocol/providers.ts';
import { newAuthorization } from '../connections/authorization.ts';
import { checkConnectionRules } from '../connections/rules.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import { linkIdOf } from '../files/download-url.ts';
import type { Context } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { checkAccessLimit } from '../links/access-limit.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { managePackage, seePackage } from '../packages/access.ts';
import { addTransfers, destinationOf, destinationOfConnection, type NewTransfer } from './create.ts';
import { addItems } from './import/add-items.ts';
import { checkSelection } from './import/selection.ts';
import type { TransferRow } from './record.ts';
import { sealSingleUse } from './sealed.ts';

type Starting = Context<CredentialOf<'package:manage' | 'package:read'>>;

const refuse = (detail: string): ApiError => new ApiError('invalid_request', { detail });

/**
 * Whether the caller may start this transfer (contract/transfers.md §1): the read token of a link brings credentials of its own,
 * a management token may use the Team's connections too. Errors: `not_allowed`, and those of the package and the link.
 */
export async function authoriseStart(context: Starting, packageId: string, body: CreateCloudTransfer): Promise<void> {
  const { credential } = context;
  if (credential.kind === 'package:manage') {
    await managePackage({ ...context, credential }, packageId);
    return;
  }
  await seePackage({ ...context, credential }, packageId);
  linkIdOf(credential);
  if (body.files !== undefined) {
    throw new ApiError('not_allowed', { detail: "A link's token brings no files into the package." });
  }
  if (body.cloud_connection_id !== undefined) {
    throw new ApiError('not_allowed', {
      detail: "A link's token does not use connections of the Team. Bring credentials of your own, in single_use.",
    });
  }
}

/** Adds a transfer of a package, out of it or into it, within a transaction. The caller has authorised it. */
export async function startTransfer(context: Starting, packageId: string, body: CreateCloudTransfer): Promise<TransferRow> {
  const { db, now, credential } = context;
  const { cloud_connection_id: connectionId, single_use: singleUse } = body;
  if ((connectionId === undefined) === (singleUse === undefined)) {
    throw refuse('cloud_connection_id: give either this or single_use, and not both.');
  }
  // The lock keeps the package from being ended, and its transfers from becoming too many, meanwhile.
  const row = await db
    .selectFrom('packages')
    .select(['team_id', 'state', 'expiry', 'size', 'total_files'])
    .where('id', '=', packageId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  const id = newId();
  const { sources, ...where } = singleUse
    ? fromSingleUse(context, id, singleUse, body.files === undefined ? 'service_to_cloud' : 'cloud_to_service')
    : await fromConnection(context, row.team_id, connectionId!);
  const isImport = where.direction === 'cloud_to_service';
  if (isImport) {
    requireUnfinished(row);
    checkSelection(body.files, sources);
  } else {
    requireDeliverable(row, now());
    if (body.finalize) throw refuse('finalize: only a transfer from the cloud to the service finalizes its package.');
    if (body.files !== undefined) throw refuse('files: only a transfer from the cloud to the service takes a list of files.');
  }
  await requireRoom(context, packageId, singleUse !== undefined);
  if (credential.kind === 'package:read') await countAsDownload(context, credential);
  const [transfer] = await addTransfers(db, context, [
    {
      ...where,
      id,
      package_id: packageId,
      filter_rules: null,
      // What comes in is counted when it begins.
      total_bytes: isImport ? 0 : Number(row.size),
      total_files: isImport ? 0 : row.total_files,
      notify_email: body.notify_email ?? '',
      notify_language: mailLanguageOf(context.languages),
      finalize_as: isImport && body.finalize ? credential.userId : null,
    },
  ]);
  if (isImport) await addItems(db, id, body.files!);
  return transfer!;
}

/** Errors: `state_conflict` before the package is finalized, `package_expired` after its end. */
export function requireDeliverable(row: { readonly state: string; readonly expiry: Date | null }, now: Date): void {
  if (row.state === 'new') {
    throw new ApiError('state_conflict', { detail: 'This package is not finalized yet. Finalize it, then transfer it.' });
  }
  if (row.state !== 'finalized' || (row.expiry !== null && row.expiry <= now)) throw new ApiError('package_expired');
}

/** Errors: `state_conflict` once the package is finalized, `package_expired` after its end. */
export function requireUnfinished(row: { readonly state: string }): void {
  if (row.state === 'finalized') {
    throw new ApiError('state_conflict', { detail: 'This package is finalized, so no more files come into it. Make a new one.' });
  }
  if (row.state !== 'new') throw new ApiError('package_expired');
}

interface Where
  extends Pick<
    NewTransfer,
    'direction' | 'provider' | 'cloud_connection_id' | 'sealed_authorization' | 'destination' | 'target_directory_id'
  > {
  /** The folders that files may come from; none: all. */
  readonly sources: readonly string[];
}

async function fromConnection({ db, seal }: Starting, teamId: string, connectionId: string): Promise<Where> {
  const row = isId(connectionId)
    ? await db
        .selectFrom('cloud_connections')
        .select(['id', 'provider', 'direction', 'target_directory_id', 'source_directory_ids', 'sealed_authorization'])
        .where('id', '=', connectionId)
        .where('team_id', '=', teamId)
        .where('deleted_at', 'is', null)
        .forShare()
        .executeTakeFirst()
    : undefined;
  if (!row) throw new ApiError('not_found', { resource: 'connection of this Team (in cloud_connection_id)' });
  return {
    direction: row.direction,
    sources: row.source_directory_ids,
    provider: row.provider,
    cloud_connection_id: row.id,
    sealed_authorization: null,
    destination: destinationOfConnection(seal, row),
    target_directory_id: row.target_directory_id,
  };
}

function fromSingleUse({ seal }: Starting, id: string, sent: NonNullable<CreateCloudTransfer['single_use']>, direction: Direction): Where {
  const { provider, target_directory_id: target = '' } = sent;
  if (providers[provider].gateway) throw refuse(`single_use.provider: ${providers[provider].label} needs a connection with its gateway.`);
  // A role is assumed by the service itself, so whose it is has to be known.
  if (sent.authorization['role_arn'] !== undefined) throw refuse('single_use.authorization.role_arn: a role needs a connection of a Team.');
  checkConnectionRules({ provider, authorization: sent.authorization, target_directory_id: target }, direction);
  const authorization = newAuthorization(provider, direction, sent.authorization);
  return {
    direction,
    sources: [],
    provider,
    cloud_connection_id: null,
    sealed_authorization: sealSingleUse(seal, id, authorization),
    destination: destinationOf(provider, authorization),
    target_directory_id: target,
  };
}

async function requireRoom({ db }: Starting, packageId: string, isSingleUse: boolean): Promise<void> {
  const { transfersPerPackage: most, singleUseTransfersPerPackage: mostSingleUses } = limits;
  const count = await db
    .selectFrom('cloud_transfers')
    .select([sql<string>`count(*)`.as('all'), sql<string>`count(*) filter (where cloud_connection_id is null)`.as('single_uses')])
    .where('package_id', '=', packageId)
    .executeTakeFirstOrThrow();
  if (Number(count.all) >= most) {
    throw new ApiError('over_limit', { detail: `A package has at most ${most} transfers. Retry one that failed or was cancelled.` });
  }
  if (isSingleUse && Number(count.single_uses) >= mostSingleUses) {
    throw new ApiError('over_limit', {
      detail: `A package has at most ${mostSingleUses} transfers with single-use credentials. Download it, or have its Team transfer it by a connection.`,
    });
  }
}

/** A transfer takes the package's files, as a download does. */
async function countAsDownload(context: Starting, credential: CredentialOf<'package:read'>): Promise<void> {
  const linkId = linkIdOf(credential);
  const link = await context.db.selectFrom('links').select('access_limit').where('id', '=', linkId).executeTakeFirst();
  if (link && link.access_limit > 0) await checkAccessLimit(context, linkId, credential.tokenId);
}
