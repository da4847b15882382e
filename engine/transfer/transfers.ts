import { v7 as uuid } from 'uuid';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Drops } from '../drops/drops.ts';
import type { Engine } from '../engine.ts';
import { identifyRoots } from '../folders/root-identity.ts';
import { type AdoptedTransfer, adoptTransfer } from '../handovers/adopt.ts';
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
import { createForecast } from './forecast.ts';
import type { JobPorts } from './job.ts';
import { giveNewTerms, mailDownloadCode } from './new-terms.ts';
import { newDownload, newPortalUpload, newUpload } from './new-transfers.ts';
import { mailPreviewCode, previewLink, previewPortal } from './previews.ts';
import type { Queue } from './queue.ts';
import type { Newcomer, NewFile, Priority, TransferRecord } from './record.ts';
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
  readonly drops: Pick<Drops, 'take' | 'isGone'>;
  /** A transfer was removed from the list: its data can be deleted. */
  readonly removed: () => void;
  /** Asks the services that could not be reached. */
  readonly tryServicesNow: () => void;
  /** Fires when the engine closes. */
  readonly closing: AbortSignal;
}

/** What a caller can do with transfers (`Engine.transfers`), and cleanup that continues after a call. */
export interface TransferActions {
  readonly transfers: Engine['transfers'];
  readonly globalPause: TransferControl['globalPause'];
  /**
   * Makes an upload of files that an automation has chosen, in one commit with what `alsoWrite` writes. Returns its id
   * once that is on the disk; rejects if it is not.
   */
  uploadChosen(request: ChosenUpload, alsoWrite: (transferId: string) => void): Promise<string>;
  /** The same for a package that an automation has chosen. */
  downloadChosen(request: ChosenDownload, alsoWrite: (transferId: string) => void): Promise<string>;
  /**
   * Makes a transfer that a browser has begun, with its files, and exchanges its code. Where the service refuses that,
   * there is no transfer, and its error is thrown; where it cannot be reached, the transfer goes on trying.
   */
  adopt(made: Adopted): Promise<AgentTransfer>;
  /** Recovers after an earlier run or a lost batch: transfers that were running, and cancelled ones that need cleanup. */
  recover(): void;
  /** Resolves when no cleanup runs. After it, pauses do not end by themselves. */
  settled(): Promise<void>;
}

interface Adopted extends Omit<AdoptedTransfer, 'record'> {
  readonly options: NewcomerOptions;
  readonly make: (common: Newcomer) => TransferRecord;
}

interface NewcomerOptions {
  readonly id?: string;
  readonly priority?: Priority | undefined;
  /** Milliseconds since 1970. */
  readonly dueAt?: number | undefined;
}

export function createTransferActions(ports: TransfersPorts): TransferActions {
  const { serviceUrl, registry, queue, store, clock, closing } = ports;
  const cleanups = new Map<string, { readonly done: Promise<void>; readonly stop: AbortController }>();
  const control = createTransferControl({
    registry,
    queue,
    store,
    clock,
    fileSystem: ports.jobs.fileSystem,
    pathGuard: ports.jobs.pathGuard,
    rateChanged: ports.limits.changed,
    drops: ports.drops,
    async stopCleanup(id) {
      cleanups.get(id)?.stop.abort();
      await cleanups.get(id)?.done;
    },
  });

  const newcomer = ({ id = uuid(), priority = 'normal', dueAt }: NewcomerOptions): Newcomer => ({
    id,
    phase: firstPhase(control.globalPause()),
    priority,
    ...(dueAt === undefined ? {} : { dueAt }),
    position: store.transfers.nextPosition(),
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  });

  /** As it is written down: all may have been paused, or resumed, since it was made. */
  const arrived = <T extends TransferRecord>(record: T): T => ({
    ...record,
    phase: firstPhase(control.globalPause()),
    position: store.transfers.nextPosition(),
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
    const roots = record.kind === 'upload' ? await identifyRoots(record.request.paths, ports.jobs.fileSystem) : [];
    // Another call may have added it meanwhile.
    if (registry.find(record.id)) return registry.view(record.id);
    if (record.kind === 'upload') ports.drops.take(record.request.paths);
    store.writer.write(() => {
      registry.add(arrived(record));
      store.uploadRoots.insert(record.id, 0, roots);
    });
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
      upload: async (request, asking) => accept(await newUpload(ports, (dueAt) => newcomer({ ...request, dueAt }), request, asking)),
      portalUpload: async (request, asking) =>
        accept(await newPortalUpload(ports, (dueAt) => newcomer({ ...request, dueAt }), request, asking)),
      download: async (request, asking) => accept(await newDownload(ports, (dueAt) => newcomer({ ...request, dueAt }), request, asking)),
      async downloadPackage(request, asking) {
        const known = request.id === undefined ? null : registry.find(request.id);
        return known ? registry.view(known.id) : accept(packageDownload(ports.jobs, newcomer(request), request, asking));
      },
      async uploadToPackage(request, asking) {
        const known = request.id === undefined ? null : registry.find(request.id);
        return known ? registry.view(known.id) : accept(packageUpload(ports.jobs, newcomer(request), request, asking));
      },
      previewLink: (request, signal) => previewLink(ports.jobs, request, signal),
      mailLinkCode: (request, signal) => mailPreviewCode(ports.jobs, request, signal),
      mailDownloadCode: async (id) => mailDownloadCode({ jobs: ports.jobs, closing }, id),
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
        const { dst_folder, password, code, access_code, ...rest } = change;
        const terms = { dst_folder, password, code, access_code };
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
    uploadChosen: (request, alsoWrite) => begin(chosenUpload(newcomer(request), request), request.files, alsoWrite),
    async adopt({ options, make, ...handed }) {
      const record = make(newcomer(options));
      await adoptTransfer({ ...ports, arrived }, { record, ...handed });
      return registry.view(record.id);
    },
    downloadChosen: (request, alsoWrite) => begin(chosenDownload(newcomer(request), request), [], alsoWrite),
    recover,
    async settled() {
      cancelRecovery();
      control.close();
      await Promise.all([forecast.settled(), ...[...cleanups.values()].map(({ done }) => done)]);
    },
  };
}

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
