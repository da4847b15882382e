import { isAbsolute } from 'node:path';
import { parseDownloadLink } from '#client/link.ts';
import type { Fetcher } from '#client/ports.ts';
import type { CreatePortalUpload } from '#protocol/agent/portal-uploads.ts';
import type { CreateDownload, CreateUpload } from '#protocol/agent/transfers.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Asking } from '../engine.ts';
import { ownHomes, refuseHiddenNames } from '../folders/hidden-names.ts';
import { openFolder } from '../folders/safe-root.ts';
import { checkRoots } from '../folders/scan.ts';
import type { Clock } from '../ports.ts';
import type { Session } from '../session/session.ts';
import type { AgentSettings } from '../settings.ts';
import { checkedDueAt } from './deadlines/due-at.ts';
import { fetchListing, wantedOf } from './download/listing.ts';
import { openLink } from './download/read-client.ts';
import { type JobPorts, packageClient } from './job.ts';
import { openPortal } from './portal.ts';
import { portalService } from './previews.ts';
import type { DownloadRecord, Newcomer, UploadRecord } from './record.ts';

/**
 * The records of transfers that the local API is asked for (contract/agent.md §3). What cannot work is refused here.
 */

interface NewTransferPorts {
  /** The agent's own service, for Portals without another. */
  readonly serviceUrl: string;
  readonly session: Pick<Session, 'findFor'>;
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly jobs: JobPorts;
  readonly clock: Pick<Clock, 'now'>;
}

/** @param dueAt milliseconds since 1970 */
type MakeNewcomer = (dueAt: number | undefined) => Newcomer;

const restrictionOf = (asking: Asking | undefined): { readonly restricted?: true } => (asking?.restricted ? { restricted: true } : {});

/** `session_is_nil`, `path_not_found`, `path_not_absolute`, `path_unreadable`, `path_outside`; `invalid_request` for a past `expiry` or `due_at`. */
export async function newUpload(
  { session, jobs, clock }: NewTransferPorts,
  newcomer: MakeNewcomer,
  request: CreateUpload,
  asking: Asking | undefined,
): Promise<UploadRecord> {
  const dueAt = request.due_at === undefined ? undefined : checkedDueAt(request.due_at, clock.now());
  const sending = await session.findFor(request.team_id, request.session_id);
  if (request.expiry !== undefined && Date.parse(request.expiry) <= clock.now()) {
    throw new AgentError('invalid_request', { detail: 'The field expiry lies in the past.' });
  }
  checkRoots(request.paths, jobs.fileSystem);
  return {
    ...newcomer(dueAt),
    kind: 'upload',
    name: request.package_name,
    request: {
      serviceUrl: sending.serviceUrl,
      sessionId: sending.id,
      teamId: request.team_id,
      paths: request.paths,
      description: request.package_description ?? '',
      recipients: request.recipients,
      ...(request.access_limit === undefined ? {} : { accessLimit: request.access_limit }),
      ...(request.expiry === undefined ? {} : { expiry: request.expiry }),
      ...(request.unlimited_storage === undefined ? {} : { unlimitedStorage: request.unlimited_storage }),
      ...(request.chunk_size === undefined ? {} : { chunkSize: request.chunk_size }),
      ...(request.notify === undefined ? {} : { notify: request.notify }),
      ...(request.verify_recipient === undefined ? {} : { verifyRecipient: request.verify_recipient }),
      autoFinalize: request.auto_finalize ?? true,
    },
    added: [],
    facts: { scanned: false, package: { state: 'none' }, ...restrictionOf(asking) },
    secrets: request.password ? { password: request.password } : {},
  };
}

/** Asks the Portal's service whether it may: its errors are those of the service. */
export async function newPortalUpload(
  { serviceUrl, jobs, clock }: NewTransferPorts,
  newcomer: MakeNewcomer,
  request: CreatePortalUpload,
  asking: Asking | undefined,
): Promise<UploadRecord> {
  const dueAt = request.due_at === undefined ? undefined : checkedDueAt(request.due_at, clock.now());
  checkRoots(request.paths, jobs.fileSystem);
  const portalUrl = portalService(request, serviceUrl);
  const portal = await openPortal(jobs, portalUrl, request);
  return {
    ...newcomer(dueAt),
    kind: 'upload',
    name: request.package_name,
    request: {
      serviceUrl: portalUrl,
      teamId: '',
      paths: request.paths,
      description: request.package_description,
      recipients: [],
      ...(request.chunk_size === undefined ? {} : { chunkSize: request.chunk_size }),
      autoFinalize: request.auto_finalize ?? true,
      portal: { ...portal, sender: request.sender },
    },
    added: [],
    facts: { scanned: false, package: { state: 'none' }, ...restrictionOf(asking) },
    secrets: request.access_code === undefined ? {} : { accessCode: request.access_code },
  };
}

/** Opens the link, so that a wrong password is told at once; and `hidden_names` before anything is downloaded. */
export async function newDownload(
  { settings, jobs, clock }: NewTransferPorts,
  newcomer: MakeNewcomer,
  request: CreateDownload,
  asking: Asking | undefined,
): Promise<DownloadRecord> {
  const dueAt = request.due_at === undefined ? undefined : checkedDueAt(request.due_at, clock.now());
  const link = parseDownloadLink(request.url);
  if (!isAbsolute(request.dst_folder)) throw new AgentError('path_not_absolute', { path: request.dst_folder });
  const info = await openLink(jobs, {
    serviceUrl: link.baseUrl,
    linkId: link.linkId,
    secret: link.secret,
    password: request.password,
    code: request.code,
  });
  const folder = openFolder(request.dst_folder, asking?.restricted ? jobs.pathGuard : null, jobs.fileSystem);
  const { transport } = jobs;
  const asks = !request.allow_hidden && !request.create_package_folder && ownHomes(jobs.fileSystem).includes(folder);
  if (asks) {
    const client = (fetcher: Fetcher) => packageClient({ transport: { ...transport, fetcher } }, link.baseUrl, info.package_token);
    refuseHiddenNames(folder, wantedOf(await fetchListing(transport, client, info.package_id), request.file_ids ?? null));
  }
  return {
    ...newcomer(dueAt),
    kind: 'download',
    name: info.name,
    totalBytes: info.package_size,
    request: {
      serviceUrl: link.baseUrl,
      source: { kind: 'link', linkId: link.linkId, shownUrl: `${link.baseUrl}/d/${link.linkId}` },
      dstFolder: request.dst_folder,
      fileIds: request.file_ids ?? null,
      createPackageFolder: request.create_package_folder ?? false,
      ...(request.allow_hidden ? { allowHidden: true } : {}),
      collision: settings.current().name_collision,
    },
    facts: { packageId: info.package_id, root: '', planned: false, ...restrictionOf(asking) },
    secrets: {
      linkSecret: link.secret,
      ...(request.password === undefined ? {} : { password: request.password }),
      ...(info.proof === undefined ? {} : { linkProof: info.proof }),
      packageToken: info.package_token,
    },
  };
}
