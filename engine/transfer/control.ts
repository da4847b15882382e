import { isGone } from '#client/faults.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { ChangeTransfer } from '#protocol/agent/items.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError, type ApiError, type ErrorName, errorCatalogue, errorOf } from '#protocol/errors.ts';
import type { Drops } from '../drops/drops.ts';
import type { Asking } from '../engine.ts';
import type { PathGuard } from '../folders/path-guard.ts';
import { identifyRoots } from '../folders/root-identity.ts';
import { checkRoots } from '../folders/scan.ts';
import { matchForRetry } from '../handovers/match-retry.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import { checkedDueAt } from './deadlines/due-at.ts';
import { moved } from './order.ts';
import { createPauses, pauseAt } from './pauses.ts';
import type { Queue } from './queue.ts';
import type { TransferRecord } from './record.ts';
import { type Failure, isOver, type Pause, type PhaseEvent } from './state-machine.ts';
import type { TransferRegistry } from './transfer-registry.ts';
import { reopened, resetFiles, withoutPackage } from './upload/new-package.ts';

interface ControlPorts {
  readonly registry: TransferRegistry;
  readonly queue: Queue;
  readonly store: Store;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly pathGuard: PathGuard;
  readonly drops: Pick<Drops, 'take' | 'isGone'>;
  /** Stops the cleanup of a transfer, and resolves when it has stopped. */
  readonly stopCleanup: (id: string) => Promise<void>;
  /** The speed limit of a transfer has changed. */
  readonly rateChanged: (id: string) => void;
}

/** What a person can do with existing transfers. `transfer_conflict` (409) where its state does not allow it. */
export interface TransferControl {
  change(id: string, change: ChangeTransfer): Promise<AgentTransfer>;
  /** Without `hours` it is paused until a person resumes it. */
  pause(id: string, hours?: number): Promise<void>;
  resume(id: string): Promise<void>;
  /** Pauses several transfers with one commit. */
  pauseThese(ids: readonly string[]): Promise<Several>;
  resumeThese(ids: readonly string[]): Promise<Several>;
  retry(id: string): Promise<void>;
  finalize(id: string): Promise<void>;
  addFiles(id: string, paths: readonly string[], asking?: Asking): Promise<AgentTransfer>;
  /** Pauses all running and queued transfers, and those added later. */
  pauseAll(hours?: number): Promise<void>;
  resumeAll(): Promise<void>;
  /** Set while the global pause is active: new transfers begin paused. */
  globalPause(): Pause | null;
  /** Restores the pauses of an earlier run. */
  recover(): void;
  close(): void;
}

/** How many succeeded, and why the others did not. */
interface Several {
  readonly done: number;
  readonly refusals: readonly unknown[];
}

const hour = 3_600_000;
const globalPauseSetting = 'transfers-held';

export function createTransferControl({
  registry,
  queue,
  store,
  clock,
  fileSystem,
  pathGuard,
  drops,
  stopCleanup,
  rateChanged,
}: ControlPorts): TransferControl {
  const readGlobalPause = (): Pause | null => JSON.parse(store.settings.get(globalPauseSetting) ?? 'null') as Pause | null;
  let globalPause = readGlobalPause();
  store.writer.onEnd((lost) => {
    if (lost) globalPause = readGlobalPause();
  });

  const setGlobalPause = (next: Pause | null): void => {
    store.writer.write(() =>
      next ? store.settings.set(globalPauseSetting, JSON.stringify(next)) : store.settings.delete(globalPauseSetting),
    );
    globalPause = next;
  };

  const pauses = createPauses({
    clock,
    settle(now, lastLook) {
      const active: Pause[] = [];
      let resumed = false;
      for (const id of store.lists.pausedForATime()) {
        const phase = registry.find(id)?.phase;
        if (phase?.state !== 'paused') continue;
        const pause = pauseAt(phase, now, lastLook);
        if (pause === null) resumed = registry.apply(id, { type: 'resume' }) || resumed;
        else {
          active.push(pause);
          if (pause !== phase) registry.apply(id, { type: 'pause', ...pause });
        }
      }
      const stillPaused = globalPause && pauseAt(globalPause, now, lastLook);
      if (stillPaused !== globalPause) setGlobalPause(stillPaused);
      if (stillPaused) active.push(stillPaused);
      if (resumed) queue.pump();
      return active;
    },
  });

  const pauseFor = (hours: number | undefined): Pause => {
    // Updates existing pauses with the current clock before a new pause is measured with it.
    pauses.look();
    const since = clock.now();
    return { since, until: hours === undefined ? null : since + Math.round(hours * hour) };
  };

  const apply = (record: TransferRecord, event: PhaseEvent, done: string): void => {
    if (!registry.apply(record.id, event)) throw conflict(record, done);
  };

  const applyAll = (
    ids: readonly string[],
    event: PhaseEvent,
    done: string,
  ): { readonly changed: string[]; readonly refusals: unknown[] } => {
    const changed: string[] = [];
    const refusals: unknown[] = [];
    for (const id of ids) {
      try {
        apply(registry.get(id), event, done);
        changed.push(id);
      } catch (error) {
        refusals.push(error);
      }
    }
    return { changed, refusals };
  };

  const committed = async (): Promise<void> => {
    await store.writer.committed();
    queue.pump();
  };

  return {
    async change(id, { priority, position, rate_limit_bps, due_at }) {
      const record = registry.get(id);
      if (rate_limit_bps !== undefined && rate_limit_bps !== record.rateLimit) {
        if (isOver(record.phase) && record.phase.state !== 'error') throw conflict(record, 'made slower or faster');
        registry.change(id, { rateLimit: rate_limit_bps });
        rateChanged(id);
      }
      if (due_at !== undefined) {
        if (isOver(record.phase) && record.phase.state !== 'error') throw conflict(record, 'given a deadline');
        registry.change(id, { dueAt: due_at === null ? undefined : checkedDueAt(due_at, clock.now()) });
      }
      if (priority !== undefined || position !== undefined) {
        if (isOver(record.phase) && record.phase.state !== 'error') throw conflict(record, 'moved in the queue');
        if (priority !== undefined) registry.change(id, { priority });
        if (position !== undefined) {
          registry.setPositions(moved(store.lists.line(), id, position));
        }
      }
      await committed();
      return registry.view(id);
    },
    async pause(id, hours) {
      const isFinishing = registry.activity(id)?.finishing ?? false;
      const record = registry.get(id);
      apply(record, { type: 'pause', ...pauseFor(hours) }, 'paused');
      pauses.look();
      await store.writer.committed();
      if (isFinishing) await queue.stop(id);
      // Nearly finished work completes in the background for some seconds; nobody has to wait for it.
      else void queue.finish(id);
      await committed();
    },
    async resume(id) {
      apply(registry.get(id), { type: 'resume' }, 'resumed');
      await committed();
    },
    async pauseThese(ids) {
      const { changed, refusals } = applyAll(ids, { type: 'pause', ...pauseFor(undefined) }, 'paused');
      pauses.look();
      await store.writer.committed();
      for (const id of changed) void queue.finish(id);
      await committed();
      return { done: changed.length, refusals };
    },
    async resumeThese(ids) {
      const { changed, refusals } = applyAll(ids, { type: 'resume' }, 'resumed');
      await committed();
      return { done: changed.length, refusals };
    },
    async retry(id) {
      const record = registry.get(id);
      if (record.phase.state !== 'error' && record.phase.state !== 'cancelled') throw conflict(record, 'tried again');
      if (record.kind === 'upload' && drops.isGone([...record.request.paths, ...record.added])) {
        throw new AgentError('transfer_conflict', { detail: 'What the browser had sent for it was deleted when it ended. Send it anew.' });
      }
      await stopCleanup(id);
      const current = registry.get(id);
      await prepareRetry({ registry, store, fileSystem, pathGuard }, current);
      apply(registry.get(id), { type: 'retry' }, 'tried again');
      await committed();
    },
    async finalize(id) {
      const record = registry.get(id);
      const { phase } = record;
      const someFailed = phase.state === 'error' && phase.failure.code === codeOf('files_failed') && record.files > 0;
      if (record.kind === 'download') {
        const detail = 'This is a download: it has nothing to finalize, unless some of its files failed and others are there.';
        if (!someFailed) throw new AgentError('transfer_conflict', { detail });
        apply(record, { type: 'finalize' }, 'finalized');
        registry.changeDownload(id, { facts: { ...record.facts, withoutFailed: true } });
        return await committed();
      }
      if (phase.state === 'error' && !someFailed) throw conflict(record, 'finalized');
      apply(record, { type: 'finalize' }, 'finalized');
      registry.patchUpload(id, { finalizeAsked: true, ...(someFailed ? { withoutFailed: true } : {}) });
      await committed();
    },
    async addFiles(id, paths, asking) {
      registry.get(id);
      checkRoots(paths, fileSystem);
      const roots = await identifyRoots(paths, fileSystem);
      const record = registry.get(id);
      if (record.kind === 'download') throw new AgentError('transfer_conflict', { detail: 'This is a download: it takes no files.' });
      const { phase, facts } = record;
      const failed = phase.state === 'error';
      if ((isOver(phase) && !failed) || facts.package.state === 'finalized') throw conflict(record, 'given more files');
      if (facts.package.state === 'closing' && !failed)
        throw new AgentError('transfer_conflict', { detail: 'This upload is being finalized: it takes no more files.' });
      if (facts.package.state === 'closing') registry.patchUpload(id, { package: reopened(facts.package) });
      if (asking?.restricted) registry.patchUpload(id, { restricted: true });
      drops.take(paths);
      registry.addPaths(id, paths, roots);
      if (failed) store.writer.write(() => store.files.retryFailed(id));
      registry.apply(id, { type: 'more' });
      await committed();
      return registry.view(id);
    },
    async pauseAll(hours) {
      const pause = pauseFor(hours);
      setGlobalPause(pause);
      const paused = store.lists.all({ state: ['queued', 'transferring'] }).filter((id) => registry.apply(id, { type: 'pause', ...pause }));
      pauses.look();
      await store.writer.committed();
      for (const id of paused) void queue.finish(id);
      await committed();
    },
    async resumeAll() {
      setGlobalPause(null);
      for (const id of store.lists.all({ state: ['paused'] })) registry.apply(id, { type: 'resume' });
      await committed();
    },
    globalPause: () => globalPause,
    recover: () => pauses.look(),
    close: () => pauses.close(),
  };
}

const states = {
  queued: 'waiting for its turn',
  transferring: 'under way',
  paused: 'paused',
  idle: 'sent, and waits to be finalized',
  complete: 'complete',
  error: 'stopped by an error',
  cancelled: 'cancelled',
} as const;

function conflict({ kind, phase }: TransferRecord, done: string): ApiError {
  return new AgentError('transfer_conflict', { detail: `This ${kind} is ${states[phase.state]}, so it cannot be ${done}.` });
}

function codeOf(name: ErrorName): number {
  return errorCatalogue[name].code;
}

/** Whether the package no longer exists, so that everything has to be sent to a new one. */
function packageIsGone({ code }: Failure): boolean {
  const name = errorOf(code);
  return name !== undefined && isGone(new AgentError(name));
}

/**
 * Prepares the files of an ended transfer for another run. After a cancel the service has deleted the upload, or soon
 * will: everything is sent again.
 */
async function prepareRetry(
  { registry, store, fileSystem, pathGuard }: Pick<ControlPorts, 'registry' | 'store' | 'fileSystem' | 'pathGuard'>,
  record: TransferRecord,
): Promise<void> {
  const { id, phase } = record;
  const isAdopted = record.kind === 'upload' && record.request.adopted;
  const noteMatched = isAdopted ? await matchForRetry({ store, fileSystem, pathGuard }, record) : () => {};
  const wasCancelled = phase.state === 'cancelled';
  // Of a download whose plan is gone nothing is counted already.
  let resets = wasCancelled && (record.kind === 'upload' || record.facts.planned);
  if (record.kind === 'upload' && record.facts.package.state !== 'finalized') {
    const gone = phase.state === 'error' && record.facts.package.state !== 'none' && packageIsGone(phase.failure);
    resets = gone || wasCancelled;
    if (resets) await resetFiles(store, id);
    registry.patchUpload(id, { package: reopened(record.facts.package), withoutFailed: false, ...(gone ? withoutPackage(record) : {}) });
  }
  if (record.kind === 'download' && record.facts.withoutFailed)
    registry.changeDownload(id, { facts: { ...record.facts, withoutFailed: false } });
  store.writer.write(() => {
    noteMatched();
    store.files.retryFailed(id);
    // What was done counts no more: in other cases what was shown stays, until as much is done again.
    if (resets || isAdopted) registry.recountDone(id);
  });
}
