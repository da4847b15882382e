import { isAbsolute, join, relative } from 'node:path';
import { AgentError } from '#protocol/errors.ts';
import type { Asking } from '../engine.ts';
import { firstMissing } from '../folders/empty-folders.ts';
import { openFolder } from '../folders/safe-root.ts';
import { checkRoots } from '../folders/scan.ts';
import type { JobPorts } from './job.ts';
import type { DownloadRecord, Newcomer, UploadRecord } from './record.ts';
import type { PackageDownload, PackageUpload } from './token-requests.ts';

/** The records of transfers of a package whose token the caller has. */

const restrictionOf = (asking: Asking | undefined): { readonly restricted?: true } => (asking?.restricted ? { restricted: true } : {});

/** The record of such a download. `path_not_absolute`, `path_unreadable`, `path_outside`. */
export function packageDownload(jobs: JobPorts, common: Newcomer, request: PackageDownload, asking: Asking | undefined): DownloadRecord {
  if (!isAbsolute(request.dstFolder)) throw new AgentError('path_not_absolute', { path: request.dstFolder });
  const missing = firstMissing(request.dstFolder, jobs.fileSystem);
  const folder = openFolder(request.dstFolder, asking?.restricted ? jobs.pathGuard : null, jobs.fileSystem);
  const { teamId, sessionId } = request;
  return {
    ...common,
    kind: 'download',
    name: request.name,
    totalBytes: request.totalBytes ?? 0,
    request: {
      serviceUrl: request.serviceUrl,
      source: { kind: 'package', ...(teamId === undefined ? {} : { teamId }), ...(sessionId === undefined ? {} : { sessionId }) },
      dstFolder: request.dstFolder,
      fileIds: request.fileIds ?? null,
      createPackageFolder: request.createPackageFolder,
      // Nobody is there to be asked: the folder was chosen for this.
      allowHidden: true,
      collision: request.collision,
      ...(request.cutsLongNames ? { cutsLongNames: true } : {}),
    },
    facts: {
      packageId: request.packageId,
      root: '',
      planned: false,
      ...madeBy(missing, request.dstFolder, folder),
      ...restrictionOf(asking),
    },
    secrets: { packageToken: request.token },
  };
}

/** The uppermost folder that was made, by its real path. */
function madeBy(missing: string | null, asked: string, real: string): { readonly made?: string } {
  if (missing === null) return {};
  return { made: join(real, relative(asked, missing)) };
}

/**
 * The record of such an upload. It adds files to a package of somebody else, who finalizes it. `path_not_found`,
 * `path_outside`.
 */
export function packageUpload(jobs: JobPorts, common: Newcomer, request: PackageUpload, asking: Asking | undefined): UploadRecord {
  const paths = request.files.map(({ local }) => local);
  if (asking?.restricted) for (const path of paths) jobs.pathGuard(path);
  checkRoots(paths, jobs.fileSystem);
  return {
    ...common,
    kind: 'upload',
    name: request.name,
    request: {
      serviceUrl: request.serviceUrl,
      teamId: '',
      paths,
      description: '',
      recipients: [],
      autoFinalize: false,
      intoPackage: { names: request.files.map(({ name }) => name) },
    },
    added: [],
    facts: { scanned: false, package: { state: 'open', id: request.packageId }, ...restrictionOf(asking) },
    secrets: { packageToken: request.token },
  };
}
