import { isAbsolute } from 'node:path';
import { v7 as uuid } from 'uuid';
import { parseDownloadLink } from '#client/link.ts';
import type { Fetcher } from '#client/ports.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Asking, Engine } from '../engine.ts';
import { ownHomes, refuseHiddenNames } from '../folders/hidden-names.ts';
import { openFolder } from '../folders/safe-root.ts';
import { checkRoots } from '../folders/scan.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Clock } from '../ports.ts';
import type { Session } from '../session/session.ts';
import type { AgentSettings } from '../settings.ts';
import type { Store } from '../state/store.ts';
import { actOnBatch } from './batch-actions.ts';
import { packageDownload, packageUpload } from './by-package-token.ts';
import { type ChosenDownload, chosenDownload } from './chosen-download.ts';
import { type ChosenUpload, chosenUpload } from './chosen-upload.ts';
import { cleanUpAfter, cleanUpOnce } from './cleanup.ts';
import { createTransferControl, type TransferControl } from './control.ts';
import { fetchListing, wantedOf } from './download/listing.ts';
import { openLink } from './download/read-client.ts';
import { createForecast } from './forecast.ts';
import { type JobPorts, packageClient } from './job.ts';
import { giveNewTerms } from './new-terms.ts';
import { openPortal } from './portal.ts';
import { portalService, previewLink, previewPortal } from './previews.ts';
import type { Queue } from './queue.ts';
import type { DownloadRecord, NewFile, TransferRecord, UploadRecord } from './record.ts';
import { isOver, type Pause, type Phase } from './state-machine.ts';
import type { TransferRegistry } from './transfer-registry.ts';
import { fileView } from './view.ts';

interface TransfersPorts {
  readonly serviceUrl: string;
  readonly registry: TransferRegistry;
  readonly queue: Queue;
  readonly store: Store;
  readonly session: Session;
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly jobs: JobPorts;
  readonly limits: RateLimits;
  readonly clock: Clock;
  /** A transfer was removed from the list: its data can be deleted. */
  readonly removed: () => void;
  /** Asks the services that could not be reached. */
  readonly tryServicesNow: () => void;
  /** Fires when the engine closes. */
  readonly closing: AbortSignal;
}

/** What a caller can do with transfers (`Engine.transfers`), and cleanup that continues after a call. */
interface TransferActions {
  readonly transfers: Engine['transfers'];
  readonly globalPause: TransferControl['globalPause'];
  /**
   * Makes an upload of files that an automation has chosen, in one commit with what `alsoWrite` writes. Returns its id
   * once that is on the disk; rejects if it is not.
   */
  uploadChosen(request: ChosenUpload, alsoWrite: (transferId: string) => void): Promise<string>;
  /** The same for a package that an automation has chosen. */
  downloadChosen(request: ChosenDownload, alsoWrite: (transferId: string) => void): Promise<string>;
  /** Recovers after an earlier run or a lost batch: transfers that were running, and cancelled ones that need cleanup. */
  recover(): void;
  /** Resolves when no cleanup runs. After it, pauses do not end by themselves. */
  settled(): Promise<void>;
}

export function createTransferActions(ports: TransfersPorts): TransferActions {
  const { serviceUrl, registry, queue, store, session, settings, clock, closing } = ports;
  const cleanups = new Map<string, { readonly done: Promise<void>; readonly stop: AbortController }>();
  const control = createTransferControl({
    registry,
    queue,
    store,
    clock,
    fileSystem: ports.jobs.fileSystem,
    rateChanged: ports.limits.changed,
    async stopCleanup(id) {
      cleanups.get(id)?.stop.abort();
      await cleanups.get(id)?.done;
    },
  });

  const newcomer = (priority: 'low' | 'normal' | 'high' | undefined, id: string = uuid()) => ({
    id,
    phase: firstPhase(control.globalPause()),
    priority: priority ?? 'normal',
    position: store.transfers.nextPosition(),
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  });

  const forecast = createForecast({
    registry,
    lists: store.lists,
    pathGuard: ports.jobs.pathGuard,
    fileSystem: ports.jobs.fileSystem,
    closing,
  });
  /** In one commit. */
  const begin = async (record: TransferRecord, files: readonly NewFile[], alsoWrite: (id: string) => void): Promise<string> => {
    store.writer.write(() => {
      registry.add(record);
      store.files.insert(record.id, files);
      alsoWrite(record.id);
    });
    await store.writer.committed();
    queue.pump();
    return record.id;
  };
  const accept = async (record: TransferRecord) => {
    registry.add(record);
    await store.writer.committed();
    queue.pump();
    forecast.look(record.id);
    return registry.view(record.id);
  };

  const startCleanup = (record: TransferRecord): void => {
    const stop = new AbortController();
    const done = cleanUpAfter(ports.jobs, record, AbortSignal.any([closing, stop.signal])).finally(() => cleanups.delete(record.id));
    cleanups.set(record.id, { done, stop });
  };

  const recover = (): void => {
    queue.recover();
    for (const id of store.lists.dueForCleanup()) {
      const record = cleanups.has(id) ? null : registry.find(id);
      if (record) startCleanup(record);
    }
    control.recover();
    queue.pump();
    forecast.recover();
  };

  let cancelRecovery = (): void => {};
  let recovering = false;
  /** If a change by anything but a running job is lost, its work is recovered as after a kill. */
  const recoverLater = (): void => {
    if (recovering || closing.aborted) return;
    recovering = true;
    cancelRecovery = clock.after(recoverMilliseconds, () => {
      recovering = false;
      try {
        recover();
        store.writer.flush();
      } catch {
        // Lost again, so it is retried.
      }
    });
  };
  store.writer.onEnd((lost) => {
    if (lost) recoverLater();
  });

  const remove = async (id: string): Promise<void> => {
    const record = registry.get(id);
    if (!isOver(record.phase)) {
      registry.apply(id, { type: 'cancel', at: clock.now() });
      // Committed before the job is stopped: a change that cannot be written has not happened.
      await store.writer.committed();
      await queue.stop(id);
      markForCleanup(registry, id);
      await store.writer.committed();
      startCleanup(registry.get(id));
      return;
    }
    const timeout = AbortSignal.any([closing, AbortSignal.timeout(cleanupTimeoutMs)]);
    if (record.phase.state === 'error') {
      markForCleanup(registry, id);
      await cleanUpAfter(ports.jobs, registry.get(id), timeout);
    }
    // A transfer cancelled just now is still being cleaned up.
    const underWay = cleanups.get(id);
    const giveUp = (): void => underWay?.stop.abort(timeout.reason);
    timeout.addEventListener('abort', giveUp);
    await underWay?.done;
    timeout.removeEventListener('abort', giveUp);
    registry.remove(id);
    await store.writer.committed();
    ports.jobs.receipts.forget(id);
    ports.removed();
  };

  return {
    transfers: {
      async upload(request, asking) {
        const sending = await session.findFor(request.team_id, request.session_id);
        if (request.expiry !== undefined && Date.parse(request.expiry) <= clock.now()) {
          throw new AgentError('invalid_request', { detail: 'The field expiry lies in the past.' });
        }
        checkRoots(request.paths, ports.jobs.fileSystem);
        return accept({
          ...newcomer(request.priority),
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
            autoFinalize: request.auto_finalize ?? true,
          },
          added: [],
          facts: { scanned: false, package: { state: 'none' }, ...restrictionOf(asking) },
          secrets: request.password ? { password: request.password } : {},
        } satisfies UploadRecord);
      },
      async portalUpload(request, asking) {
        checkRoots(request.paths, ports.jobs.fileSystem);
        const portalUrl = portalService(request, serviceUrl);
        const portal = await openPortal(ports.jobs, portalUrl, request);
        return accept({
          ...newcomer(request.priority),
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
        } satisfies UploadRecord);
      },
      async download(request, asking) {
        const link = parseDownloadLink(request.url);
        if (!isAbsolute(request.dst_folder)) throw new AgentError('path_not_absolute', { path: request.dst_folder });
        const info = await openLink(ports.jobs, {
          serviceUrl: link.baseUrl,
          linkId: link.linkId,
          secret: link.secret,
          password: request.password,
        });
        const folder = openFolder(request.dst_folder, asking?.restricted ? ports.jobs.pathGuard : null, ports.jobs.fileSystem);
        const { transport } = ports.jobs;
        const asks = !request.allow_hidden && !request.create_package_folder && ownHomes(ports.jobs.fileSystem).includes(folder);
        if (asks) {
          const client = (fetcher: Fetcher) => packageClient({ transport: { ...transport, fetcher } }, link.baseUrl, info.package_token);
          refuseHiddenNames(folder, wantedOf(await fetchListing(transport, client, info.package_id), request.file_ids ?? null));
        }
        return accept({
          ...newcomer(request.priority),
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
            packageToken: info.package_token,
          },
        } satisfies DownloadRecord);
      },
      async downloadPackage(request, asking) {
        const known = request.id === undefined ? null : registry.find(request.id);
        return known
          ? registry.view(known.id)
          : accept(packageDownload(ports.jobs, newcomer(request.priority, request.id), request, asking));
      },
      async uploadToPackage(request, asking) {
        const known = request.id === undefined ? null : registry.find(request.id);
        return known ? registry.view(known.id) : accept(packageUpload(ports.jobs, newcomer(request.priority, request.id), request, asking));
      },
      previewLink: (request, signal) => previewLink(ports.jobs, request, signal),
      previewPortal: (request, signal) => previewPortal(ports.jobs, serviceUrl, request, signal),
      list: async (kind, query) => registry.list(kind === 'all' ? query : { ...query, kind }),
      summary: async (filter) => registry.summary(filter),
      get: async (id) => registry.view(id),
      async files(id, { page, limit, state }) {
        registry.get(id);
        const { total, records } = store.files.page(id, (page - 1) * limit, limit, state);
        const activity = registry.activity(id);
        return { total, records: records.map((file) => fileView(file, activity)) };
      },
      remove,
      async renamed(id, limit) {
        return registry.get(id).kind === 'download' ? store.files.renamed(id, limit) : { total: 0, first: [] };
      },
      async receipt(id) {
        const { phase } = registry.get(id);
        if (ports.jobs.receipts.has(id)) return ports.jobs.receipts.open(id);
        const why = phase.state === 'complete' ? 'Its service gave none.' : 'There is one when it is complete.';
        throw new AgentError('transfer_conflict', { detail: `This transfer has no receipt. ${why}` });
      },
      async log(id) {
        registry.get(id);
        return { records: store.log.of(id).map(({ at, event, detail }) => ({ at: new Date(at).toISOString(), event, detail })) };
      },
      actOnBatch: (request) =>
        actOnBatch({ registry, lists: { all: (filter) => store.lists.all(registry.resolved(filter)) }, control, remove }, request),
      async change(id, change, asking) {
        const { dst_folder, password, access_code, ...rest } = change;
        const terms = { dst_folder, password, access_code };
        if (Object.values(terms).some((one) => one !== undefined))
          await giveNewTerms({ jobs: ports.jobs, control, queue, closing }, id, terms, asking);
        return control.change(id, rest);
      },
      pause: control.pause,
      resume: control.resume,
      retry: control.retry,
      finalize: control.finalize,
      addFiles: control.addFiles,
      pauseAll: control.pauseAll,
      resumeAll: control.resumeAll,
      async cleanUp(id) {
        await cleanups.get(id)?.done;
        const record = registry.get(id);
        if (record.phase.state === 'cancelled') await cleanUpOnce(ports.jobs, record, closing);
        await store.writer.committed();
      },
      async tryNow() {
        ports.tryServicesNow();
        queue.tryNow();
      },
    },
    globalPause: control.globalPause,
    uploadChosen: (request, alsoWrite) => begin(chosenUpload(newcomer(request.priority), request), request.files, alsoWrite),
    downloadChosen: (request, alsoWrite) => begin(chosenDownload(newcomer(request.priority), request), [], alsoWrite),
    recover,
    async settled() {
      cancelRecovery();
      control.close();
      await Promise.all([forecast.settled(), ...[...cleanups.values()].map(({ done }) => done)]);
    },
  };
}

const restrictionOf = (asking: Asking | undefined): { readonly restricted?: true } => (asking?.restricted ? { restricted: true } : {});

/** New transfers begin paused during the global pause. */
function firstPhase(pause: Pause | null): Phase {
  return pause ? { state: 'paused', ...pause } : { state: 'queued' };
}

/** Milliseconds between a lost batch and the recovery. */
const recoverMilliseconds = 5_000;
/**
 * Milliseconds that the removal of a failed transfer waits for the service; what the service still stores expires by
 * itself later.
 */
const cleanupTimeoutMs = 5_000;

/** Marks an upload for cleanup, since the service still stores what it has sent. */
function markForCleanup(registry: TransferRegistry, id: string): void {
  const record = registry.get(id);
  if (record.kind !== 'upload') return;
  const { package: remote } = record.facts;
  if (remote.state === 'open' || remote.state === 'closing') registry.patchUpload(id, { package: { state: 'to_delete', id: remote.id } });
}
