import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import type { HandoverFile } from '#protocol/hosted/handovers.ts';
import type { Asking } from '../asking.ts';
import { openFolder } from '../folders/safe-root.ts';
import { bodyOf } from '../transfer/failures.ts';
import type { JobPorts } from '../transfer/job.ts';
import type { Collision, DownloadRecord, Newcomer, NewFile, RemoteFile, UploadRecord } from '../transfer/record.ts';
import type { MatchedFile } from './match-files.ts';
import type { HandoverLink, ReadHandover } from './read-handover.ts';

/** The records of transfers that a browser has begun. */

export interface Handed {
  readonly link: HandoverLink;
  readonly handover: ReadHandover;
  /** The agent's own secret for taking it over. */
  readonly claim: string;
  readonly asking: Asking | undefined;
}

/** What stays of a code: it is a secret only until it is used up, but nobody has to know it afterwards. */
export const digestOfCode = (code: string): string => createHash('sha256').update(code).digest('hex');

const restrictionOf = (asking: Asking | undefined): { readonly restricted?: true } => (asking?.restricted ? { restricted: true } : {});

/** The record of an upload that goes on. Its files are in the table already: what else is in their folders is not sent. */
export function adoptedUpload(common: Newcomer, { link, handover, claim, asking }: Handed, paths: readonly string[]): UploadRecord {
  const { portal, team_id: teamId = '', package_id: packageId, package_name: name, sender } = handover;
  return {
    ...common,
    kind: 'upload',
    name,
    request: {
      serviceUrl: link.service,
      teamId,
      paths,
      description: '',
      recipients: [],
      autoFinalize: true,
      adopted: true,
      handoverDigest: digestOfCode(link.code),
      // Only members make links of what they send.
      ...(teamId === '' ? { portal: { id: portal?.id ?? '', name: portal?.name ?? '', sender } } : {}),
    },
    added: [],
    facts: { scanned: true, rootsScanned: paths.length, package: { state: 'open', id: packageId }, ...restrictionOf(asking) },
    secrets: { handover: { code: link.code, claim } },
  };
}

/** The record of a download that goes on. `path_not_absolute`, `path_unreadable`, `path_outside`. */
export function adoptedDownload(
  jobs: JobPorts,
  common: Newcomer,
  { link, handover, claim, asking }: Handed,
  into: { readonly dstFolder: string; readonly createPackageFolder: boolean; readonly collision: Collision },
): DownloadRecord {
  if (!isAbsolute(into.dstFolder)) throw new AgentError('path_not_absolute', { path: into.dstFolder });
  openFolder(into.dstFolder, asking?.restricted ? jobs.pathGuard : null, jobs.fileSystem);
  return {
    ...common,
    kind: 'download',
    name: handover.package_name,
    request: {
      serviceUrl: link.service,
      source: { kind: 'package' },
      fileIds: handover.fileIds.length === 0 ? null : handover.fileIds,
      handoverDigest: digestOfCode(link.code),
      ...into,
    },
    facts: { packageId: handover.package_id, root: '', planned: false, ...restrictionOf(asking) },
    secrets: { handover: { code: link.code, claim } },
  };
}

/**
 * The rows of an upload's files: what is sent counts as complete, what was found goes on from its confirmed chunks, and
 * what is changed or missing has failed, so that a person decides.
 */
export function rowsOf(matched: readonly MatchedFile[]): NewFile[] {
  return matched.map((one): NewFile => {
    const { file, local } = one;
    const entry = {
      kind: file.kind,
      path: file.path,
      name: file.name,
      local,
      size: file.kind === 'directory' ? 0 : file.size,
      modifiedAt: Date.parse(file.last_modified),
      inode: '',
    };
    if (file.sent) return { ...entry, state: 'complete', ...(file.digest ? { digest: file.digest } : {}) };
    if (one.state === 'found') {
      const { size, mtimeMs, inode } = one.stamp;
      return { ...entry, size, modifiedAt: mtimeMs, inode, ...remoteOf(file) };
    }
    if (one.state === 'not_needed') return entry;
    return { ...entry, ...remoteOf(file), state: 'error', error: bodyOf(faultOf(one)) };
  });
}

function remoteOf({ file_id, upload_id, chunk_size, chunk_checksum }: HandoverFile): { readonly remote?: RemoteFile } {
  if (!file_id || !upload_id || !chunk_size) return {};
  return {
    remote: { state: 'open', fileId: file_id, uploadId: upload_id, chunkSize: chunk_size, chunkChecksum: chunk_checksum ?? 'none' },
  };
}

function faultOf({ file, local, state }: MatchedFile): TransferError | ApiError {
  const path = local === '' ? `${file.path === '' ? '' : `${file.path}/`}${file.name}` : local;
  if (state === 'missing') return new AgentError('path_not_found', { path });
  return new TransferError(
    'file_changed',
    `${path} is not as it was when the browser began to send it. Try again to send it as it is now.`,
  );
}
