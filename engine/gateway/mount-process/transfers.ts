import { transferStates } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError, type ErrorName, errorOf } from '#protocol/errors.ts';
import type { Engine } from '../../engine.ts';
import { wordsOf } from '../../errors.ts';
import { createNameCutter } from '../../folders/long-names.ts';
import { folderNameFor } from '../../folders/targets.ts';
import type { Clock } from '../../ports.ts';
import type { RefusedToken } from '../../transfer/job.ts';
import type { FromMount, MountState, RateLimits, TransferReport, Work } from './messages.ts';
import { checkSources, pathInMount } from './mount-path.ts';

interface MountTransfersPorts {
  readonly root: string;
  readonly readOnly: boolean;
  readonly serviceUrl: string;
  readonly openEngine: (renew: (refused: RefusedToken, signal: AbortSignal) => Promise<string | null>) => Promise<Engine>;
  readonly send: (message: FromMount) => void;
  readonly clock: Clock;
  /** Looks at the folder now. */
  readonly look: () => MountState;
  readonly limits: RateLimits;
}

/** The transfers of one mount: downloads into its folder and uploads from it, by an engine of their own. */
export interface MountTransfers {
  /** Begins it, goes on with it, or reports its end again: whoever asks twice gets one transfer. */
  begin(work: Work): Promise<void>;
  /** Stops it; resolves when nothing half is left. Rejects while the folder is offline, and is asked again then. */
  cancel(transferId: string): Promise<void>;
  /** The folder's state has changed: transfers rest while it is offline. */
  moved(state: MountState): void;
  /**
   * The folder is well: what waits in vain for a disk, as one that was gone for a second, need not wait longer; what waits
   * for room need not once there is more. `freeBytes` is null where the file system does not say it.
   */
  isWell(freeBytes: number | null): void;
  limit(limits: RateLimits): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds between two reports of one transfer that goes on. */
const reportEveryMs = 1_000;
/** Pairs that the service keeps (contract/gateways.md §5). */
const mostRenamed = 100;
/** How often a transfer that failed with a folder that is well is tried again, since the folder may have gone and come back. */
const mostRetries = 3;
/** How often in a row a transfer that waits for its disk is tried at once where the folder is well. */
const mostNudges = 3;
/** Errors that a folder causes which is gone for a moment. */
const byFolder: ReadonlySet<ErrorName | ''> = new Set([
  'path_outside',
  'path_unreadable',
  'path_not_found',
  'name_unsafe',
  'files_failed',
  'nothing_to_send',
]);

/** More than a gateway has tasks at once from a service that does not send too many. */
const mostUnfinished = 500;
const unfinishedStates = transferStates.filter((state) => !['complete', 'cancelled', 'error'].includes(state));

const noProgress = { bytes: 0, total_bytes: 0, files: 0, total_files: 0 };

export async function createMountTransfers(ports: MountTransfersPorts): Promise<MountTransfers> {
  const { root, readOnly, serviceUrl, send, clock, look } = ports;
  /** What the service handed out to this process, by transfer. */
  const wanted = new Map<
    string,
    {
      work: Work;
      retries: number;
      reportedAt: number;
      reportedState: string;
      reportedWaiting: string;
      waitsForDisk: boolean;
      waitsForRoom: boolean;
      nudges: number;
      waitsForFolder: boolean;
    }
  >();
  const tokens = new Map<string, { readonly token: string; readonly changed: PromiseWithResolvers<void> }>();
  const closing = new AbortController();

  const giveToken = (transferId: string, token: string): void => {
    tokens.get(transferId)?.changed.resolve();
    tokens.set(transferId, { token, changed: Promise.withResolvers() });
  };

  /** Waits until the service hands the transfer out with another token. */
  const renew = async ({ transferId, refused }: RefusedToken, signal: AbortSignal): Promise<string | null> => {
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    const stop = (): void => stopped.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const known = tokens.get(transferId);
        if (known && known.token !== refused) return known.token;
        if (!known) giveToken(transferId, refused);
        send({ type: 'token_refused', transferId });
        await Promise.race([tokens.get(transferId)!.changed.promise, stopped.promise]);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };

  const engine = await ports.openEngine(renew);
  let resting: boolean | null = null;
  let lastFreeBytes = freeBytesOf(look());
  const limit = async ({ upload, download }: RateLimits): Promise<void> => {
    await engine.rateLimits.set('upload', upload);
    await engine.rateLimits.set('download', download);
  };

  const find = async (id: string): Promise<AgentTransfer | null> => {
    try {
      return await engine.transfers.get(id);
    } catch (cause) {
      if (cause instanceof ApiError && cause.error === 'not_found') return null;
      throw cause;
    }
  };

  const report = (
    transferId: string,
    state: TransferReport['state'],
    error: string,
    transfer: AgentTransfer | null,
    renamed: TransferReport['renamed'] = { total: 0, first: [] },
  ): void => {
    const { bytes, total_bytes, files, total_files } = transfer ?? noProgress;
    const progress = { bytes, total_bytes, files, total_files };
    send({ type: 'report', report: { transferId, state, error, progress, ...(renamed.total > 0 ? { renamed } : {}) } });
  };

  const isOffline = (): string | null => {
    const state = look();
    return state.state === 'offline' ? state.reason : null;
  };

  /** Tells the service how a transfer stands, and tries again what only its folder has stopped. */
  const follow = async (transfer: AgentTransfer): Promise<void> => {
    const known = wanted.get(transfer.id);
    if (!known) return;
    switch (transfer.state) {
      case 'complete':
        wanted.delete(transfer.id);
        report(transfer.id, 'complete', '', transfer, await engine.transfers.renamed(transfer.id, mostRenamed));
        break;
      case 'error': {
        const reason = isOffline();
        known.waitsForFolder = reason !== null;
        if (reason !== null) report(transfer.id, 'waiting', reason, transfer);
        else if (mayBeTheFolder(transfer) && known.retries < mostRetries) {
          known.retries++;
          await engine.transfers.retry(transfer.id);
        } else {
          wanted.delete(transfer.id);
          report(transfer.id, 'error', transfer.error?.message ?? '', transfer);
        }
        break;
      }
      case 'cancelled':
        break;
      default: {
        const waiting = transfer.waiting?.reason ?? '';
        known.waitsForDisk = transfer.waiting?.cause === 'target_unwritable';
        known.waitsForRoom = transfer.waiting?.cause === 'disk_full';
        if (waiting === '') known.nudges = 0;
        const hasChanged = transfer.state !== known.reportedState || waiting !== known.reportedWaiting;
        if (!hasChanged && clock.now() - known.reportedAt < reportEveryMs) return;
        known.reportedAt = clock.now();
        known.reportedState = transfer.state;
        known.reportedWaiting = waiting;
        // The folder's own state says more than what a file met in it.
        const reason = transfer.state === 'paused' || known.waitsForDisk ? (isOffline() ?? waiting) : waiting;
        report(transfer.id, reason === '' ? 'started' : 'waiting', reason, transfer);
      }
    }
  };

  /** One after the other, so that a transfer's end is told last. */
  let following: Promise<void> = Promise.resolve();
  const enqueue = (transfer: AgentTransfer): void => {
    following = following
      .then(() => follow(transfer))
      .catch((cause: unknown) =>
        send({
          type: 'log',
          level: 'warn',
          facts: { transfer: transfer.id, error: wordsOf(cause) },
          message: 'a mount could not go on with a transfer',
        }),
      );
  };
  const listening = (async () => {
    for await (const event of engine.events.subscribe(null, closing.signal)) {
      if (event.type === 'transfer.changed') enqueue(event.transfer);
      if (event.type === 'events.lost') for (const id of wanted.keys()) void find(id).then((one) => one && enqueue(one));
    }
  })();

  const moved = (state: MountState): void => {
    const rest = state.state === 'offline';
    if (rest === resting) return;
    resting = rest;
    void (rest ? engine.transfers.pauseAll() : engine.transfers.resumeAll())
      .then(async () => {
        if (rest) return;
        await engine.transfers.tryNow();
        for (const [id, known] of wanted) {
          if (!known.waitsForFolder) continue;
          known.waitsForFolder = false;
          if ((await find(id))?.state === 'error') await engine.transfers.retry(id);
          else await begin(known.work);
        }
      })
      .catch(() => {
        // The state could not be written: the next look does it again.
        resting = null;
      });
  };

  const begin = async (work: Work): Promise<void> => {
    const id = work.transferId;
    giveToken(id, work.token);
    const known = wanted.get(id) ?? {
      work,
      retries: 0,
      reportedAt: 0,
      reportedState: '',
      reportedWaiting: '',
      waitsForDisk: false,
      waitsForRoom: false,
      nudges: 0,
      waitsForFolder: false,
    };
    known.work = work;
    wanted.set(id, known);
    const found = await find(id);
    if (found) {
      if (found.state === 'error' || found.state === 'cancelled') await engine.transfers.retry(id);
      known.reportedAt = 0;
      const now = await find(id);
      if (now) enqueue(now);
      return;
    }
    const reason = isOffline();
    if (reason !== null) {
      known.waitsForFolder = true;
      report(id, 'waiting', reason, null);
      return;
    }
    try {
      await create(work);
    } catch (cause) {
      const gone = isOffline();
      // The folder may have gone and come back since it was looked at.
      if (gone === null && cause instanceof ApiError && byFolder.has(cause.error) && known.retries < mostRetries) {
        known.retries++;
        await begin(work);
        return;
      }
      known.waitsForFolder = gone !== null;
      if (gone === null) wanted.delete(id);
      report(id, gone === null ? 'error' : 'waiting', gone ?? wordsOf(cause), null);
    }
  };

  const create = async (work: Work): Promise<void> => {
    const common = { id: work.transferId, serviceUrl, packageId: work.packageId, token: work.token };
    if (work.kind === 'collect') {
      const files = work.files.map(({ id, name }) => ({ local: pathInMount(root, id), name }));
      checkSources(work);
      await engine.transfers.uploadToPackage({ ...common, name: work.files[0]?.name ?? '', files }, { restricted: true });
      return;
    }
    if (readOnly) throw new Error('This mount is read-only: files are collected from it, and none delivered.');
    const steps = work.target.split('/').filter((step) => step !== '');
    const name = steps.pop() ?? work.packageId;
    const cut = createNameCutter(root);
    const dstFolder = pathInMount(root, steps.map((step) => cut.fit(folderNameFor(step))).join('/'));
    const folder = { dstFolder, createPackageFolder: true, collision: 'keep_both', cutsLongNames: true } as const;
    await engine.transfers.downloadPackage({ ...common, name, ...folder }, { restricted: true });
  };

  const turns = new Map<string, Promise<void>>();
  /** One after the other: a transfer that is handed out again while it is put down begins after that. */
  const inTurn = (transferId: string, work: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(transferId) ?? Promise.resolve()).then(work, work);
    const end = turn
      .catch(() => undefined)
      .then(() => {
        if (turns.get(transferId) === end) turns.delete(transferId);
      });
    turns.set(transferId, end);
    return turn;
  };

  const putDown = async (transferId: string): Promise<void> => {
    wanted.delete(transferId);
    const found = await find(transferId);
    if (!found || found.state === 'complete') return;
    const reason = isOffline();
    // It rests meanwhile.
    if (reason !== null) throw new Error(reason);
    if (found.state !== 'cancelled') await engine.transfers.remove(transferId);
    if (found.state !== 'error') await engine.transfers.cleanUp(transferId);
  };

  await limit(ports.limits);
  // They may have addresses that are good for long, so they would not ask the service by themselves.
  const { records } = await engine.transfers.list('all', { page: 1, limit: mostUnfinished, sort: 'queue', state: [...unfinishedStates] });
  if (records.length > 0) send({ type: 'unfinished', transferIds: records.map(({ id }) => id) });
  return {
    begin: (work) => inTurn(work.transferId, () => begin(work)),
    cancel: (transferId) => inTurn(transferId, () => putDown(transferId)),
    moved,
    isWell(freeBytes) {
      const hasMoreRoom = freeBytes !== null && freeBytes > lastFreeBytes;
      lastFreeBytes = freeBytes ?? unknownRoom;
      const waiting = [...wanted.values()].filter((one) => one.waitsForDisk && one.nudges < mostNudges);
      for (const one of waiting) one.nudges++;
      const roomCame = hasMoreRoom && [...wanted.values()].some((one) => one.waitsForRoom);
      if (waiting.length > 0 || roomCame) void engine.transfers.tryNow();
    },
    limit,
    async close() {
      closing.abort();
      await listening.catch(() => undefined);
      await engine.close();
    },
  };
}

/** More than there ever will be. */
const unknownRoom = Number.POSITIVE_INFINITY;

const freeBytesOf = (state: MountState): number => (state.state === 'ok' ? (state.freeBytes ?? unknownRoom) : unknownRoom);

function mayBeTheFolder({ error }: AgentTransfer): boolean {
  return error !== null && byFolder.has(errorOf(error.code) ?? '');
}
