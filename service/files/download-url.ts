import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Context } from '../handler.ts';
import type { Downloaded } from '../links/downloads.ts';
import { effectiveExpiry, type LinkFacts, linkStatus } from '../links/state-machine.ts';
import { requireUninfected, virusPolicy } from '../viruses/policy.ts';
import { downloadExpiry, parseDateTime } from '../wire-times.ts';
import { presignZip, zipOf } from '../zips/virtual-files.ts';
import { objectKeyOf } from './object-key.ts';

/** The columns of a link and its package that every download needs. */
export const linkColumns = [
  'packages.name as packageName',
  'packages.state as packageState',
  'packages.expiry as packageExpiry',
  'links.disabled_at as disabledAt',
  'links.expiry as linkExpiry',
  'links.access_limit as accessLimit',
  virusPolicy,
] as const;

interface LinkRow extends LinkFacts {
  readonly packageName: string;
  /** 0: unlimited. */
  readonly accessLimit: number;
}

/** The link that a read token was issued for. A token without a link can only read: `not_allowed`. */
export function linkIdOf({ linkId }: { readonly linkId: string | null }): string {
  if (linkId === null) throw new ApiError('not_allowed', { detail: 'This token reads the package. To download, open one of its links.' });
  return linkId;
}

/** Throws if no file of the package can be downloaded through this link now. */
export function requireOpenLink(row: LinkRow | undefined, now: Date): asserts row is LinkRow {
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  const link = linkStatus(row, now);
  if (!link.open) throw new ApiError(link.error, link.details);
}

/** Expiry of addresses issued now. `asked` is the time that the caller requested. */
export function urlExpiry(row: LinkRow, asked: string | undefined, now: Date): Date {
  const expiresAt = downloadExpiry(parseDateTime(asked, 'expiry'), effectiveExpiry(row), now);
  if (!expiresAt) throw new ApiError('invalid_request', { detail: 'expiry: this moment has passed already.' });
  return expiresAt;
}

/** What is downloaded: a file by its key at the storage and its name, or one of the package's zips. */
export type DownloadTarget = { readonly key: string; readonly name: string } | { readonly flavour: NonNullable<ReturnType<typeof zipOf>> };

interface DownloadedFile {
  readonly kind: string;
  readonly name: string;
  readonly object_key: string | null;
  readonly virus_detected: boolean;
  readonly damaged: boolean;
}

/** Beside `files`: whether a check has found a file's bytes damaged, and none has found them whole since. */
export const isDamaged = sql<boolean>`exists (
  select from integrity_findings where integrity_findings.package_id = files.package_id and integrity_findings.file_id = files.id and integrity_findings.kind = 'damaged'
)`.as('damaged');

/** Errors: `file_damaged`. A storage of others would give its bytes as good. */
export function requireUndamaged({ damaged }: { readonly damaged: boolean }): void {
  if (damaged) throw new ApiError('file_damaged');
}

/** What an id refers to. `not_found`, `state_conflict` for a folder, `file_infected` where the Team blocks it, `file_damaged`. */
export function downloadTarget(
  packageId: string,
  link: Pick<LinkRow, 'virusPolicy'>,
  fileId: string,
  file: DownloadedFile | undefined,
): DownloadTarget {
  const flavour = file ? null : zipOf(packageId, fileId);
  if (file?.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder has nothing to download.' });
  requireUninfected(link, file?.virus_detected ?? flavour !== null);
  if (file) requireUndamaged(file);
  if (file) return { key: objectKeyOf({ id: fileId, object_key: file.object_key }), name: file.name };
  if (flavour === null) throw new ApiError('not_found', { resource: 'file' });
  return { flavour };
}

/** What a download is recorded with (links/downloads.ts). */
export const downloadedBy = (wanted: readonly (readonly [fileId: string, DownloadTarget])[]): Downloaded =>
  wanted.some(([, target]) => 'flavour' in target) ? 'whole' : { fileIds: wanted.map(([id]) => id) };

interface OpenedPackage {
  readonly packageId: string;
  readonly packageName: string;
  readonly linkId: string;
}

/** The download address, once all checks have passed. */
export async function downloadUrl(
  context: Pick<Context, 'storage' | 'tokens' | 'urls'>,
  opened: OpenedPackage,
  wanted: DownloadTarget,
  expiresAt: Date,
): Promise<{ readonly method: 'GET'; readonly url: string }> {
  if ('flavour' in wanted) return await presignZip(context, { ...opened, flavour: wanted.flavour }, expiresAt);
  return await context.storage.presignRead(wanted.key, { expiresAt, fileName: wanted.name });
}
